"""The sources of the compiler: dsgen's templates, and its checks as templates, as typed programs."""

import functools
from collections.abc import Container, Mapping
from pathlib import Path

from dsgen import __version__, schema
from dsgen.compiler.checks import WARNINGS, checks_units, row_units
from dsgen.compiler.frontend.program import Program, type_program
from dsgen.compiler.frontend.source import Unit
from dsgen.language.environment import TEMPLATES, environment
from dsgen.language.files import SHIPPED

NOTES = "NOTES.txt"
MADE_BY = f"""
This chart was made by dsgen {__version__}. Use a new run.id when you upgrade to a chart of another minor version.
"""


@functools.cache
def chart_program() -> Program:
    """The templates of a chart: objects, notes, and checks that fail with their messages."""
    units = {**template_units(), **checks_units()}
    units[NOTES] = Unit(NOTES, units[NOTES].text + MADE_BY + WARNINGS)
    return _type_units(units, {NOTES, *checks_units()})


def python_program() -> Program:
    """The templates of the objects, and each row of the checks."""
    units = {**template_units(), **row_units()}
    del units[NOTES]
    return _type_units(units, set(row_units()))


def template_units() -> dict[str, Unit]:
    """The files of dsgen/templates."""
    return {name: Unit(name, read(TEMPLATES / name)) for name in environment().list_templates()}


def _type_units(units: Mapping[str, Unit], free_units: Container[str]) -> Program:
    return type_program(units, schema.load(), SHIPPED.texts, environment(), free_units)


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")
