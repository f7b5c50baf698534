"""The chart's values.yaml: every key with its description, in a form that Helm reads without changes."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen import schema
from dsgen.language.readable import ReadableWriter

WIDTH = 120
WRITER = ReadableWriter()


def values_file(values: Mapping[str, Any] | None = None) -> str:
    """The text of values.yaml: these values (a complete tree), or the schema's defaults."""
    root = schema.load()
    tree = schema.defaults() if values is None else values
    head = [f"# {line}" for line in _wrapped(root["description"], 0)]
    return "\n".join([*head, *_record(root, tree, "", is_top=True)]) + "\n"


def _record(record: Mapping[str, Any], tree: Mapping[str, Any], pad: str, is_top: bool = False) -> Iterator[str]:
    """The lines of a record's keys, in the schema's order."""
    for key, part in record["properties"].items():
        if is_top:
            yield ""
        yield from (f"{pad}# {line}" for line in _wrapped(_description(schema.resolve(part)), len(pad)))
        yield from (f"{pad}# {line}".rstrip() for line in _named_records(key, part, tree.get(key)))
        if key not in tree:
            yield f"{pad}# {key}:"
        elif schema.is_always_there(part):
            yield f"{pad}{key}:" if tree[key] else f"{pad}{key}: {{}}  # to set a key of it, remove the braces"
            yield from _record(part, tree[key], pad + "  ")
        else:
            yield from _entry(key, _shortened(part, tree[key]), pad)


def _description(part: Mapping[str, Any]) -> str:
    options = [option for option in part.get("enum", ()) if option]
    return str(part.get("description", "")) + (f" One of: {', '.join(options)}." if options else "")


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{WRITER.text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else WRITER.lines(value)[0]


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - indent - 2, break_long_words=False, break_on_hyphens=False)


def _named_records(key: str, part: Mapping[str, Any], given: Any) -> Iterator[str]:
    """For a map of records with names of the user: an example, and the keys of each record."""
    entry = part.get("additionalProperties")
    record = schema.resolve(dict(entry)) if isinstance(entry, Mapping) else {}
    if not schema.is_record(record):
        return
    rows = {".".join(path): _row(each) for path, each in schema.records(record)}
    width = max(map(len, rows)) + 2
    yield from ("", "Example:" if given else f"Example, to replace the line `{key}: {{}}`:", "")
    yield from _entry(key, part["examples"][0], "")
    yield from ("", *_wrapped(f"{record['description']} Its keys:", 0), "")
    for path, text in rows.items():
        first, *more = _wrapped(text, width + 2)
        yield f"  {path:{width}}{first}"
        yield from (" " * (width + 2) + line for line in more)


def _row(part: Mapping[str, Any]) -> str:
    """The description of a key, with its default or an example."""
    text = _description(part)
    if part.get("default") not in (None, "", {}):
        return f"{text} Default: {_flow(part['default'])}."
    return f"{text} For example {_flow(part['examples'][0])}." if "examples" in part else text


def _shortened(part: Mapping[str, Any], value: Any) -> Any:
    """The value without the defaults of records whose names the user chooses, because the templates add those."""
    entry = part.get("additionalProperties")
    if not isinstance(entry, Mapping) or not isinstance(value, Mapping):
        return value
    record = schema.resolve(dict(entry))
    return {key: _given(record, item) for key, item in value.items()} if schema.is_record(record) else value


def _given(record: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    kept = {}
    for key, item in value.items():
        part = record["properties"].get(key, {})
        if schema.is_record(part) and isinstance(item, Mapping):
            kept[key] = _given(part, item)
        elif "default" not in part or item != part["default"]:
            kept[key] = item
    return kept


def _entry(key: str, value: Any, pad: str) -> Iterator[str]:
    """The lines of `key: value`."""
    return (pad + line if line else "" for line in WRITER.entry(key, value))
