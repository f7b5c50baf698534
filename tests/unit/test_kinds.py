"""Every problem that dsgen can report has one record, and every record belongs to a problem."""

import re
from pathlib import Path

import pytest

from dsgen.checks import CHECKS, FUNCTIONS
from dsgen.problems import kinds
from dsgen.problems.kinds import KINDS

PACKAGE = Path(__file__).parent.parent.parent / "dsgen"
RECORDS = PACKAGE / "problems" / "kinds"


def test_every_id_that_is_used_has_a_record_and_the_other_way_round() -> None:
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.glob("compiler/chart/*.yaml")]
    texts = [path.read_text(encoding="utf-8") for path in files if RECORDS not in path.parents]
    used = {id_ for text in texts for id_ in re.findall(r"\bDS\d{3}\b", text)}

    assert used == KINDS.keys()


def test_every_id_of_a_row_and_of_a_function_has_a_record() -> None:
    ids = {row.id for row in CHECKS} | {id_ for function in FUNCTIONS for id_ in function.looks_at}

    assert set() == ids - KINDS.keys()


@pytest.mark.parametrize("module", ["ds000", "ds100", "ds200", "ds300", "ds900"])
def test_a_record_stands_in_the_module_of_its_hundred_and_in_order(module: str) -> None:
    ids = [kind.id for kind in getattr(kinds, module).KINDS]

    assert sorted(set(ids)) == ids
    assert {module[2]} == {id_[2] for id_ in ids}


@pytest.mark.parametrize("id_", KINDS)
def test_a_record_is_complete(id_: str) -> None:
    kind = KINDS[id_]

    assert kind.title
    assert not kind.title.endswith(".")
    assert kind.when.endswith(".")
    assert kind.remedy.endswith(".")
