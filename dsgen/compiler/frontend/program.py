"""The typed trees of all templates."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from dsgen.compiler.frontend.expressions import FILES, ROOTS, Expressions
from dsgen.compiler.frontend.helpers import Helper, Helpers
from dsgen.compiler.frontend.scope import Scope
from dsgen.compiler.frontend.source import Unit
from dsgen.compiler.frontend.statements import Statements
from dsgen.compiler.frontend.tree import Body
from dsgen.compiler.frontend.types import SchemaTypes


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

    def helpers_of(self, path: str) -> dict[str, Helper]:
        """The helpers of one file that are called, by name."""
        return {name: helper for name, helper in self.helpers if helper.unit.name == path and helper.bodies}


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
    helpers.settle()
    templates = {}
    for path, unit in units.items():
        if path not in helper_units:
            expressions = Expressions(unit, helpers, Scope(), (*ROOTS, FILES))
            statements = Statements(expressions, is_free=path in free_units)
            templates[path] = statements.body(unit.parse(environment).body)
    return Program(templates, helpers, heads)
