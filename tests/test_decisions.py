"""The decisions: each has a status and a date, and the list has each once."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("0*.md"))
LIST = (FOLDER / "README.md").read_text(encoding="utf-8")
STATUS = re.compile(r"# (\d{4}): [^\n]+\n\nStatus: (accepted|replaced by \[\d{4}\]\(\S+\)), 20\d\d-\d\d-\d\d\.\n\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_decision_has_a_status_and_a_date(page: Path) -> None:
    found = STATUS.match(page.read_text(encoding="utf-8"))

    assert found, "the lines after the title are empty, `Status: accepted, YEAR-MONTH-DAY.` and empty"
    assert page.name.startswith(f"{found[1]}-")


def test_the_list_has_each_decision_once() -> None:
    assert [page.name for page in PAGES] == re.findall(r"^- \[\d{4}\]\((0[^)]+)\)", LIST, re.MULTILINE)
