"""The pipeline: sources of templates -> Go templates."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from dsgen.compiler.expressions import FILES, ROOTS, Expressions
from dsgen.compiler.helpers import Helpers
from dsgen.compiler.layout import comment, define, template
from dsgen.compiler.scope import Scope
from dsgen.compiler.source import Unit
from dsgen.compiler.statements import Statements
from dsgen.compiler.types import SchemaTypes


@dataclass(frozen=True)
class Compiled:
    """Go templates by path, and the paths of the files that they read."""

    templates: Mapping[str, str]
    files: tuple[str, ...]


def compile_units(
    units: Mapping[str, Unit],
    schema: Mapping[str, Any],
    files: Mapping[str, str],
    environment: jinja2.Environment,
    free_units: Container[str] = (),
) -> Compiled:
    """Go templates of Jinja2 templates, by the same paths with `.tpl` for helpers.

    `files`: path -> text of what `files` in a template can read.
    `free_units`: the names of those that people read (notes, messages), in which any text may stand bare.
    CompileError for whatever is not part of the language.
    """
    helpers = Helpers(SchemaTypes(schema).values, files, free_units)
    helper_units = {path: unit for path, unit in units.items() if path.rpartition("/")[2].startswith("_")}
    heads = {path: helpers.read(unit, environment) for path, unit in helper_units.items()}
    helpers.settle()
    compiled = {}
    for path, unit in units.items():
        if path not in helper_units:
            expressions = Expressions(unit, helpers, Scope(), (*ROOTS, FILES))
            statements = Statements(expressions, is_free=path in free_units)
            compiled[path] = template(statements.body(unit.parse(environment).body))
    for path, unit in helper_units.items():
        defines = [define(name, helper) for name, helper in helpers if helper.unit is unit]
        head = "{{" + comment(heads[path]) + "}}\n" if heads[path] else ""
        compiled[path.removesuffix(".j2") + ".tpl"] = "\n".join(part for part in (head, *defines) if part)
    return Compiled(compiled, tuple(sorted(helpers.used_files)))
