"""Templates and schema to a Helm chart: Jinja2 tree -> typed expressions and statements -> Go templates -> files."""

from dsgen.compiler.package import chart_files
from dsgen.compiler.source import CompileError

__all__ = ["CompileError", "chart_files"]
