"""Writes tests/data/gitops_schemas.json: schemas of the objects of Argo CD and Flux that `dsgen gitops` writes.

They are converted from the CustomResourceDefinitions of the controllers to JSON Schema that refuses unknown fields, so
that tests need no cluster. Rules in CEL are left to the end-to-end tests. Run it with the files of newer versions:
`python -m tools.gitops_schemas FILE...`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).parent.parent / "tests" / "data" / "gitops_schemas.json"
KINDS = {
    *("Application", "ApplicationSet", "AppProject"),
    *("Alert", "GitRepository", "HelmRelease", "Kustomization", "OCIRepository"),
}
LEFT_OUT = {
    *("clusterDecisionResource", "clusters", "matrix", "merge", "plugin", "pullRequest", "scmProvider"),
    *("kustomize", "plugin"),
}
"""Large, nested parts of Argo CD's objects that dsgen does not write; the schemas do not contain them."""
UNSEEN = ("description", "example", "x-kubernetes-validations")


def strict(part: Any, key: str = "") -> Any:
    """The schema without descriptions, refusing unknown fields."""
    if isinstance(part, list):
        return [strict(each) for each in part]
    if not isinstance(part, dict):
        return part
    if key == "properties":
        return {name: strict(below, name) for name, below in part.items() if name not in LEFT_OUT}
    parts = {name: strict(below, name) for name, below in part.items() if name not in UNSEEN}
    if "properties" in parts and not part.get("x-kubernetes-preserve-unknown-fields"):
        parts.setdefault("additionalProperties", False)
    return {name: below for name, below in parts.items() if not name.startswith("x-")}


def schemas(definition: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """`group/version/kind` -> schema of the whole object, for each version that is served."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"] and spec["names"]["kind"] in KINDS:
            whole = strict(version["schema"]["openAPIV3Schema"])
            whole["properties"]["metadata"] = {
                "type": "object",
                "required": ["name", "namespace"],
                "properties": {
                    "name": {"type": "string", "maxLength": 253},
                    "namespace": {"type": "string"},
                    "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 63}},
                    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "additionalProperties": False,
            }
            whole["properties"].pop("status", None)
            yield f"{spec['group']}/{version['name']}/{spec['names']['kind']}", whole


def main(paths: list[str]) -> None:
    """Write the file."""
    kinds = dict(pair for path in paths for pair in schemas(yaml.safe_load(Path(path).read_text(encoding="utf-8"))))
    missing = KINDS - {name.rpartition("/")[2] for name in kinds}
    if missing:
        raise SystemExit(f"no definition of {', '.join(sorted(missing))}")
    lines = (f"{json.dumps(name)}: {json.dumps(kinds[name], separators=(',', ':'))}" for name in sorted(kinds))
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
