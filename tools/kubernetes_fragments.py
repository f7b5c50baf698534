"""Writes dsgen/schema/kubernetes.json: objects of the Kubernetes API that values may contain, as JSON Schema.

The source is the OpenAPI document of a cluster (`kubectl get --raw /openapi/v3/api/v1`): the types to which
dsgen/schema/values.json refers, and their parts. Unknown fields are refused, and so is null at every depth. Tables here
list where the API server is stricter or looser than this document; tests/e2e tests each row. Run it with KUBECONFIG for
a newer version: `python -m tools.kubernetes_fragments`.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsgen import schema
from dsgen.language.functions import read_json
from dsgen.schema import export

TARGET = Path(__file__).parent.parent / "dsgen" / "schema" / "kubernetes.json"
COMPONENT = "#/components/schemas/"
FREE = {"$ref": f"{schema.DEFINITION}withoutNull"}
QUANTITY = {
    "type": ["string", "number"],
    "pattern": "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$",
    "x-pattern": "a number with or without a unit, such as 500m, 4, 1.5 or 16Gi",
}
INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1, "x-definition": "int32"}
SCALARS: dict[str, dict[str, Any]] = {
    "Quantity": QUANTITY,
    "IntOrString": {"type": ["integer", "string"], **INT32},
}
KEYWORDS = ("type", "enum")

WITHOUT_REQUIRED = {"Container", "PodSpec"}
"""Types of which only fields are used; a whole container is defined in dsgen/schema/values.json."""
ONLY = {"ObjectMeta": ("annotations", "labels")}
"""The fields that the API server accepts where dsgen uses the type; it refuses all others there."""
UNSEEN = {("PodSpec", name) for name in ("containers", "ephemeralContainers", "initContainers", "volumes")}
"""Fields that dsgen writes itself. A check refuses them, so their types are not needed."""
REQUIRED_TOO = {
    "ConfigMapEnvSource": ["name"],
    "ConfigMapKeySelector": ["name"],
    "SecretEnvSource": ["name"],
    "SecretKeySelector": ["name"],
    "SecretReference": ["name"],
    "VolumeNodeAffinity": ["required"],
}
"""Fields that the API server requires although the document does not."""
NOT_REQUIRED = {
    "HTTPHeader": ["value"],
    "PreferredSchedulingTerm": ["preference"],
    "SleepAction": ["seconds"],
    "Sysctl": ["value"],
}
"""Fields that the API server does not require although the document does."""
EMPTY_TOO = {
    *(("Container", name) for name in ("imagePullPolicy", "terminationMessagePolicy")),
    *(("PodSpec", name) for name in ("dnsPolicy", "restartPolicy")),
    *(("Toleration", name) for name in ("effect", "operator")),
    *(("ContainerPort", "protocol"), ("HTTPGetAction", "scheme"), ("Lifecycle", "stopSignal")),
}
"""Enumerations for which an empty text means the same as no field."""
MORE: dict[tuple[str, str], dict[str, Any]] = {
    ("EmptyDirVolumeSource", "medium"): {
        "pattern": "^(Memory|HugePages(-[0-9]+[KMG]i)?)?$",
        "x-pattern": "Memory, HugePages, or HugePages- and a size such as 2Mi",
    },
    ("NFSVolumeSource", "path"): {"pattern": "^/[^\\n\\x85]*$", "x-pattern": "an absolute path"},
    ("NodeSelector", "nodeSelectorTerms"): {"minItems": 1},
    ("Toleration", "operator"): {"enum": ["", "Equal", "Exists", "Gt", "Lt"]},  # the last two since Kubernetes 1.35
}
"""Keywords of single fields."""
OF_TYPES: dict[str, dict[str, Any]] = {
    "EnvFromSource": {"oneOf": [{"required": ["configMapRef"]}, {"required": ["secretRef"]}]},
    "EnvVarSource": {"minProperties": 1, "maxProperties": 1},
}
"""Keywords of whole types."""


def kubectl(path: str) -> Any:
    """The answer of the API server."""
    return json.loads(subprocess.run(["kubectl", "get", "--raw", path], capture_output=True, check=True).stdout)


def table(components: dict[str, Any], version: str) -> dict[str, Any]:
    """The content of the file, from the components and the version of the API server."""
    types = {name.rpartition(".")[2]: part for name, part in components.items()}
    definitions: dict[str, Any] = {}
    waiting = wanted()
    while waiting:
        name = waiting.pop()
        if name in types and name not in definitions:
            definitions[name] = definition(name, types[name])
            waiting += references(definitions[name])
    by_name = dict(sorted(definitions.items()))
    return {"source": "tools/kubernetes_fragments.py", "version": version, "definitions": by_name}


def wanted() -> list[str]:
    """The types to which values.json refers: its references that begin with a capital letter."""
    text = json.dumps(read_json(schema.SCHEMA_FILE))
    return sorted(set(re.findall(rf'"{schema.DEFINITION}([A-Z]\w*)"', text)))


def references(part: Any) -> Iterator[str]:
    """The names of all types that a definition refers to."""
    yield from re.findall(rf'"{schema.DEFINITION}([A-Z]\w*)"', json.dumps(part))


def definition(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """One type."""
    if name in SCALARS:
        return SCALARS[name]
    keys = ONLY.get(name, sorted(part["properties"]))
    rule: dict[str, Any] = {
        "type": "object",
        "properties": {key: field(name, key, part["properties"][key]) for key in keys},
    }
    required = {*part.get("required", ()), *REQUIRED_TOO.get(name, ())} - {*NOT_REQUIRED.get(name, ())}
    if required and name not in WITHOUT_REQUIRED:
        rule["required"] = sorted(required)
    return {**rule, "additionalProperties": False, **OF_TYPES.get(name, {})}


def field(name: str, key: str, part: dict[str, Any]) -> dict[str, Any]:
    """One field of a type, with the first sentence of its description."""
    if (name, key) in UNSEEN:
        return FREE
    rule = shape(part)
    if (name, key) in EMPTY_TOO:
        rule["enum"] = ["", *rule["enum"]]
    return {**rule, **MORE.get((name, key), {}), "description": sentence(part["description"])}


def shape(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field's value."""
    for other in part.get("allOf", (part,) if "$ref" in part else ()):
        return {"$ref": schema.DEFINITION + other["$ref"].removeprefix(COMPONENT).rpartition(".")[2]}
    rule = {keyword: part[keyword] for keyword in KEYWORDS if keyword in part}
    if part.get("format") == "int32":
        rule |= INT32
    return rule | {keyword: shape(part[keyword]) for keyword in ("items", "additionalProperties") if keyword in part}


def sentence(text: str) -> str:
    """The first sentence, on one line."""
    first = re.split(r"(?<=[^.].[.])\s+(?=[A-Z])|\n\n", text.strip())[0]
    return " ".join(first.split()).rstrip(".") + "."


def main() -> None:
    """Request the document from the API server of KUBECONFIG, and write the file."""
    components = kubectl("/openapi/v3/api/v1")["components"]["schemas"]
    definitions = table(components, kubectl("/version")["gitVersion"].removeprefix("v"))
    TARGET.write_text(export.as_json(definitions), encoding="utf-8")


if __name__ == "__main__":
    main()
