"""The back end for flat manifests: writes the modules of dsgen/generated, from the typed tree and from data.

Data as Python is loaded in a fraction of the time that JSON takes. The schema of the values is read from its source,
values.json and kubernetes.json, with its records expanded. Definitions hold what several records share: a key of a
record may be a `$ref` with further keywords, which take precedence, and `x-include` adds keys to a record.
"""

from __future__ import annotations

import json
import pprint
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dsgen import deepspeed, schema
from dsgen.catalogue import TEMPLATES
from dsgen.compiler.checks import ROWS
from dsgen.compiler.frontend import CompileError, name_source, tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helper
from dsgen.compiler.frontend.tree import Body
from dsgen.compiler.programs import Program, make_python_program
from dsgen.compiler.python.expressions import PythonExpressions
from dsgen.compiler.python.functions import STEP, WIDTH, Functions, Rows
from dsgen.compiler.rules import read_rule_blocks
from dsgen.schema import DEFINITION, KUBERNETES_FILE, SCHEMA_FILE, Schema
from dsgen.schema.violations import BELOW, VIOLATED

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
    "reads of unknown values (dsgen/checks/__init__.py).",
    "dsgen/checks",
)


def make_python_files() -> dict[str, str]:
    """The modules of dsgen's own templates and schema, by their file names."""
    modules = make_python_modules(make_python_program(), [template.path for template in TEMPLATES])
    data = {
        "defaults.py": write_defaults_module(),
        "deepspeed.py": write_deepspeed_module(),
        "rules.py": write_rules_module(),
    }
    return modules | make_schema_files() | data


def make_schema_files() -> dict[str, str]:
    """The module of the schema, by its file name; all other files are derived from it."""
    return {"schema.py": write_schema_module()}


def make_python_modules(program: Program, templates: Iterable[str], package: str = PACKAGE) -> dict[str, str]:
    """The modules of these templates, by their file names in a package."""
    manifests, by_manifests = _write_manifests(program, templates, package)
    checks, by_checks = _write_checks(program, package)
    return {
        "__init__.py": INIT,
        "manifests.py": manifests,
        "checks.py": checks,
        "helpers.py": _write_helpers(program, by_manifests | by_checks),
    }


def _write_manifests(program: Program, templates: Iterable[str], package: str) -> tuple[str, set[str]]:
    expressions = PythonExpressions(program.helpers)
    names = {path: expressions.name_local(name_function(path)) for path in templates}
    functions = [_write_template(expressions, name, path, program.templates[path]) for path, name in names.items()]
    table = ["TEMPLATES = {", *(f'{STEP}"{path}": {name},' for path, name in names.items()), "}"]
    table += ['"""The function of each template, by its path."""']
    head = _write_head(MANIFESTS, {**expressions.imports, f"{package}.helpers": expressions.called})
    return "\n\n".join([head, *functions, "\n".join(table) + "\n"]), expressions.called


def _write_checks(program: Program, package: str) -> tuple[str, set[str]]:
    expressions = PythonExpressions(program.helpers)
    rows = program.select_helpers(ROWS)
    functions = [
        _write_function(name, ROW_PARAMETERS, helper.comment, Rows(expressions).write_row(helper))
        for name, helper in rows.items()
    ]
    table = ["ROWS = (", *(f"{STEP}{name}," for name in rows), ")", '"""The rows in the order of their table."""']
    head = _write_head(CHECKS, {**expressions.imports, f"{package}.helpers": expressions.called})
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
        if rest and isinstance(rest[0], tree.Text):
            rest = (tree.Text(rest[0].text.removeprefix("\n")), *rest[1:])
    return _write_function(name, ROOTS, words, Functions(expressions).write_body(rest, STEP))


def _write_helper(expressions: PythonExpressions, name: str, helper: Helper) -> str:
    """The function of a helper, which must be the same for all types of its arguments."""
    parameters = [one if one in ROOTS else expressions.name_local(one) for one in helper.parameters]
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


def _write_function(name: str, parameters: Iterable[str], words: str, lines: Iterable[str]) -> str:
    return "\n".join([f"def {name}({', '.join(parameters)}):", *_write_docstring(words), *lines]) + "\n"


def _write_docstring(words: str) -> list[str]:
    escaped = words.replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{escaped}', WIDTH - len(STEP))
    end = ['"""'] if len(lines) > 1 else []
    if not end:
        lines[-1] += '"""'
    return [STEP + line for line in (*lines, *end)]


def _write_head(words: tuple[str, str], imports: Mapping[str, Iterable[str]]) -> str:
    lines = [_write_import(module, sorted(names)) for module, names in sorted(imports.items()) if names]
    return HEAD.format(words=words[0], origin=words[1], imports="\n".join([*lines, ""]) if lines else "")


def _write_import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return (
        line
        if len(line) <= WIDTH
        else "\n".join([f"from {module} import (", *(f"{STEP}{name}," for name in names), ")"])
    )


# -- data --------------------------------------------------------------------------------------------------------------

SCHEMA = '''\
"""The schema of the values, which dsgen/schema/__init__.py reads.

Written by `make generate` from dsgen/schema/values.json and kubernetes.json; changes are lost.
"""

KUBERNETES_VERSION = "{version}"
SCHEMA = \\
'''
DEFAULTS = '''\
"""The defaults of the values, in rules for dsgen/schema/default_values.py.

Written by `make generate` from dsgen/schema/values.json; changes are lost.
"""

RULES = \\
'''
DEEPSPEED = '''\
"""The keys of DeepSpeed's configuration.

Written by `make generate` from dsgen/deepspeed/keys.json; changes are lost.
"""

KEYS = \\
'''
RULES = '''\
"""What `dsgen explain` says about each problem.

Written by `make generate` from the files of rules in the packages of dsgen; changes are lost.
"""

RULES = \\
'''
ANNOTATIONS = frozenset({"$schema", "title", "description", "default", "examples"})
"""Keywords that refuse nothing; so do those that begin with `x-`."""


