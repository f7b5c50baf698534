"""Writes a typed program as the modules of dsgen/generated."""

import textwrap
from collections.abc import Iterable, Mapping

from dsgen.catalogue import TEMPLATES
from dsgen.compiler.checks import ROWS
from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helper
from dsgen.compiler.frontend.tree import Body
from dsgen.compiler.programs import Program, python_program
from dsgen.compiler.python.data import deepspeed_module, defaults_module, rules_module, schema_module
from dsgen.compiler.python.expressions import PythonExpressions
from dsgen.compiler.python.functions import STEP, WIDTH, Functions, Rows

PACKAGE = "dsgen.generated"
HEAD = '''\
"""{words}

Written by `make generate` from {origin}; changes are lost.
"""

{imports}'''
INIT = '"""Templates, rows of the checks and data as Python, written by `make generate`."""\n'
HELPERS = ("The helpers of the templates.", "the files dsgen/templates/**/_*.j2")
ROW_PARAMETERS = ("values", "release", "watch")
MANIFESTS = ("The templates of the objects: each is a function from values to YAML.", "dsgen/templates")

CHECKS = (
    "The rows of the checks: each is a function that yields the paths and messages of its problems. `watch` records\n"
    "reads of unknown values (dsgen/checks/gaps.py).",
    "dsgen/checks",
)


def python_files() -> dict[str, str]:
    """The modules of dsgen's own templates and schema, by their file names."""
    modules = python_modules(python_program(), [template.path for template in TEMPLATES])
    data = {"defaults.py": defaults_module(), "deepspeed.py": deepspeed_module(), "rules.py": rules_module()}
    return modules | schema_files() | data


def schema_files() -> dict[str, str]:
    """The module of the schema, by its file name; all other files are derived from it."""
    return {"schema.py": schema_module()}


def python_modules(program: Program, templates: Iterable[str], package: str = PACKAGE) -> dict[str, str]:
    """The modules of these templates, by their file names in a package."""
    manifests, by_manifests = _manifests(program, templates, package)
    checks, by_checks = _checks(program, package)
    return {
        "__init__.py": INIT,
        "manifests.py": manifests,
        "checks.py": checks,
        "helpers.py": _helpers(program, by_manifests | by_checks),
    }


def _manifests(program: Program, templates: Iterable[str], package: str) -> tuple[str, set[str]]:
    expressions = PythonExpressions(program.helpers)
    names = {path: expressions.local(function_name(path)) for path in templates}
    functions = [_template(expressions, name, path, program.templates[path]) for path, name in names.items()]
    table = ["TEMPLATES = {", *(f'{STEP}"{path}": {name},' for path, name in names.items()), "}"]
    table += ['"""The function of each template, by its path."""']
    head = _head(MANIFESTS, {**expressions.imports, f"{package}.helpers": expressions.called})
    return "\n\n".join([head, *functions, "\n".join(table) + "\n"]), expressions.called


def _checks(program: Program, package: str) -> tuple[str, set[str]]:
    expressions = PythonExpressions(program.helpers)
    rows = program.helpers_of(ROWS)
    functions = [
        _function(name, ROW_PARAMETERS, helper.comment, Rows(expressions).row(helper)) for name, helper in rows.items()
    ]
    table = ["ROWS = (", *(f"{STEP}{name}," for name in rows), ")", '"""The rows in the order of their table."""']
    head = _head(CHECKS, {**expressions.imports, f"{package}.helpers": expressions.called})
    return "\n\n".join([head, *functions, "\n".join(table) + "\n"]), expressions.called


def _helpers(program: Program, wanted: Iterable[str]) -> str:
    """The module of these helpers and of those that they call in turn."""
    expressions = PythonExpressions(program.helpers)
    texts: dict[str, str] = {}
    missing = set(wanted)
    while missing:
        name = missing.pop()
        texts[name] = _helper(expressions, name, program.helpers[name])
        missing |= expressions.called - texts.keys()
    head = _head(HELPERS, expressions.imports)
    return "\n\n".join([head, *(texts[name] for name, _ in program.helpers if name in texts)])


def function_name(path: str) -> str:
    """The name of a template's function: launcher/job.yaml is launcher_job."""
    return path.rpartition(".")[0].replace("/", "_").replace("-", "_")


def _template(expressions: PythonExpressions, name: str, path: str, body: Body) -> str:
    words, rest = path, body
    if body and isinstance(body[0], tree.Comment):
        words = f"{path}: {body[0].text}"
        rest = body[1:]
        if rest and isinstance(rest[0], tree.Text):
            rest = (tree.Text(rest[0].text.removeprefix("\n")), *rest[1:])
    return _function(name, ROOTS, words, Functions(expressions).lines(rest, STEP))


def _helper(expressions: PythonExpressions, name: str, helper: Helper) -> str:
    """The function of a helper, which must be the same for all types of its arguments."""
    parameters = [one if one in ROOTS else expressions.local(one) for one in helper.parameters]
    functions = Functions(expressions, is_helper=True)
    bodies = {
        _function(name, parameters, helper.comment, functions.lines(body, STEP)) for body in helper.bodies.values()
    }
    if len(bodies) > 1:
        raise helper.unit.error(helper.node.lineno, f"{name} has different outputs for arguments of different types")
    return bodies.pop()


def _function(name: str, parameters: Iterable[str], words: str, lines: Iterable[str]) -> str:
    return "\n".join([f"def {name}({', '.join(parameters)}):", *_docstring(words), *lines]) + "\n"


def _docstring(words: str) -> list[str]:
    escaped = words.replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{escaped}', WIDTH - len(STEP))
    end = ['"""'] if len(lines) > 1 else []
    if not end:
        lines[-1] += '"""'
    return [STEP + line for line in (*lines, *end)]


def _head(words: tuple[str, str], imports: Mapping[str, Iterable[str]]) -> str:
    lines = [_import(module, sorted(names)) for module, names in sorted(imports.items()) if names]
    return HEAD.format(words=words[0], origin=words[1], imports="\n".join([*lines, ""]) if lines else "")


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return (
        line
        if len(line) <= WIDTH
        else "\n".join([f"from {module} import (", *(f"{STEP}{name}," for name in names), ")"])
    )
