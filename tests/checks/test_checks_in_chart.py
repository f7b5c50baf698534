"""The chart reports the same problems as dsgen for every case of the checks, with both Helm majors."""

import base64
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsgen import checks, values
from dsgen.compiler import make_chart_files
from dsgen.compiler.rules import Case
from tests.base import IN_CHART, RIGHT, job
from tests.helm import MAJORS
from tests.parity import RELEASE, bare_chart, check_lines, dump, helm_run, write_chart

BOTH = {row.id for row in checks.CHECKS if row.worlds == "both"}
KINDS = ("error", "warning")
PRINTER = """\
{{- range $number, $values := .Values.cases }}
{{- $job := dict "Values" $values "Release" $.Release }}
# {{ $number }}
# {{ include "deepspeed-job.allProblems" $job | b64enc }}.
# {{ include "deepspeed-job.allWarnings" $job | b64enc }}.
{{- end }}
"""
"""In place of the objects: what the checks would say about the values of each case, errors first.

How Helm lays values over the defaults is compared elsewhere (tests/test_parity.py, tests/fuzz/verdicts.py).
"""


MOST = 4
"""Cases of one id; tests/checks/test_checks.py has all."""


def _of_each_id() -> Iterator[Case]:
    for _, cases in itertools.groupby(IN_CHART, lambda one: one[0]):
        yield from (case for _, case in itertools.islice(cases, MOST))


CASES = [*_of_each_id(), *(case for _, case in RIGHT)]


def ours(case: Case) -> tuple[list[str], list[str]]:
    """Errors and warnings of the rows that a chart has, each with its id."""
    problems = [one for one in values.check(job(case), RELEASE) if one.id in BOTH]
    lines = {kind: [f"{one.message} [{one.id}]" for one in problems if one.severity == kind] for kind in KINDS}
    return sorted(lines["error"]), sorted(lines["warning"])


@pytest.mark.parametrize("major", MAJORS)
def test_the_chart_says_the_same(major: int, tmp_path: Path) -> None:
    files = {path: text for path, text in make_chart_files().items() if path.endswith((".tpl", "Chart.yaml"))}
    chart = write_chart(tmp_path, {**files, "templates/checks.yaml": PRINTER})
    file = tmp_path / "cases.yaml"
    file.write_text(f"cases: {dump([job(case).data for case in CASES])}\n")

    result = helm_run(major, chart, "--values", file)

    assert result.returncode == 0, result.stderr[:3000]
    said = re.findall(r"^# (\d+)\n# (\S*)[.]\n# (\S*)[.]$", result.stdout, re.MULTILINE)
    theirs = {
        int(number): tuple(check_lines(base64.b64decode(part).decode()) for part in both) for number, *both in said
    }
    assert {number: ours(case) for number, case in enumerate(CASES)} == theirs


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
    files = make_chart_files()
    chart = write_chart(tmp_path / "chart", {**files, "templates/shown.txt": files["templates/NOTES.txt"]})
    file = tmp_path / "values.yaml"
    file.write_text('image: {repository: r/x}\ntraining: {python: a, env: {A: "/x:$PATH"}}\n')

    notes = helm_run(major, chart, "--values", file, "--debug").stdout

    warnings = notes.partition("Warnings:\n")[2]
    assert ["DS222", "DS250"] == sorted(re.findall(r"\[(DS\d{3})\]$", warnings, re.MULTILINE))
