"""A complete Helm chart: compiled templates, values with their schema, scripts, metadata."""

import base64
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsgen import __version__, schema
from dsgen.compiler.chart.values_file import values_file
from dsgen.compiler.checks import TEMPLATE
from dsgen.compiler.go.layout import go_templates
from dsgen.compiler.go.pipelines import CHART_NAME
from dsgen.compiler.sources import chart_program, read
from dsgen.language.files import SHIPPED
from dsgen.language.text import quote
from dsgen.schema import export

STATIC = Path(__file__).with_name("static")
RELEASE = Path(__file__).with_name("release.yaml")
VALUES = Path(__file__).with_name("values.yaml")
FIRST = (Path("templates") / TEMPLATE).parent
"""The folder whose templates Helm renders first."""
ICON = Path(__file__).with_name("icon.svg")
DESCRIPTION = "One distributed DeepSpeed training job with workers, launcher, storage and a record of its runs"


def chart_files(values: Mapping[str, Any] | None = None, name: str = "deepspeed-job") -> dict[str, str]:
    """The text of every file of the chart, by its path.

    `values`: the complete values of a job, which become the chart's defaults; without them, those of the schema.
    `name`: the name of the chart, with which the names of its defines begin.
    The result depends only on the arguments.
    """
    templates = {
        **{path.relative_to(STATIC).as_posix(): read(path) for path in STATIC.rglob("*") if path.is_file()},
        **{f"templates/{path}": text for path, text in compiled_templates().items()},
    }
    templates[(FIRST / VALUES.name).as_posix()] = read(VALUES).replace("<MAPS>", export.as_json(schema.maps()).rstrip())
    if values and (values["name"] or values["namespace"]):
        templates[(FIRST / RELEASE.name).as_posix()] = read(RELEASE)
    files = {
        "Chart.yaml": chart_yaml(name),
        "values.yaml": values_file(values),
        "values.schema.json": export.as_json(export.for_chart()),
        **{path: text.replace(CHART_NAME, name) for path, text in templates.items()},
        **{path: SHIPPED.texts[path] for path in chart_program().files},
    }
    return dict(sorted(files.items()))


@functools.cache
def compiled_templates() -> dict[str, str]:
    """dsgen's templates and checks as Go templates, with a placeholder for the name of the chart."""
    return go_templates(chart_program())


def chart_yaml(name: str) -> str:
    """Chart.yaml; the version of the chart is that of dsgen."""
    return f"""\
apiVersion: v2
name: {quote(name)}
description: {DESCRIPTION}
type: application
version: {__version__}
appVersion: {quote(__version__)}
kubeVersion: ">=1.29.0-0"
# the pages of DeepSpeed, because this chart has none
home: https://www.deepspeed.ai
sources:
  - https://github.com/deepspeedai/DeepSpeed
icon: data:image/svg+xml;base64,{base64.b64encode(ICON.read_bytes()).decode()}
keywords:
  - deepspeed
  - pytorch
  - distributed-training
  - gpu
  - batch
annotations:
  artifacthub.io/category: ai-machine-learning
  artifacthub.io/license: Apache-2.0
  artifacthub.io/operator: "false"
"""
