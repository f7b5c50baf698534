"""Flat manifests and chart have the same objects, for every values file, with Helm 4 and Helm 3."""

import itertools
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsgen.catalogue import TEMPLATES
from dsgen.compiler import make_chart_files
from dsgen.reading.nodes import SourceText
from dsgen.render import render
from tests.fuzz import verdicts
from tests.helm import MAJORS, helm, run_helm
from tests.parity import (
    RELEASE,
    bare_chart,
    batch_objects,
    flat_objects,
    helm_installed,
    helm_objects,
    jinja_difference,
    load,
    with_scripts,
    without_scripts,
    write_chart,
)

ROOT = Path(__file__).parent.parent
FILES = [*sorted(ROOT.glob("values-examples/*.yaml")), *sorted(ROOT.glob("tests/cases/valid/*.yaml"))]

majors = pytest.mark.parametrize("major", MAJORS)
files = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")


@files
def test_python_writes_what_jinja_does(file: Path) -> None:
    assert "" == jinja_difference(file.read_text())


@majors
def test_objects_are_the_same(major: int, tmp_path: Path) -> None:
    """All files in one run of Helm, each as the values of a chart of its own."""
    texts = [file.read_text() for file in FILES]
    charts = dict(zip(FILES, batch_objects(major, tmp_path, [_below(text) for text in texts]), strict=True))

    assert [] == [file.stem for file, text in zip(FILES, texts, strict=True) if flat_objects(text) != charts[file]]


def _below(text: str) -> str:
    """A values file as the value of a key, line by line."""
    return "\n" + textwrap.indent(text, "  ")


@pytest.mark.parametrize(
    ("file", "major"),
    list(zip(FILES, itertools.cycle(MAJORS), strict=False)),
    ids=lambda one: getattr(one, "stem", None),
)
def test_chart_of_a_file_holds_its_values(file: Path, major: int, tmp_path: Path) -> None:
    """The chart with the values of the file as its defaults, installed without more values; by each major in turn."""
    chart = write_chart(tmp_path, without_scripts(make_chart_files(load(file.read_text()), "own-name")))

    assert flat_objects(file.read_text()) == with_scripts(helm_installed(major, chart))


@files
def test_values_of_a_chart_read_back(file: Path) -> None:
    """values.yaml of the chart means what the file means."""
    tree = load(file.read_text())

    assert tree == load(make_chart_files(tree)["values.yaml"])


def with_all_templates() -> Iterator[Path]:
    """As many of the files as it takes to render each template."""
    missing = {template.path for template in TEMPLATES}
    for file in FILES:
        rendered = {document.template for document in render(load(file.read_text()), RELEASE)}
        if missing & rendered:
            missing -= rendered
            yield file
    assert not missing


@majors
def test_lint_is_clean(major: int, tmp_path: Path) -> None:
    files = with_all_templates()
    charts = [write_chart(tmp_path / file.stem, make_chart_files(load(file.read_text()))) for file in files]
    charts.append(bare_chart())

    result = run_helm(helm(major), "lint", "--strict", *charts)

    assert (0, True) == (result.returncode, f"{len(charts)} chart(s) linted, 0 chart(s) failed" in result.stdout)
    assert not re.search(r"^\[(INFO|WARNING|ERROR)\]", result.stdout, re.MULTILINE), result.stdout


# Some good values and some that are refused by the schema or by the checks.
VALUES = (
    "{image: {repository: r/x}, training: {python: a}, workers: {accelerator: {count: null}}}",
    "{image: {repository: r/x}, training: {module: a}, global: {a: null, b: [null]}, labels: {a: b}}",
    *("{workers: null}", "{workers: {slots: null}}", "{training: {env: {A: null}}}", "{storage: {a: null}}"),
    *("{storage: {a: {mountPath: null}}}", "{workers: {tolerations: [null]}}", "{labels: {a: null}}", "{image: }"),
    *(
        "{workers: {tolerations: [{key: null}]}}",
        "{training: {deepspeed: {config: {a: null}}}}",
        "{training: {args: }}",
    ),
    "{}",
    "{image: {repository: r/x}, training: {python: a, module: b}}",
    "{workers: {slots: 4, accelerator: {count: 2}, replicas: 100}, name: " + "x" * 52 + "}",
    '{storage: {a: {mountPath: /job/x}, b: {mountPath: /dev/shm, create: {}, nfs: {server: "s{{", path: /}}}}',
    "{training: {env: {RANK: '1', DSGEN_X: '2'}}, labels: {dsgen.dev/x: a}, ssh: {secret: {name: x}}}",
)
CONTENTS = [text.encode() for text in VALUES]
CONTENTS += [path.read_bytes() for path in (*FILES[::5], *sorted(ROOT.glob("tests/cases/invalid/*.yaml")))]
EVERY = 25
"""Of so many files one is given to Helm alone."""


@majors
def test_verdicts_are_the_same(major: int) -> None:
    """The chart accepts what dsgen accepts, and refuses with the same words, all problems at once."""
    texts = [SourceText.from_bytes("v.yaml", content).text for content in CONTENTS]
    theirs = verdicts.helms_of_files(major, texts, EVERY)
    differences = dict(zip(CONTENTS, map(verdicts.agreement, texts, theirs), strict=True))

    assert {} == {content: verdict for content, verdict in differences.items() if verdict == "DIFFERENT"}
    counts = Counter(differences.values())
    assert min(counts[f"same: {kind}"] for kind in ("accepted", "schema", "checks")) >= 5, counts


@majors
def test_flags_of_helm(major: int) -> None:
    """`--set` gives Helm integers where a file gives it floating-point numbers; the objects are the same."""
    flags = ["image.repository=r/x", "training.python=t.py", "workers.replicas=3", "lifecycle.maxRestarts=1000"]
    text = (
        "{image: {repository: r/x}, training: {python: t.py}, workers: {replicas: 3}, lifecycle: {maxRestarts: 1000}}"
    )

    assert flat_objects(text) == helm_objects(major, bare_chart(), *(f"--set={flag}" for flag in flags))
