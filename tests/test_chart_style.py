"""The templates of the chart read as a reviewer of charts expects, and what they render is tidy."""

from pathlib import Path

import pytest
from yamllint import linter
from yamllint.config import YamlLintConfig

from tests.helm import MAJORS, helm, helm_template
from tools.chart_figures import figures
from tools.docs import ROOT

pytestmark = pytest.mark.by_turns

LINT = YamlLintConfig((ROOT / ".yamllint").read_text())
FILES = [
    *sorted((ROOT / "values-examples").glob("*.yaml")),
    *sorted((ROOT / "tests" / "cases" / "valid").glob("*.yaml")),
]


@pytest.mark.parametrize("kind", ["objects", "helpers", "checks", "notes"])
def test_lines_are_short_and_no_action_prints_a_constant(kind: str) -> None:
    found = figures(kind)

    assert found.files
    assert (0, 0) == (found.long, found.constants)


@pytest.mark.parametrize(("kind", "most"), [("objects", 0.46), ("helpers", 0.60), ("checks", 0.61)])
def test_there_is_more_text_than_actions(kind: str, most: float) -> None:
    assert most > figures(kind).density


def test_an_object_has_one_context() -> None:
    assert 0 == figures("objects").written_out


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_what_the_chart_renders_is_tidy(file: Path, major: int) -> None:
    """With `yamllint --strict`, a warning fails as well."""
    rendered = helm_template(helm(major), ROOT / "charts" / "deepspeed-job", "--values", file)

    assert "kind: Job" in rendered
    assert [] == [str(problem) for problem in linter.run(rendered, LINT)]
