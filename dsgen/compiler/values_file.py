"""The chart's values.yaml: every key with its description, written so that Helm reads back exactly these values."""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen import schema
from dsgen.language.text import number, quote

WIDTH = 120
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*|[0-9]+([KMGTPE]i|m)")
_WORDS_WITH_A_MEANING = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
# Lines of plain characters that neither begin nor end with a blank: YAML folds and strips nothing of them.
_BLOCK = re.compile(
    r"([!-~]([ -~]*[!-~])?\n)(( *[!-~]([ -~]*[!-~])?)?\n)*[ ]*[!-~]([ -~]*[!-~])?\n|[!-~]([ -~]*[!-~])?\n"
)


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
        yield from (f"{pad}# {line}" for line in _description(schema.resolve(part), len(pad)))
        yield from (f"{pad}# {line}".rstrip() for line in _entry_description(part))
        if key not in tree:
            yield f"{pad}# {key}: {_example(part)}".rstrip()
            if schema.is_record(part):
                yield from (f"{pad}#   {line}" for line in _record(part, schema.defaults(part), ""))
        elif schema.is_always_there(part):
            yield f"{pad}{key}:"
            yield from _record(part, tree[key], pad + "  ")
        else:
            yield from _entry(key, _shortened(part, tree[key]), pad)


def _description(part: Mapping[str, Any], indent: int) -> list[str]:
    text = part.get("description", "")
    options = [option for option in part.get("enum", ()) if option]
    if options:
        text += f" One of: {', '.join(options)}."
    return _wrapped(text, indent)


def _example(part: Mapping[str, Any]) -> str:
    """A value for a key that is not there by itself, on one line; empty when the schema has none."""
    return _flow(part["examples"][0]) if "examples" in part else ""


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else _text(value)


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - indent - 2, break_long_words=False, break_on_hyphens=False)


def _entry_description(part: Mapping[str, Any]) -> Iterator[str]:
    """What stands below a key that the user names, for a map of records."""
    entry = part.get("additionalProperties")
    if not isinstance(entry, Mapping) or not schema.is_record(schema.resolve(dict(entry))):
        return
    record = schema.resolve(dict(entry))
    yield "Below each name:"
    yield from ("  " + line for line in _record(record, schema.defaults(record), ""))


def _shortened(part: Mapping[str, Any], value: Any) -> Any:
    """Without the defaults below keys that the user names: the templates fill them."""
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
    name = _text(key)
    if isinstance(value, Mapping) and value:
        yield f"{pad}{name}:"
        for inner, item in value.items():
            yield from _entry(inner, item, pad + "  ")
    elif isinstance(value, list) and value:
        yield f"{pad}{name}:"
        for item in value:
            yield from _item(item, pad + "  ")
    elif isinstance(value, str) and "\n" in value and _BLOCK.fullmatch(value):
        yield f"{pad}{name}: |"
        yield from (f"{pad}  {line}" if line else "" for line in value[:-1].split("\n"))
    else:
        yield f"{pad}{name}: {_text(value)}"


def _item(value: Any, pad: str) -> Iterator[str]:
    """The lines of a list's item."""
    if not isinstance(value, Mapping | list) or not value:
        yield f"{pad}- {_text(value)}"
        return
    inside = pad + "  "
    if isinstance(value, Mapping):
        lines = (line for key, item in value.items() for line in _entry(key, item, inside))
    else:
        lines = (line for item in value for line in _item(item, inside))
    yield f"{pad}- {next(lines).removeprefix(inside)}"
    yield from lines


def _text(value: Any) -> str:
    """A scalar or an empty collection."""
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS_WITH_A_MEANING
        return value if is_plain else quote(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "-0.0" if number(value) == "-0" else number(value)  # -0 would be read back as the integer 0
    return json.dumps(value)
