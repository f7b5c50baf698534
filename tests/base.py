"""The base job of the tests, a values file without problems, and the cases of the rules, which change it.

Both stand beside the checks: dsgen/checks/base-job.yaml, and `example`, `wrong` and `right` of the files of rules.
"""

import json

import pytest
import yaml

from dsgen import values
from dsgen.compiler.rules import BASE, Case, read_rule_blocks
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from dsgen.values import Job

RULES = read_rule_blocks()
WRONG = [
    (id_, case)
    for id_, rule in RULES.items()
    for case in [*([yaml.safe_load(rule.example)] if rule.example and "DS200" < id_ < "DS900" else []), *rule.wrong]
]
"""Cases that have the problem of this id: the example of a check, and its further cases."""
RIGHT = [(id_, case) for id_, rule in RULES.items() for case in rule.right]
"""Cases that do not have the problem of this id."""


def job(case: Case | None = None, *flags: str) -> Job:
    """The base job with the values of a case and with --set-json flags, which the schema accepts."""
    sources = [
        SourceText("v.yaml", BASE),
        *([SourceText("case.yaml", json.dumps(case, ensure_ascii=False))] if case else []),
    ]
    loaded = values.load(sources, [Override("--set-json", flag) for flag in flags])
    assert loaded.values, loaded.diagnostics
    return loaded


def parameters(cases: list[tuple[str, Case]]) -> list[object]:
    """Parameters of tests, with the values of a case in the name of its test."""
    return [pytest.param(id_, case, id=f"{id_} {json.dumps(case):.150}") for id_, case in cases]
