"""The keys of DeepSpeed's configuration in the form of a JSON schema, to say in words what each takes."""

from __future__ import annotations

from dsgen.deepspeed.keys import REMOVED, Rule, table
from dsgen.problems.diagnostics import Path
from dsgen.schema import Schema

PARAMETER: Schema = {"description": "A parameter of the class that type names; dsgen checks its name and type."}
COPIED = ("enum", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


def schema() -> Schema:
    """The whole configuration, of the newest version and with the keys that it has no more."""
    return _of_rule({"types": ["object"], **table()}, ())


def _of_rule(rule: Rule, path: Path) -> Schema:
    """One key; empty for one that may be anything."""
    found: Schema = {name: rule[name] for name in COPIED if name in rule}
    if types := rule.get("types"):
        found["type"] = types[0] if len(types) == 1 else types
    if text := _description(rule):
        found["description"] = text
    if "keys" in rule:
        found["properties"] = {key: _of_rule(below, (*path, key)) for key, below in rule["keys"].items()}
        found["properties"] |= {gone[-1]: _removed(*told) for gone, told in REMOVED.items() if gone[:-1] == path}
        found["additionalProperties"] = {} if rule.get("unknown") == "used" else False
    elif path[-1:] == ("params",):
        found["additionalProperties"] = PARAMETER
    return found


def _removed(since: str, instead: str) -> Schema:
    return {"description": f"{since}; {instead}." if instead else f"{since}."}


def _description(rule: Rule) -> str:
    if "newName" in rule:
        return f"An old name of {rule['newName']}."
    return 'DeepSpeed chooses where it is "auto".' if rule.get("auto") else ""
