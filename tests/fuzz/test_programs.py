"""The programs of `make fuzz`, each with a few cases, detect the differences for which they exist."""

import pytest

from tests.fuzz import verdicts
from tests.fuzz.__main__ import PROGRAMS, main
from tests.helm import MAJORS

pytestmark = pytest.mark.slow

COUNTS = {"reading": 300, "manifests": 12, "verdicts": 130, "broken": 100, "importing": 40}
"""As a rule enough for each kind below to come five times; `make fuzz` takes hundreds of times as many."""
TURNS = 4
"""How often the count is doubled at most until each kind came five times."""
KINDS = {
    "reading": ("Helm {}: equal", "Helm {}: refused"),
    "manifests": ("Helm {}: equal",),
    "verdicts": ("Helm {}: same: accepted", "Helm {}: same: checks", "Helm {}: same: schema"),
    "broken": ("accepted: value misspelt", "in the line: key misspelt", "in the line: indentation"),
    "importing": ("converted", "refused"),
}


@pytest.mark.by_turns("name")
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_difference_is_found(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {kind.format(major) for major in MAJORS for kind in KINDS[name]}
    seldom = expected
    for doubled in range(TURNS):  # a new key changes what seed 0 generates
        count = COUNTS[name] << doubled
        code = main([name, "--count", str(count)])

        printed = capsys.readouterr()
        assert (0, "") == (code, printed.err), printed.out
        assert printed.out.startswith(f"{name}: {count} cases with seed 0 in ")
        figures = [line.strip().split(" ", 1) for line in printed.out.splitlines()[1:]]
        seldom = expected - {verdict for number, verdict in figures if number.isdigit() and int(number) >= 5}
        if not seldom:
            break
    assert set() == seldom


@pytest.mark.parametrize("major", MAJORS)
def test_a_chart_is_found_behind_a_message_without_a_line_end(major: int) -> None:
    """Helm 3 ends the message about a key that it cannot read without a line end; the next chart's name follows it."""
    image = '"image": {"repository": "r/x"}'
    texts = [f'{{{image}, "labels": {{"<<": "a"}}}}', f'{{{image}, "workers": {{"slots": "x"}}}}', f"{{{image}}}"]

    assert [verdicts.SCHEMA, verdicts.SCHEMA] == verdicts.helms(major, texts)[:2]
