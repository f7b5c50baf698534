"""Each bar notices what it is there to notice: a mistake in the real templates, schema or output turns it red.

The bars: flat manifests equal the chart's (tests/fuzz/manifests.py); both refuse the same values (verdicts.py); what is
said of a spoilt file is in its place (broken.py). That of the API server needs one, and so do its mistakes
(tests/e2e/test_admission.py).
"""

import tempfile
from collections import Counter
from pathlib import Path

import pytest

from dsgen.compiler import make_chart_files
from dsgen.problems import Position
from tests.fuzz import broken, manifests, verdicts
from tests.fuzz.__main__ import judged
from tests.helm import MAJORS

pytestmark = pytest.mark.slow

JOB = "{image: {repository: r/x, tag: v1}, training: {python: t.py}"
SPOILT_FILES = 150

# Name, file of the chart, what it says, what it says after the mistake, more values that show it.
MISTAKES = {
    "a dropped default": ("values.yaml", "  masterPort: 29500\n", "", ""),
    "protect: false is not looked at": (
        "templates/_metadata.tpl",
        'if dig "protect" true .create',
        "if true",
        "storage: {a: {mountPath: /a, create: {protect: false}}}",
    ),
    "a number printed as 1e+06": (
        "templates/config/configmap.yaml",
        "{{ int64 $lifecycle.activeDeadlineSeconds }}",
        "{{ $lifecycle.activeDeadlineSeconds }}",
        "lifecycle: {activeDeadlineSeconds: 1000000}",
    ),
}


def spoil(monkeypatch: pytest.MonkeyPatch, path: str, old: str, new: str) -> None:
    """Makes the tests take a chart with a mistake for dsgen's."""
    files = make_chart_files()
    assert old in files[path], f"{path} does not say {old!r} any more"
    spoilt = {**files, path: files[path].replace(old, new)}
    monkeypatch.setattr("tests.parity.make_chart_files", lambda: spoilt)
    verdicts.chart.cache_clear()


@pytest.fixture(autouse=True)
def _fresh_charts() -> None:
    """No test keeps the chart of another."""
    verdicts.chart.cache_clear()


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_flat_manifests_and_chart_differ(mistake: str, major: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path, old, new, more = MISTAKES[mistake]
    text = f"{JOB}, {more}}}\n"
    before = manifests.different(major, [text])
    spoil(monkeypatch, path, old, new)

    assert ([False], [True]) == (before, manifests.different(major, [text]))


@pytest.mark.parametrize(
    ("path", "old", "new", "text"),
    [
        ("values.schema.json", '"maximum": 1000}', '"maximum": 1001}', f"{JOB}, lifecycle: {{maxRestarts: 1001}}}}"),
        ("templates/_invariants.tpl", "if not .Values.image.repository", "if false", "{training: {python: a}}"),
    ],
)
def test_verdicts_differ(path: str, old: str, new: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdicts.agreement(text, verdicts.helms(4, [text])[0])
    spoil(monkeypatch, path, old, new)

    assert before != "DIFFERENT" == verdicts.agreement(text, verdicts.helms(4, [text])[0])


def first_places(count: int) -> Counter[str]:
    """Where the first diagnostic of spoilt files stands."""
    with tempfile.TemporaryDirectory() as folder:
        return Counter(broken.where(case, broken.answer(case, Path(folder))) for case in broken.cases(count, 5))


def test_places_are_wrong_when_they_are_of_the_line_below(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judged(broken, first_places(SPOILT_FILES))
    monkeypatch.setattr(
        "dsgen.reading.yaml_reader._YamlReader._make_position", lambda self, mark: Position(self.name, mark.line + 2, 1)
    )

    assert (0, 1) == (before, judged(broken, first_places(SPOILT_FILES)))
