"""Descriptions of the keys of a values file and of the ids of problems, for `dsgen explain`, and a search in all texts.

The search is in keys, ids of problems, reasons, presets and pages.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

from dsgen import deepspeed, schema, shipped
from dsgen.cluster.reasons import explain_reason, list_reasons
from dsgen.deepspeed.keys import REMOVED, Rule, load_table
from dsgen.errors import UsageError
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import escape_text, replace_in_place
from dsgen.reports import RULES
from dsgen.schema import Schema, suggestions
from dsgen.schema.suggestions import did_you_mean, list_possible

WIDTH = 100
ANY = "*"
ANYTHING = {"description": "The value can be anything; dsgen does not check it."}
PARAMETER = {"description": "A parameter of the class in type; dsgen checks its name and type."}
COPIED = ("enum", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
"""Keywords that rules for the keys of DeepSpeed have in common with a JSON schema."""
REFERENCES = {"options", "commands", "causes"}
"""Pages whose content has entries of its own."""
MOST_PAGES = 5
KEYS, WORDS = "Keys, for dsgen explain KEY:", "Words of other tools:"
"""Headings of a search."""

_ID = re.compile("DS[0-9]+", re.IGNORECASE)
_PART = re.compile(r'\["(?P<quoted>[^"]*)"\]|\[(?P<index>[0-9*]*)\]|[.]?(?P<word>[^.\[\]]+)')
_SENTENCE = re.compile(r".*?[.](?= |$)")


def explain_word(word: str) -> str:
    """The description of a key (`workers.slots`) or an id (`DS204`); for an empty word, all keys at the top.

    Raises UsageError with suggestions if it is neither.
    """
    return _explain_id(word.upper()) if _ID.fullmatch(word) else _explain_key(word)


def _explain_id(id_: str) -> str:
    if id_ not in RULES:
        raise UsageError(f"{id_} is not the id of a problem; dsgen explain --search WORD finds problems by their words")
    rule = RULES[id_]
    text = f"{id_}: {rule.title}\n\n{_wrap(rule.when)}\n{_wrap(f'What to do: {rule.remedy}')}"
    for what, example in (("A values file", rule.example), ("A dsgen.yaml", rule.settings)):
        if example:
            lines = example.removesuffix("\n").split("\n")
            text += f"\n{what} with this problem:\n\n" + "".join(f"    {replace_in_place(line)}\n" for line in lines)
    return text


def _explain_key(word: str) -> str:
    parts = _split_key(word)
    part, required = _expand(schema.load()), False
    for depth, key in enumerate(parts):
        below = _find_child(part, key)
        if below is None:
            raise UsageError(_explain_unknown(parts[:depth], key, part))
        part, required = below, key in part.get("required", ())
        if tuple(parts[: depth + 1]) == deepspeed.CONFIG:
            part |= _make_rule_schema({"types": ["object"], **load_table()}, ())  # of the newest version
    if not parts:
        return f"{_format_description(part)}{_format_children(part)}".replace("\n\n", "\n", 1)
    return f"{escape_text(word)}\n\n{_format_description(part)}{_format_facts(part, required)}{_format_children(part)}"


def _split_key(word: str) -> list[str]:
    """The keys of a path in the form that diagnostics have; `*` for any list item."""
    matches = list(_PART.finditer(word))
    if "".join(match[0] for match in matches) != word:
        raise UsageError(f"{word} is not a key: keys are written with dots, as in workers.slots")
    return [match["quoted"] or match["word"] or ANY for match in matches]


def _find_child(part: Schema, key: str) -> Schema | None:
    """The expanded schema under a key; None if there is no such key."""
    if key in part.get("properties", {}):
        return _expand(part["properties"][key])
    if "items" in part and (key == ANY or key.isdigit()):
        return _expand(part["items"])
    below = part.get("additionalProperties", ANYTHING if part.get("type") in (None, "object") else None)
    return _expand(below) if isinstance(below, dict) else None


def _expand(part: Schema) -> Schema:
    merged: Schema = {}
    for other in part.get("allOf", ()):
        merged |= _expand(other)
    if "$ref" in part:
        merged |= _expand(schema.resolve(part))
    if name := schema.find_kubernetes_type(part):
        merged["x-kubernetes"] = name
    return merged | {key: value for key, value in part.items() if key not in ("allOf", "$ref")} or ANYTHING


def _format_description(part: Schema) -> str:
    return _wrap(part["description"]) + "\n" if "description" in part else ""


def _format_facts(part: Schema, required: bool) -> str:
    if not schema.list_types(part):
        return ""
    is_map = isinstance(part.get("default"), dict) and part["default"]
    removes = ", but null removes an entry of the default" if is_map else ""
    facts = {
        "type": _describe_type(part),
        "values": ", ".join(json.dumps(word) for word in part.get("enum", ())),
        "range": _describe_range(part),
        "form": part.get("x-pattern", ""),
        "default": _describe_default(part, required),
        "example": " or ".join(json.dumps(example, ensure_ascii=False) for example in part.get("examples", ())),
        "null": "allowed, the same as absent" if schema.is_nullable(part) else f"not allowed{removes}",
    }
    lines = (_wrap(f"{key:9}{text}", " " * 9) for key, text in facts.items() if text)
    return "".join(textwrap.indent(line, "  ") for line in lines)


def _describe_type(part: Schema) -> str:
    words = " or ".join(schema.TYPE_WORDS[name] for name in schema.list_types(part) if name != "null")
    items = _expand(part["items"]) if "items" in part else {}
    if items and part["type"] == "array":
        return f"{words}; each item is {_describe_type(items)}"
    if part["type"] == "object" and "x-kubernetes" in part:
        return f"{words}: {part['x-kubernetes']} of the Kubernetes API"
    return words


def _describe_range(part: Schema) -> str:
    words = {
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "less than {}",
        "minLength": "not empty",
        "minItems": "not empty",
    }
    limits = [text.format(part[key]) for key, text in words.items() if key in part]
    if part.get("maxProperties") == 1:
        limits.append("exactly one of its keys")
    if "oneOf" in part:
        limits.append("exactly one of " + ", ".join(key for branch in part["oneOf"] for key in branch["required"]))
    return ", ".join(limits)


def _describe_default(part: Schema, required: bool) -> str:
    if "default" in part:
        return json.dumps(part["default"], ensure_ascii=False)
    if required:
        return "none; the key is required"
    return "" if schema.is_always_there(part) else "absent"


def _format_children(part: Schema) -> str:
    """The keys below, and those of each entry of a map with names of the user, or of each list item."""
    rows, below = _list_keys(part), part.get("additionalProperties")
    if isinstance(below, dict):
        form = _expand(part.get("propertyNames", {})).get("x-pattern")
        rows.append((ANY, f"a name that you choose{f': {form}' if form else ''}"))
    else:
        below = part.get("items")
    tables = {"Keys:": rows, "Keys of each:": _list_keys(_expand(below)) if below else []}
    return "".join(f"\n{_format_table(title, rows)}" for title, rows in tables.items() if rows)


def _list_keys(part: Schema) -> list[tuple[str, str]]:
    return [(key, _summarize(_expand(below))) for key, below in part.get("properties", {}).items()]


def _summarize(part: Schema) -> str:
    """One line: the first sentence of the description, or the type."""
    if sentence := _SENTENCE.match(part.get("description", "")):
        return sentence[0]
    return ", ".join(map(json.dumps, part["enum"])) if "enum" in part else _describe_type(part)


def _format_table(title: str, rows: list[tuple[str, str]]) -> str:
    width = max(len(key) for key, _ in rows) + 2
    lines = (_wrap(f"{key:{width}}{text}", " " * width) for key, text in rows)
    return f"{title}\n" + "".join(textwrap.indent(line, "  ") for line in lines)


def _wrap(text: str, margin: str = "") -> str:
    return textwrap.fill(text, WIDTH - 2, subsequent_indent=margin, break_on_hyphens=False) + "\n"


def _explain_unknown(above: list[str], key: str, part: Schema) -> str:
    """A message for an unknown key: with a similar key, otherwise keys of that name elsewhere, otherwise all keys."""
    where, known = ".".join(above) or "a values file", list(part.get("properties", {}))
    meant = [".".join(map(str, path)) for path in suggestions.guess_keys(key, tuple(above), part)]
    rest = did_you_mean(*meant[:3]) or list_possible(known, "keys")
    return f'"{key}" is not a key of {where}' + (f"; {rest}" if rest else "")


def _make_rule_schema(rule: Rule, path: KeyPath) -> Schema:
    """One key, with those that DeepSpeed no longer has; empty if its value may be anything."""
    described: Schema = {name: rule[name] for name in COPIED if name in rule}
    if types := rule.get("types"):
        described["type"] = types[0] if len(types) == 1 else types
    if "newName" in rule:
        described["description"] = f"An old name of {rule['newName']}."
    elif rule.get("auto"):
        described["description"] = '"auto" lets DeepSpeed choose.'
    if "keys" in rule:
        described["properties"] = {key: _make_rule_schema(below, (*path, key)) for key, below in rule["keys"].items()}
        described["properties"] |= {
            gone[-1]: {"description": f"{since}; {instead}." if instead else f"{since}."}
            for gone, (since, instead) in REMOVED.items()
            if gone[:-1] == path
        }
        described["additionalProperties"] = {} if rule.get("unknown") == "used" else False
    elif path[-1:] == ("params",):
        described["additionalProperties"] = PARAMETER
    return described


def search(words: str) -> Iterator[str]:
    """The entries that contain all of these words, ignoring case, as lines below headings."""
    wanted = words.lower().split()
    # A part of an id is no word: S3 is a storage.
    entries = ((row, f"{text if _ID.fullmatch(row[1]) else row[1]} {text}".lower()) for *row, text in _list_entries())
    rows = [row for row, text in entries if all(word in text or word == row[1].lower() for word in wanted)]
    text = (suggestions.ANYWHERE | suggestions.OTHER_VALUES).get(" ".join(wanted))
    rows += [[WORDS, words, f"use {text}"]] if text else []
    rows += _find_pages(wanted)
    width = max((len(name) for _, name, _ in rows), default=0) + 2
    before = ""
    for heading, name, line in rows:
        if heading != before:
            yield from ([""] if before else [])
            yield (before := heading)
        yield f"  {name:<{width}}{line}"


def _list_entries() -> Iterator[tuple[str, str, str, str]]:
    """Heading, name, the line after the name, and the text that is searched, too."""
    for path, rule in schema.walk_keys():
        name, text = ".".join("NAME" if part == "*" else part for part in path), str(rule.get("description", ""))
        yield KEYS, name, _cut_sentence(text), text
    for one in RULES.values():
        yield "Problems, for dsgen explain ID:", one.id, one.title, f"{one.title} {one.when} {one.remedy}"
    for reason in list_reasons():
        lines = explain_reason(reason)[2:]
        heading = "Reasons of a run's phase, for dsgen explain REASON:"
        yield heading, reason, _cut_sentence(lines[0]), " ".join(lines)
    for name in shipped.list_presets():
        summary = shipped.read_preset_summary(name)
        yield "Presets, for dsgen init --preset NAME:", name, summary, summary


def _find_pages(wanted: list[str]) -> Iterator[list[str]]:
    """The pages that contain all words, at most a few: those that have them in the title, then most often."""
    found = []
    for name in shipped.list_pages():
        title, text = shipped.read_page_title(name), shipped.read_page(name).lower()
        if name not in REFERENCES and all(word in text for word in wanted):
            in_title = sum(word in f"{name} {title}".lower() for word in wanted)
            found.append((-in_title, -sum(map(text.count, wanted)), ["Pages, for dsgen help PAGE:", name, title]))
    yield from (one for *_, one in sorted(found)[:MOST_PAGES])


def _cut_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")
