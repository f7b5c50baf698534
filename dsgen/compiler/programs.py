"""Typed programs: the trees of templates, and those of dsgen."""

import functools
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from dsgen import __version__, schema
from dsgen.compiler.frontend import Unit
from dsgen.compiler.frontend.expressions import FILES, ROOTS, Expressions
from dsgen.compiler.frontend.helpers import Helpers
from dsgen.compiler.frontend.scope import Scope
from dsgen.compiler.frontend.statements import Statements
from dsgen.compiler.frontend.tree import Body
from dsgen.compiler.frontend.types import SchemaTypes
from dsgen.language.environment import TEMPLATES, make_environment
from dsgen.language.functions import SHIPPED


@dataclass(frozen=True)
class Program:
    """The bodies of templates and the files of helpers, by path. `heads`: the first comments of these files."""

    templates: Mapping[str, Body]
    helpers: Helpers
    heads: Mapping[str, str]

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that the templates read."""
        return tuple(sorted(self.helpers.used_files))


def type_program(
    units: Mapping[str, Unit],
    schema: Mapping[str, Any],
    files: Mapping[str, str],
    environment: jinja2.Environment,
    free_units: Container[str] = (),
) -> Program:
    """The typed trees of Jinja2 templates, by their paths.

    `files`: the files that a template can read with `files`, path -> text.
    `free_units`: the names of notes and messages, in which texts need no quotes.
    Raises CompileError for anything that is not part of the language.
    """
    helpers = Helpers(SchemaTypes(schema).values, files, free_units)
    helper_units = {path: unit for path, unit in units.items() if path.rpartition("/")[2].startswith("_")}
    heads = {path: helpers.read(unit, environment) for path, unit in helper_units.items()}
    helpers.find_inline_helpers()
    templates = {}
    for path, unit in units.items():
        if path not in helper_units:
            expressions = Expressions(unit, helpers, Scope(), (*ROOTS, FILES))
            statements = Statements(expressions, is_free=path in free_units)
            templates[path] = statements.convert(unit.parse(environment).body)
    return Program(templates, helpers, heads)


_REFUSAL = re.compile(r'<% refuse "(DS\d+)"')
NOTES, INVARIANTS = "NOTES.txt", "_invariants.j2"
MADE_BY = f"""
This chart was made by dsgen {__version__}. Use a new run.id when you upgrade to a chart of another minor version.
Helm refuses only values that would make a wrong object. "dsgen validate" reports all mistakes, with warnings.
"""


@functools.cache
def make_program() -> Program:
    """The templates of the objects and the notes of a chart, and their helpers."""
    units = read_template_units()
    units[NOTES] = Unit(NOTES, units[NOTES].text + MADE_BY)
    return type_program(units, schema.load(), SHIPPED.texts, make_environment(), {NOTES, INVARIANTS})


def read_template_units() -> dict[str, Unit]:
    """The files of dsgen/templates."""
    return {name: Unit(name, read(TEMPLATES / name)) for name in make_environment().list_templates()}


def find_refused_ids() -> set[str]:
    """The ids of the rules by which templates refuse values."""
    texts = [unit.text for unit in read_template_units().values()]
    return {id_ for text in texts for id_ in _REFUSAL.findall(text)}


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")
