"""Compiles templates, checks and schema to a Helm chart and to Python: Jinja2 tree -> typed tree -> Go and Python."""

from dsgen.compiler.chart import chart_files
from dsgen.compiler.frontend import CompileError
from dsgen.compiler.python import python_files, schema_files

__all__ = ["CompileError", "chart_files", "python_files", "schema_files"]
