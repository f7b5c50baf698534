"""The back end for flat manifests: writes the files of dsgen/generated from the typed tree, and the rules."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping

from dsgen.catalogue import TEMPLATES
from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helper
from dsgen.compiler.frontend.tree import Body
from dsgen.compiler.programs import Program, make_program
from dsgen.compiler.python.expressions import PythonExpressions
from dsgen.compiler.python.functions import STEP, WIDTH, Functions
from dsgen.compiler.rules import read_rule_blocks

PACKAGE = "dsgen.generated"
HEAD = '''\
"""{words}

Written by `make generate` from {origin}; changes are lost.
"""

{imports}'''
INIT = '"""Templates as Python, written by `make generate`."""\n'
RULES = "rules.json"
TYPES = {**dict.fromkeys(("str", "word", "json", "block", "file"), "str"), "int": "int", "bool": "bool"}
"""Of the arguments of helpers in Python; those of other kinds may be anything."""
TYPES_OF_ROOTS = {"values": "Mapping[str, Any]", "release": "Mapping[str, str]"}
HELPERS = ("The helpers of the templates.", "the files dsgen/templates/**/_*.j2")
MANIFESTS = ("The templates of the objects: each is a function from values to YAML.", "dsgen/templates")


def make_python_files() -> dict[str, str]:
    """The files for dsgen's own templates and rules, by their names."""
    modules = make_python_modules(make_program(), [template.path for template in TEMPLATES])
    return modules | {RULES: write_rules()}


def make_python_modules(program: Program, templates: Iterable[str], package: str = PACKAGE) -> dict[str, str]:
    """The modules of these templates, by their file names in a package."""
    manifests, by_manifests = _write_manifests(program, templates, package)
    return {
        "__init__.py": INIT,
        "manifests.py": manifests,
        "helpers.py": _write_helpers(program, by_manifests),
    }


def _write_manifests(program: Program, templates: Iterable[str], package: str) -> tuple[str, set[str]]:
    expressions = PythonExpressions(program.helpers)
    names = {path: expressions.name_local(name_function(path)) for path in templates}
    functions = [_write_template(expressions, name, path, program.templates[path]) for path, name in names.items()]
    table = ["TEMPLATES = {", *(f'{STEP}"{path}": {name},' for path, name in names.items()), "}"]
    table += ['"""The function of each template, by its path."""']
    head = _write_head(MANIFESTS, {**expressions.imports, f"{package}.helpers": expressions.called})
    return "\n\n".join([head, *functions, "\n".join(table) + "\n"]), expressions.called


def _write_helpers(program: Program, wanted: Iterable[str]) -> str:
    """The module of these helpers and of those that they call in turn."""
    expressions = PythonExpressions(program.helpers)
    texts: dict[str, str] = {}
    missing = set(wanted)
    while missing:
        name = missing.pop()
        texts[name] = _write_helper(expressions, name, program.helpers[name])
        missing |= expressions.called - texts.keys()
    head = _write_head(HELPERS, expressions.imports)
    return "\n\n".join([head, *(texts[name] for name, _ in program.helpers if name in texts)])


def name_function(path: str) -> str:
    """The name of a template's function: launcher/job.yaml is launcher_job."""
    return path.rpartition(".")[0].replace("/", "_").replace("-", "_")


def _write_template(expressions: PythonExpressions, name: str, path: str, body: Body) -> str:
    words, rest = path, body
    if body and isinstance(body[0], tree.Comment):
        words = f"{path}: {body[0].text}"
        rest = body[1:]
        if rest and isinstance(rest[0], tree.ConstantText):
            rest = (tree.ConstantText(rest[0].text.removeprefix("\n")), *rest[1:])
    return _write_function(name, dict(TYPES_OF_ROOTS), words, Functions(expressions).write_body(rest, STEP))


def _write_helper(expressions: PythonExpressions, name: str, helper: Helper) -> str:
    """The function of a helper, which must be the same for all types of its arguments."""
    types = {parameter: _find_type(helper, parameter) for parameter in helper.parameters}
    parameters = {one if one in ROOTS else expressions.name_local(one): type_ for one, type_ in types.items()}
    functions = Functions(expressions, is_helper=True)
    bodies = {
        _write_function(name, parameters, helper.comment, functions.write_body(body, STEP))
        for body in helper.bodies.values()
    }
    if len(bodies) > 1:
        raise helper.unit.make_error(
            helper.node.lineno, f"{name} has different outputs for arguments of different types"
        )
    return bodies.pop()


def _find_type(helper: Helper, parameter: str) -> str:
    """The Python type of an argument."""
    if parameter in ROOTS:
        return TYPES_OF_ROOTS[parameter]
    types = {
        TYPES.get(type_.kind, "Any") for signature in helper.bodies for name, type_ in signature if name == parameter
    }
    return types.pop() if len(types) == 1 else "Any"


def _write_function(name: str, parameters: Mapping[str, str], words: str, lines: Iterable[str]) -> str:
    given = ", ".join(f"{one}: {type_}" for one, type_ in parameters.items())
    return "\n".join([f"def {name}({given}) -> str:", *_write_docstring(words), *lines]) + "\n"


def _write_docstring(words: str) -> list[str]:
    escaped = words.replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{escaped}', WIDTH - len(STEP))
    return [STEP + line for line in ([*lines, '"""'] if len(lines) > 1 else [f'{lines[0]}"""'])]


def _write_head(words: tuple[str, str], imports: Mapping[str, Iterable[str]]) -> str:
    all_imports = {"collections.abc": ["Mapping"], "typing": ["Any"], **imports}
    lines = [_write_import(module, sorted(names)) for module, names in sorted(all_imports.items()) if names]
    return HEAD.format(words=words[0], origin=words[1], imports="\n".join([*lines, ""]))


def _write_import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return (
        line
        if len(line) <= WIDTH
        else "\n".join([f"from {module} import (", *(f"{STEP}{name}," for name in names), ")"])
    )


def write_rules() -> str:
    """What `dsgen explain` says about each problem: the rules without their cases, as JSON."""
    rules = {}
    for id_, one in read_rule_blocks().items():
        texts = {"title": one.title, "when": one.when, "remedy": one.remedy}
        texts |= {"example": one.values, "settings": one.settings}
        rules[id_] = {key: text for key, text in texts.items() if text}
    return json.dumps(rules, indent=1, ensure_ascii=False) + "\n"
