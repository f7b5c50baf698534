"""A complete Helm chart: compiled templates, values with their schema, scripts, and what belongs around them."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsgen import __version__, schema
from dsgen.compiler.checks import WARNINGS, checks_units
from dsgen.compiler.golang import CHART_NAME
from dsgen.compiler.program import Compiled, compile_units
from dsgen.compiler.source import Unit
from dsgen.compiler.values_file import values_file
from dsgen.language.environment import PACKAGE, TEMPLATES, environment
from dsgen.language.files import Files
from dsgen.language.text import quote
from dsgen.schema import published

STATIC = Path(__file__).with_name("static")
NOTES = "NOTES.txt"
DESCRIPTION = "One distributed DeepSpeed training job with workers, launcher, storage and a record of its runs"
MADE_BY = f"""
This chart was made by dsgen {__version__}. To a chart of another minor version upgrade with another run.id.
"""


def chart_files(values: Mapping[str, Any] | None = None, name: str = "deepspeed-job") -> dict[str, str]:
    """The text of every file of the chart, by its path.

    `values`: the complete tree of a job (Values.data), which becomes the chart's defaults; without it the schema's.
    `name`: the chart's, with which the names of its defines begin too.
    The same arguments give the same bytes.
    """
    compiled = compiled_templates()
    templates = {
        **{path.relative_to(STATIC).as_posix(): _read(path) for path in STATIC.rglob("*") if path.is_file()},
        **{f"templates/{path}": text for path, text in compiled.templates.items()},
    }
    files = {
        "Chart.yaml": chart_yaml(name),
        "values.yaml": values_file(values),
        "values.schema.json": published.as_json(published.for_chart()),
        **{path: text.replace(CHART_NAME, name) for path, text in templates.items()},
        **{path: _read(PACKAGE / path) for path in compiled.files},
    }
    return dict(sorted(files.items()))


@functools.cache
def compiled_templates() -> Compiled:
    """dsgen's own templates and checks as Go templates; the same for every chart but for its name."""
    jinja = environment()
    units = {name: Unit(name, _read(TEMPLATES / name)) for name in jinja.list_templates()}
    units |= checks_units()
    units[NOTES] = Unit(NOTES, units[NOTES].text + MADE_BY + WARNINGS)
    return compile_units(units, schema.load(), Files(PACKAGE).texts, jinja, free_units={NOTES, *checks_units()})


def chart_yaml(name: str) -> str:
    """Chart.yaml; the chart's version is dsgen's."""
    return f"""\
apiVersion: v2
name: {quote(name)}
description: {DESCRIPTION}
type: application
version: {__version__}
appVersion: {quote(__version__)}
kubeVersion: ">=1.29.0-0"
keywords:
  - deepspeed
  - distributed-training
"""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
