"""The templates of the chart read as a reviewer of charts expects, and what they render is tidy."""

import itertools
from pathlib import Path

import pytest
from yamllint import linter
from yamllint.config import YamlLintConfig

from dsgen.compiler import make_chart_files
from tests.helm import MAJORS, helm, helm_template
from tests.parity import without_scripts, write_chart
from tools.chart_figures import figures
from tools.docs import ROOT

pytestmark = pytest.mark.slow

LINT = YamlLintConfig((ROOT / ".yamllint").read_text())
FILES = [
    *sorted((ROOT / "values-examples").glob("*.yaml")),
    *sorted((ROOT / "tests" / "cases" / "valid").glob("*.yaml")),
]


@pytest.mark.parametrize("kind", ["objects", "helpers", "notes"])
def test_lines_are_short_and_no_action_prints_a_constant(kind: str) -> None:
    found = figures(kind)

    assert found.files
    assert (0, 0) == (found.long, found.constants)


@pytest.mark.parametrize(("kind", "most"), [("objects", 0.52), ("helpers", 0.63)])
def test_there_is_more_text_than_actions(kind: str, most: float) -> None:
    assert most > figures(kind).density


def test_an_object_has_one_context() -> None:
    assert 0 == figures("objects").written_out


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart without the scripts, which are the same for all values."""
    return write_chart(tmp_path_factory.mktemp("chart"), without_scripts(make_chart_files()))


@pytest.mark.parametrize("major", MAJORS)
def test_what_the_chart_renders_with_scripts_is_tidy(major: int) -> None:
    test_what_the_chart_renders_is_tidy(FILES[0], major, ROOT / "charts" / "deepspeed-job")


@pytest.mark.parametrize(
    ("file", "major"),
    list(zip(FILES, itertools.cycle(MAJORS), strict=False)),
    ids=lambda one: getattr(one, "stem", None),
)
def test_what_the_chart_renders_is_tidy(file: Path, major: int, chart: Path) -> None:
    """With `yamllint --strict`, a warning fails as well; by each major of Helm in turn."""
    rendered = helm_template(helm(major), chart, "--values", file)

    assert "kind: Job" in rendered
    assert [] == [str(problem) for problem in linter.run(rendered, LINT)]
