"""Writes the defaults of the schema as a Python module, so that dsgen does not read the schema for them."""

from __future__ import annotations

import pprint
from typing import Any

from dsgen import schema

HEAD = '''\
"""The defaults of the values, in rules for dsgen/schema/filling.py.

Written by `make generate` from dsgen/schema/values.json; changes are lost.
"""

RULES = \\
'''
WIDTH = 120


def defaults_module() -> str:
    """The module, for the schema of the values."""
    whole = schema.load()
    rules = _rules(whole) | {"defaults": schema.defaults(whole)}
    return HEAD + pprint.pformat(rules, width=WIDTH, sort_dicts=False) + "\n"


def _rules(part: schema.Schema) -> dict[str, Any]:
    """The rules of a record or a map of records; empty for any other part."""
    if schema.is_record(part):
        below = {key: rules for key, inner in part["properties"].items() if (rules := _rules(inner))}
        return {"below": below} if schema.is_always_there(part) else {"defaults": schema.defaults(part), "below": below}
    each = part.get("additionalProperties")
    if not isinstance(each, dict):
        return {}
    one = schema.resolve(each)
    rules = _rules(one)
    if rules and schema.is_record(one):
        rules |= {"defaults": schema.defaults(one)}
    return {"each": rules} if rules else {}
