"""The keys of DeepSpeed's configuration as a JSON schema, for `dsgen explain`."""

from __future__ import annotations

from dsgen.deepspeed.keys import REMOVED, Rule, table
from dsgen.problems.diagnostics import KeyPath
from dsgen.schema import Schema

PARAMETER: Schema = {"description": "A parameter of the class in type; dsgen checks its name and type."}
COPIED = ("enum", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


def build_schema() -> Schema:
    """The whole configuration of the newest version, and the keys that it no longer has."""
    return _of_rule({"types": ["object"], **table()}, ())


def _of_rule(rule: Rule, path: KeyPath) -> Schema:
    """One key; empty if its value may be anything."""
    schema: Schema = {name: rule[name] for name in COPIED if name in rule}
    if types := rule.get("types"):
        schema["type"] = types[0] if len(types) == 1 else types
    if text := _description(rule):
        schema["description"] = text
    if "keys" in rule:
        schema["properties"] = {key: _of_rule(below, (*path, key)) for key, below in rule["keys"].items()}
        schema["properties"] |= {gone[-1]: _removed(*words) for gone, words in REMOVED.items() if gone[:-1] == path}
        schema["additionalProperties"] = {} if rule.get("unknown") == "used" else False
    elif path[-1:] == ("params",):
        schema["additionalProperties"] = PARAMETER
    return schema


def _removed(since: str, instead: str) -> Schema:
    return {"description": f"{since}; {instead}." if instead else f"{since}."}


def _description(rule: Rule) -> str:
    if "newName" in rule:
        return f"An old name of {rule['newName']}."
    return '"auto" lets DeepSpeed choose.' if rule.get("auto") else ""
