"""Plain Helm says what dsgen says: every case of the checks, errors and warnings, in the chart and with both majors."""

import base64
import re
from pathlib import Path

import pytest

from dsgen import checks, values
from dsgen.compiler import chart_files
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from tests.check_cases import FINE, FLAT, GOOD, WRONG
from tests.helm import MAJORS
from tests.parity import RELEASE, bare_chart, batch_run, check_lines, dump, helm_run

BOTH = {row.id for row in checks.CHECKS if row.worlds == "both"}
KINDS = ("error", "warning")
LARGE = ("DS253", "DS257", "DS258")
PRINTER = """\
# {{ include "deepspeed-job.allProblems" . | b64enc }}.
# {{ include "deepspeed-job.allWarnings" . | b64enc }}.
"""
"""In place of the objects: what the checks would say, errors first."""


MOST = 4
"""Cases of one id; the unit tests have all."""


def _same_before(number: int) -> int:
    return sum(id_ == WRONG[number][0] for id_, _ in WRONG[:number])


def loaded(sets: tuple[str, ...]) -> values.Job:
    found = values.load([SourceText("v.yaml", GOOD)], [Override("--set-json", one) for one in sets])
    assert found.values, found.diagnostics
    return found


CASES = [
    *(
        sets
        for number, (id_, sets) in enumerate(WRONG)
        if (id_, sets) not in FLAT and id_ not in LARGE and _same_before(number) < MOST
    ),
    *FINE,
]


def ours(sets: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Errors and warnings of the rows that a chart has, each with its id."""
    found = [one for one in values.check(loaded(sets), RELEASE) if one.id in BOTH]
    lines = {kind: [f"{one.message} [{one.id}]" for one in found if one.severity == kind] for kind in KINDS}
    return sorted(lines["error"]), sorted(lines["warning"])


@pytest.mark.parametrize("major", MAJORS)
def test_the_chart_says_the_same(major: int, tmp_path: Path) -> None:
    texts = [dump(loaded(sets).root.data()) for sets in CASES]
    files = {path: text for path, text in chart_files().items() if path.endswith((".tpl", ".json", "values.yaml"))}
    files |= {"Chart.yaml": chart_files()["Chart.yaml"], "templates/checks.yaml": PRINTER}

    result = batch_run(major, tmp_path, texts, files)

    assert result.returncode == 0, result.stderr[:3000]
    said = re.findall(r"^# Source: parent/charts/c(\d{4})/\S+\n# (\S*)[.]\n# (\S*)[.]$", result.stdout, re.MULTILINE)
    theirs = {
        int(number): tuple(check_lines(base64.b64decode(part).decode()) for part in both) for number, *both in said
    }
    assert {number: ours(sets) for number, sets in enumerate(CASES)} == theirs


@pytest.mark.parametrize("major", MAJORS)
def test_all_problems_are_told_at_once(major: int, tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(
        "image: {}\nworkers: {slots: 4, accelerator: {count: 2}, spread: required, affinity: {podAntiAffinity: {}},"
        " securityContext: {privileged: true}}\nscheduling: {launcherQueue: a}\n"
        "storage: {a: {}, b: {mountPath: /etc}}\n"
    )

    result = helm_run(major, bare_chart(), "--values", file)

    ids = ["DS201", "DS202", "DS206", "DS210", "DS210", "DS212", "DS237", "DS301", "DS321", "DS362"]
    assert ids == sorted(re.findall(r"\[(DS\d{3})\]$", result.stderr, re.MULTILINE))


@pytest.mark.parametrize("major", MAJORS)
def test_warnings_stand_at_the_end_of_the_notes(major: int, tmp_path: Path) -> None:
    files = chart_files()
    shown = {"templates/shown.txt": files["templates/NOTES.txt"]}
    file = tmp_path / "values.yaml"
    file.write_text('image: {repository: r/x}\ntraining: {python: a, env: {A: "/x:$PATH"}}\n')
    for path, text in {**files, **shown}.items():
        (tmp_path / "chart" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "chart" / path).write_text(text)

    notes = helm_run(major, tmp_path / "chart", "--values", file, "--debug").stdout

    warnings = notes.partition("Warnings:\n")[2]
    assert ["DS222", "DS250"] == sorted(re.findall(r"\[(DS\d{3})\]$", warnings, re.MULTILINE))
