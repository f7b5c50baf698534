"""Writes data as Python modules, which are loaded in a fraction of the time that JSON takes.

The schema of the values is read from its source, values.json and kubernetes.json, with its records expanded.
Definitions hold what several records share: a key of a record may be a `$ref` with further keywords, which take
precedence, and `x-include` adds keys to a record.
"""

from __future__ import annotations

import json
import pprint
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsgen import deepspeed, schema
from dsgen.compiler.rules import rule_blocks
from dsgen.schema import DEFINITION, KUBERNETES_FILE, SCHEMA_FILE, Schema
from dsgen.schema.violations import BELOW, VIOLATED

SCHEMA = '''\
"""The schema of the values, which dsgen/schema/__init__.py reads.

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


def expanded_schema() -> Schema:
    """The schema of values.json, with the objects of kubernetes.json to which it refers as its definitions."""
    source, kubernetes = _read(SCHEMA_FILE), _read(KUBERNETES_FILE)
    definitions = source.pop("definitions") | kubernetes["definitions"]
    expanded = _expand(source, definitions)
    return expanded | {"definitions": _find_reached(expanded, definitions)}


def kubernetes_version() -> str:
    """The version of Kubernetes from which kubernetes.json was made, such as 1.34."""
    return str(_read(KUBERNETES_FILE)["version"]).rpartition(".")[0]


def _read(path: str) -> Schema:
    loaded: Schema = json.loads(Path(path).read_bytes())
    return loaded


def _expand(part: Schema, definitions: Schema) -> Schema:
    """A key of dsgen with its reference and its included keys expanded; objects of Kubernetes keep their references."""
    whole = dict(part)
    if "$ref" in whole:
        whole = definitions[whole.pop("$ref").removeprefix(DEFINITION)] | whole
    if "properties" in whole:
        included = definitions[whole.pop("x-include").removeprefix(DEFINITION)] if "x-include" in whole else {}
        keys = whole["properties"] | included.get("properties", {})
        whole["properties"] = {key: _expand(below, definitions) for key, below in keys.items()}
    below = whole.get("additionalProperties")
    if isinstance(below, dict) and "properties" in below:
        whole["additionalProperties"] = _expand(below, definitions)
    return whole


def _find_reached(part: Any, definitions: Schema) -> Schema:
    """The definitions to which a part refers, directly or through others, in their order."""
    reached: set[str] = set()
    waiting = [part]
    while waiting:
        names = {name.removeprefix(DEFINITION) for name in _references(waiting.pop())} - reached
        reached |= names
        waiting += (definitions[name] for name in names)
    return {name: definition for name, definition in definitions.items() if name in reached}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for below in part:
            yield from _references(below)
