"""Writes data as Python modules, which are loaded in a fraction of the time that JSON takes."""

from __future__ import annotations

import json
import pprint
from pathlib import Path
from typing import Any

from dsgen import deepspeed, schema

DEFAULTS = '''\
"""The defaults of the values, in rules for dsgen/schema/filling.py.

Written by `make generate` from dsgen/schema/values.json; changes are lost.
"""

RULES = \\
'''
DEEPSPEED = '''\
"""The keys of DeepSpeed's configuration.

Written by `make generate` from dsgen/deepspeed/keys.json; changes are lost.
"""

KEYS = \\
'''
WIDTH = 120


def defaults_module() -> str:
    """The module of the defaults in the schema of the values."""
    whole = schema.load()
    rules = _rules(whole) | {"defaults": schema.defaults(whole)}
    return DEFAULTS + _literal(rules)


def deepspeed_module() -> str:
    """The module of keys.json, which tools/deepspeed_keys.py writes."""
    path = Path(deepspeed.__file__).with_name("keys.json")
    return DEEPSPEED + _literal(json.loads(path.read_text(encoding="utf-8")))


def _literal(data: Any) -> str:
    return pprint.pformat(data, width=WIDTH, sort_dicts=False) + "\n"


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
