"""Templates and schema to a Helm chart: Jinja2 tree -> typed expressions and statements -> Go templates -> files."""

from dsgen.compiler.chart.package import chart_files
from dsgen.compiler.frontend.source import CompileError

__all__ = ["CompileError", "chart_files"]
