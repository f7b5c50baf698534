"""What is compiled: dsgen's own templates, and its checks as templates, as one typed program."""

import functools
from pathlib import Path

from dsgen import __version__, schema
from dsgen.compiler.checks import WARNINGS, checks_units
from dsgen.compiler.frontend.program import Program, typed
from dsgen.compiler.frontend.source import Unit
from dsgen.language.environment import PACKAGE, TEMPLATES, environment

NOTES = "NOTES.txt"
MADE_BY = f"""
This chart was made by dsgen {__version__}. To a chart of another minor version upgrade with another run.id.
"""


@functools.cache
def program() -> Program:
    """All templates, those of the chart's notes and checks among them."""
    jinja = environment()
    units = {name: Unit(name, read(TEMPLATES / name)) for name in jinja.list_templates()}
    units |= checks_units()
    units[NOTES] = Unit(NOTES, units[NOTES].text + MADE_BY + WARNINGS)
    scripts = {path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "scripts").iterdir()}
    return typed(units, schema.load(), scripts, jinja, free_units={NOTES, *checks_units()})


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")
