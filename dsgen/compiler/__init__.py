"""Compiles templates, checks and schema to a Helm chart and to Python: Jinja2 tree -> typed tree -> Go and Python."""

from dsgen.compiler.chart import make_chart_files
from dsgen.compiler.frontend import CompileError
from dsgen.compiler.python import make_python_files

__all__ = ["CompileError", "make_chart_files", "make_python_files"]
