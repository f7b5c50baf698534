"""The decisions: each has a status and a date, and the list has a line for each number."""

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


def test_the_list_has_a_line_for_each_number() -> None:
    numbers = [int(number) for number in re.findall(r"^\| \[?(\d{4})\b", LIST, re.MULTILINE)]

    assert [*range(1, len(numbers) + 1)] == sorted(numbers)


def test_a_removed_decision_has_no_page() -> None:
    removed = re.findall(r"^\| (\d{4}) \|", LIST.partition("\n## Removed\n")[2], re.MULTILINE)

    assert "0037" in removed
    assert [] == [path.name for path in PAGES if path.name[:4] in removed]