def write_schema_module() -> str:
    """The module of the schema. Raises CompileError for a keyword that dsgen/schema/violations.py does not know."""
    whole = expand_schema()
    for keyword in sorted(find_unknown_keywords(whole)):
        raise CompileError(f"{_find_place(keyword)}: dsgen/schema/violations.py does not know the keyword {keyword!r}")
    return SCHEMA.format(version=read_kubernetes_version()) + _write_literal(whole)


def _find_place(keyword: str) -> str:
    """The file that has a keyword, with the line if this is its only key of that name."""
    for path in map(Path, (SCHEMA_FILE, KUBERNETES_FILE)):
        text = path.read_text(encoding="utf-8")
        found = list(re.finditer(rf"{re.escape(json.dumps(keyword))}\s*:", text))
        if found:
            line = text.count("\n", 0, found[0].start()) + 1
            return name_source(path) + (f":{line}" if len(found) == 1 else "")
    return name_source(Path(SCHEMA_FILE))


def find_unknown_keywords(part: Any) -> set[str]:
    """The keywords in a schema that neither refuse values in dsgen nor are annotations."""
    if not isinstance(part, dict):
        return set()
    parts = [part[one] for one in ("items", "additionalProperties", "propertyNames") if one in part]
    parts += [one for several in ("allOf", "oneOf") for one in part.get(several, ())]
    parts += [one for several in ("properties", "definitions") for one in part.get(several, {}).values()]
    known = {*VIOLATED, *BELOW, *ANNOTATIONS, "$ref", "definitions"}
    here = {keyword for keyword in part if keyword not in known and not keyword.startswith("x-")}
    return here.union(*map(find_unknown_keywords, parts))


def write_defaults_module() -> str:
    """The module of the defaults in the schema of the values."""
    whole = schema.load()
    rules = _select_rules(whole) | {"defaults": schema.make_defaults(whole)}
    return DEFAULTS + _write_literal(rules)


def write_deepspeed_module() -> str:
    """The module of keys.json, which tools/deepspeed_keys.py writes."""
    path = Path(deepspeed.__file__).with_name("keys.json")
    return DEEPSPEED + _write_literal(_read(path))


def write_rules_module() -> str:
    """The module of the rules, without their cases."""
    rules = {}
    for id_, one in read_rule_blocks().items():
        texts = {"title": one.title, "when": one.when, "remedy": one.remedy}
        texts |= {"example": one.values, "settings": one.settings}
        rules[id_] = {key: text for key, text in texts.items() if text}
    return RULES + _write_literal(rules)


def _write_literal(data: Any) -> str:
    return pprint.pformat(data, width=WIDTH, sort_dicts=False) + "\n"


def _select_rules(part: Schema) -> dict[str, Any]:
    """The rules of a record or a map of records; empty for any other part."""
    if schema.is_record(part):
        below = {key: rules for key, inner in part["properties"].items() if (rules := _select_rules(inner))}
        return (
            {"below": below}
            if schema.is_always_there(part)
            else {"defaults": schema.make_defaults(part), "below": below}
        )
    each = part.get("additionalProperties")
    if not isinstance(each, dict):
        return {}
    one = schema.resolve(each)
    rules = _select_rules(one)
    if rules and schema.is_record(one):
        rules |= {"defaults": schema.make_defaults(one)}
    return {"each": rules} if rules else {}


def expand_schema() -> Schema:
    """The schema of values.json, with the objects of kubernetes.json to which it refers as its definitions."""
    source, kubernetes = _read(SCHEMA_FILE), _read(KUBERNETES_FILE)
    definitions = source.pop("definitions") | kubernetes["definitions"]
    expanded = _expand(source, definitions)
    return expanded | {"definitions": _find_reached(expanded, definitions)}


def read_kubernetes_version() -> str:
    """The version of Kubernetes from which kubernetes.json was made, such as 1.34."""
    return str(_read(KUBERNETES_FILE)["version"]).rpartition(".")[0]


def _read(path: str | Path) -> Schema:
    """The contents of a JSON file. Raises CompileError with the place of a mistake."""
    try:
        loaded: Schema = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise CompileError(f"{name_source(Path(path))}:{error.lineno}:{error.colno}: {error.msg}") from None
    return loaded


def _expand(part: Schema, definitions: Schema) -> Schema:
    """A key of dsgen with its reference and its included keys expanded; objects of Kubernetes keep their references."""
    whole = dict(part)
    if "$ref" in whole:
        whole = definitions[whole.pop("$ref").removeprefix(DEFINITION)] | whole
    if "properties" in whole:
        included = definitions[whole.pop("x-include").removeprefix(DEFINITION)] if "x-include" in whole else {}
        keys = whole["properties"] | included.get("properties", {})
        whole["properties"] = {key: _expand(below, definitions) for key, below in keys.items()}
    below = whole.get("additionalProperties")
    if isinstance(below, dict) and "properties" in below:
        whole["additionalProperties"] = _expand(below, definitions)
    return whole


def _find_reached(part: Any, definitions: Schema) -> Schema:
    """The definitions to which a part refers, directly or through others, in their order."""
    reached: set[str] = set()
    waiting = [part]
    while waiting:
        names = {name.removeprefix(DEFINITION) for name in _list_references(waiting.pop())} - reached
        reached |= names
        waiting += (definitions[name] for name in names)
    return {name: definition for name, definition in definitions.items() if name in reached}


def _list_references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for below in part:
            yield from _list_references(below)
