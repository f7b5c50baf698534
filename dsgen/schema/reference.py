"""The option reference, docs/options.md: a table of all keys for each key at the top of the values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen import schema
from dsgen.generated.schema import KUBERNETES_VERSION
from dsgen.schema import Schema

HEAD = """\
# Options

This page lists all keys of a values file. The chart's `values.yaml` has the same keys. Only `image.repository` and one
of `training.python`, `training.module` and `training.exec` (or `launch.command`) are required, and `name` and
`namespace` for flat manifests. All other keys have defaults.
`NAME` is a name that you choose. A type with a link is a type of the Kubernetes API. Its fields are checked, but not
listed here; `dsgen explain workers.affinity`, for example, lists them. This page is generated from
`dsgen/schema/values.json`.
"""
REFERENCE = "https://kubernetes.io/docs/reference/generated/kubernetes-api/v{version}/#{name}-v1-core"
TYPES = {
    "string": "string",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "map",
}


def page() -> str:
    """The text of docs/options.md: a section with a table for every key at the top."""
    sections = (_section(key, part) for key, part in schema.load()["properties"].items())
    return HEAD + "".join(sections) + "\n" + "".join(_links())


def _section(key: str, part: Schema) -> str:
    rows: list[tuple[tuple[str, ...], Schema]] = [] if schema.is_record(part) else [((key,), part)]
    rows += [((key, *path), below) for path, below in _keys(part)]
    text = f"\n## {key}\n\n"
    if schema.is_record(part):
        text += f"{part['description']}\n\n"
    return text + "| key | type | default | meaning |\n|---|---|---|---|\n" + "".join(_row(*row) for row in rows)


def _keys(part: Schema) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """The keys below one, without the records in between."""
    below = part.get("additionalProperties")
    record = schema.resolve(below) if isinstance(below, dict) else {}
    named = [(("NAME", *path), one) for path, one in schema.records(record)] if schema.is_record(record) else []
    for path, one in (*(schema.records(part) if schema.is_record(part) else ()), *named):
        if not schema.is_always_there(one):
            yield tuple("NAME" if key == "*" else key for key in path), one


def _row(path: tuple[str, ...], part: Schema) -> str:
    cells = (f"`{'.'.join(path)}`", _type(part), _default(part), _meaning(part))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _type(part: Schema) -> str:
    if words := _of_kubernetes(part):
        return words
    if "enum" in part:
        return ", ".join(f"`{word}`" if word else '`""`' for word in part["enum"])
    words = " or ".join(TYPES[name] for name in schema.types(part) if name != "null")
    items = schema.types(schema.resolve(part["items"])) if "items" in part else []
    return f"{words} of {TYPES[items[0]]}s" if items and items[0] == "string" else words


def _of_kubernetes(part: Schema) -> str:
    """The type of the Kubernetes API as a link; empty for a type of dsgen."""
    item = schema.kubernetes_type(part.get("items", {}))
    name = item or schema.kubernetes_type(part)
    return (f"list of [{name}]" if item else f"[{name}]") if name else ""


def _links() -> Iterator[str]:
    """Link definitions of Markdown for the types of the Kubernetes API."""
    every = (part for _, top in schema.records() for part in (top, top.get("items", {})))
    for name in sorted({schema.kubernetes_type(part) for part in every} - {""}):
        yield f"[{name}]: {REFERENCE.format(version=KUBERNETES_VERSION, name=name.lower())}\n"


def _default(part: Schema) -> str:
    return f"`{json.dumps(part['default'], ensure_ascii=False)}`" if "default" in part else "absent"


def _meaning(part: Schema) -> str:
    return " ".join(filter(None, (part["description"], _limits(part), _examples(part))))


def _limits(part: Mapping[str, Any]) -> str:
    if "x-pattern" in part:
        return f"Form: {part['x-pattern']}."
    if part.get("minimum", 0) > 0:
        return f"At least {part['minimum']}."
    return ""


def _examples(part: Mapping[str, Any]) -> str:
    examples = [f"`{json.dumps(example, ensure_ascii=False)}`" for example in part.get("examples", ())]
    return f"For example {' or '.join(examples)}." if examples else ""
