"""Each bar notices what it is there to notice: a mistake in the real templates, schema or output turns it red.

The bars: flat manifests equal the chart's (tests/fuzz/manifests.py); both refuse the same values (verdicts.py); what is
said of a spoilt file is true and in its place (broken.py); the bytes of a run stay (tests/contract). That of the API
server needs one, and so do its mistakes (tests/e2e/test_admission.py).
"""

import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from dsgen.compiler import make_chart_files
from dsgen.generated import manifests as generated
from dsgen.problems import Position
from tests.contract import golden
from tests.fuzz import broken, manifests, verdicts
from tests.fuzz.__main__ import judged
from tests.helm import MAJORS

pytestmark = pytest.mark.slow

JOB = "{image: {repository: r/x, tag: v1}, training: {python: t.py}"
SPOILT_FILES = 150

# Name, file of the chart, what it says, what it says after the mistake, more values that show it.
MISTAKES = {
    "a dropped default": ("values.yaml", "  masterPort: 29500\n", "", ""),
    "another default below a key of the user's": (
        "templates/_metadata.tpl",
        'dig "protect" true .create',
        'dig "protect" false .create',
        "storage: {a: {mountPath: /a, create: {}}}",
    ),
    "protect: false is not looked at": (
        "templates/_metadata.tpl",
        'if dig "protect" true .create',
        "if true",
        "storage: {a: {mountPath: /a, create: {protect: false}}}",
    ),
    "a privileged pod": (
        "templates/workers/job.yaml",
        "          securityContext:\n",
        "          securityContext:\n            privileged: true\n",
        "",
    ),
    "swapped lines of the hostfile": (
        "templates/config/configmap.yaml",
        "{{ $name }}-worker-{{ $index }}.",
        "{{ $name }}-worker-{{ sub 1 $index }}.",
        "workers: {replicas: 2}",
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
    ("template", "old", "new"),
    [
        ("launcher/job.yaml", "backoffLimit: 3", "backoffLimit: 4"),
        ("config/configmap.yaml", "slots=4", "slots=4.0"),
        ("network/service.yaml", "clusterIP: None\n", "clusterIP: None"),
    ],
)
def test_python_and_jinja_differ(template: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{JOB}, workers: {{slots: 4}}}}\n"
    write = generated.TEMPLATES[template]
    before = manifests.compare([text])
    monkeypatch.setitem(generated.TEMPLATES, template, lambda *given: write(*given).replace(old, new))

    figures, differences = manifests.compare([text])

    assert [] == before[1]
    assert (1, True) == (figures["Jinja2: DIFFERENT"], differences[0].startswith("Jinja2: {image"))


@pytest.mark.parametrize(
    ("path", "old", "new", "text"),
    [
        ("values.schema.json", '"maximum": 1000}', '"maximum": 1001}', f"{JOB}, lifecycle: {{maxRestarts: 1001}}}}"),
        ("values.yaml", "  masterPort: 29500\n", "", f"{JOB}}}"),
        ("templates/_invariants.tpl", "repository is required", "is required", "{training: {python: a}}"),
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


def test_places_are_wrong_without_the_guesses_at_syntax_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judged(broken, first_places(SPOILT_FILES))
    monkeypatch.setattr("dsgen.reading.yaml_errors.GUESSES", ())

    assert (0, 1) == (before, judged(broken, first_places(SPOILT_FILES)))


def test_places_are_wrong_when_they_are_of_the_line_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "dsgen.reading.yaml_reader._YamlReader._make_position", lambda self, mark: Position(self.name, mark.line + 2, 1)
    )

    assert 1 == judged(broken, first_places(SPOILT_FILES))


SAID = "v.yaml:2:1: error: no [DS101]\n"


@pytest.mark.parametrize(
    ("answer", "accepted", "expected"),
    [
        (broken.Answer(0, "", 9), True, ""),
        (broken.Answer(1, SAID, 0), False, ""),
        (broken.Answer(1, SAID.replace("DS101", "DS004"), 0), True, ""),
        (broken.Answer(3, "dsgen: internal error", 0), False, "exit 3"),
        (broken.Answer(1, SAID, 2), False, "exit 1 and 2 files"),
        (broken.Answer(0, "", 0), True, "exit 0 and 0 files"),
        (broken.Answer(0, "", 9), False, "Helm refuses it"),
        (broken.Answer(1, SAID, 0), True, "Helm accepts it"),
        (broken.Answer(1, "error: somewhere\n", 0), False, "a diagnostic without a place"),
    ],
)
def test_a_wrong_answer_to_a_spoilt_file_is_noticed(answer: broken.Answer, accepted: bool, expected: str) -> None:
    assert expected == broken.problem(answer, accepted)[: len(expected)]
    assert bool(expected) == bool(broken.problem(answer, accepted))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("contract-1-worker-0.contract-1 slots=4\n    contract-1-worker-1", "contract-1-worker-1"),
        ('activeDeadlineSeconds": 172800', 'activeDeadlineSeconds": 1.728e+05'),
        ("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"),
    ],
)
def test_other_bytes_of_a_run_break_the_contract(old: str, new: str) -> None:
    released = (golden.GOLDEN / "run.yaml").read_text(encoding="utf-8")

    assert released == golden.present()["run.yaml"] != released.replace(old, new)


@pytest.mark.parametrize("program", [manifests, verdicts, broken], ids=lambda program: program.__name__)
def test_the_same_seed_gives_the_same_cases(program: ModuleType) -> None:
    assert list(program.cases(3, 7)) == list(program.cases(3, 7)) != list(program.cases(3, 8))
