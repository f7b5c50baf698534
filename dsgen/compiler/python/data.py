"""Writes data as Python modules, which are loaded in a fraction of the time that JSON takes."""

from __future__ import annotations

import json
import pprint
from pathlib import Path
from typing import Any

from dsgen import deepspeed, schema
from dsgen.compiler.rules import rule_blocks
from dsgen.compiler.schema import expanded_schema, kubernetes_version
from dsgen.schema.violations import BELOW, VIOLATED

SCHEMA = '''\
"""The schema of the values, which dsgen/schema/access.py reads.

Written by `make generate` from dsgen/schema/values.json and kubernetes.json; changes are lost.
"""

KUBERNETES_VERSION = "{version}"
SCHEMA = \\
'''
DEFAULTS = '''\
"""The defaults of the values, in rules for dsgen/schema/default_values.py.

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
RULES = '''\
"""What `dsgen explain` says about each problem.

Written by `make generate` from the files of rules in the packages of dsgen; changes are lost.
"""

RULES = \\
'''
WIDTH = 120


ANNOTATIONS = frozenset({"$schema", "title", "description", "default", "examples"})
"""Keywords that refuse nothing; so do those that begin with `x-`."""


def schema_module() -> str:
    """The module of the schema. Raises ValueError for a keyword that dsgen/schema/violations.py does not know."""
    whole = expanded_schema()
    if unknown := unknown_keywords(whole):
        raise ValueError(f"dsgen/schema/violations.py does not know the keywords {', '.join(sorted(unknown))}")
    return SCHEMA.format(version=kubernetes_version()) + _literal(whole)


def unknown_keywords(part: Any) -> set[str]:
    """The keywords in a schema that neither refuse values in dsgen nor are annotations."""
    if not isinstance(part, dict):
        return set()
    parts = [part[one] for one in ("items", "additionalProperties", "propertyNames") if one in part]
    parts += [one for several in ("allOf", "oneOf") for one in part.get(several, ())]
    parts += [one for several in ("properties", "definitions") for one in part.get(several, {}).values()]
    known = {*VIOLATED, *BELOW, *ANNOTATIONS, "$ref", "definitions"}
    here = {keyword for keyword in part if keyword not in known and not keyword.startswith("x-")}
    return here.union(*map(unknown_keywords, parts))


def defaults_module() -> str:
    """The module of the defaults in the schema of the values."""
    whole = schema.load()
    rules = _rules(whole) | {"defaults": schema.defaults(whole)}
    return DEFAULTS + _literal(rules)


def deepspeed_module() -> str:
    """The module of keys.json, which tools/deepspeed_keys.py writes."""
    path = Path(deepspeed.__file__).with_name("keys.json")
    return DEEPSPEED + _literal(json.loads(path.read_text(encoding="utf-8")))


def rules_module() -> str:
    """The module of the rules, without their cases."""
    rules = {}
    for id_, one in rule_blocks().items():
        texts = {"title": one.title, "when": one.when, "remedy": one.remedy}
        texts |= {"example": one.values, "settings": one.settings}
        rules[id_] = {key: text for key, text in texts.items() if text}
    return RULES + _literal(rules)


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
