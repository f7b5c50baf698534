"""Renders small templates with Jinja2, and with the real Helm after compilation."""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import yaml

from dsgen.compiler.chart import STATIC
from dsgen.compiler.frontend import Unit
from dsgen.compiler.go import make_go_templates
from dsgen.compiler.go.pipelines import CHART_NAME
from dsgen.compiler.programs import type_program
from dsgen.compiler.python import make_python_modules
from dsgen.language.environment import Environment, make_environment
from dsgen.language.functions import Files
from tests.helm import helm, helm_template
from tests.parity import dump

# One key of every type.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "default": ""},
        "name": {"type": "string", "default": "job", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"},
        "path": {"type": "string", "default": "/x", "pattern": "^/[^\\n]*$"},
        "mode": {"type": "string", "default": "a", "enum": ["a", "b"]},
        "count": {"type": "integer", "default": 1},
        "big": {"type": "integer", "default": 12345678},
        "maybe": {"type": ["integer", "null"]},
        "flag": {"type": "boolean", "default": False},
        "id": {"type": ["string", "integer"], "default": "1", "pattern": "^[a-z0-9]+$"},
        "texts": {"type": "array", "default": [], "items": {"type": "string"}},
        "none": {"type": "array", "default": [], "items": {"type": "string"}},
        "numbers": {"type": "array", "default": [], "items": {"type": "integer"}},
        "labels": {"type": "object", "default": {}, "additionalProperties": {"type": "string"}},
        "limits": {"type": "object", "default": {}, "additionalProperties": {"$ref": "#/definitions/quantity"}},
        "env": {"type": "object", "default": {}, "additionalProperties": {"type": ["string", "object"]}},
        "free": {"type": "object", "default": {}},
        "other": {"type": "object", "default": {}, "allOf": [{"$ref": "#/definitions/fragment"}]},
        "record": {
            "type": "object",
            "properties": {
                "inner": {"type": "string", "default": ""},
                "left": {"type": "object", "default": {}, "additionalProperties": {"type": "string"}},
                "right": {"type": "object", "default": {}, "additionalProperties": {"type": "string"}},
            },
        },
        "storage": {
            "type": "object",
            "default": {},
            "propertyNames": {"pattern": "^[a-z0-9]+$"},
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "default": "/data"},
                    "readOnly": {"type": "boolean", "default": False},
                    "count": {"type": "integer", "default": 2},
                    "modes": {"type": "array", "default": ["x"], "items": {"type": "string"}},
                    "create": {
                        "type": "object",
                        "x-optional": True,
                        "properties": {
                            "size": {"$ref": "#/definitions/quantity", "default": "1Gi"},
                            "class": {"type": ["string", "null"]},
                        },
                    },
                    "nfs": {"type": "object", "properties": {"server": {"type": "string"}}},
                },
            },
        },
    },
    "definitions": {
        "quantity": {"type": ["string", "number"], "pattern": "^[0-9]+(Gi|m)?$"},
        "fragment": {"type": "object", "properties": {"key": {"type": "string"}}},
    },
}
RELEASE = {"name": "rel", "namespace": "space"}
FILES = {"scripts/x.sh": "echo '{{ x }}'\n\n  << y >>\n", "scripts/a-1.sh": "#!/bin/sh\n"}


def go(source: str, helpers: str = "", **options: Any) -> str:
    """The Go template of a template; `helpers` is the text of a file of macros."""
    return everything(source, helpers, **options)["t.yaml"]


def everything(
    source: str, helpers: str = "", files: Mapping[str, str] = MappingProxyType({}), **options: Any
) -> Mapping[str, str]:
    """The Go texts of a template and of its helpers."""
    units = {"t.yaml": Unit("t.yaml", source), "_h.j2": Unit("_h.j2", helpers)}
    return make_go_templates(type_program(units, SCHEMA, files, make_environment(), **options))


def expression(text: str) -> str:
    """The Go pipeline of a Jinja2 expression that is true or false."""
    tag = go(f"<% if {text} %>\nx\n<% endif %>\n").partition("\n")[0]
    return tag.removeprefix("{{- if ").removesuffix(" }}")


class Worlds:
    """A folder of templates and one tree of values, given to the engines of both worlds and written as Python."""

    def __init__(self, folder: Path, templates: Mapping[str, str], helpers: str, values: dict[str, Any]) -> None:
        self._values, self._names = values, sorted(templates)
        sources = {"_h.j2": helpers, **templates}
        self._jinja(folder / "source", sources)
        self._chart(folder / "chart", sources)

    def _jinja(self, folder: Path, sources: Mapping[str, str]) -> None:
        folder.mkdir(parents=True)
        for name, source in sources.items():
            folder.joinpath(name).write_text(source)
        for path, text in FILES.items():
            folder.joinpath(path).parent.mkdir(exist_ok=True)
            folder.joinpath(path).write_text(text)
        self._environment: Environment = make_environment(folder, folder)

    def _chart(self, folder: Path, sources: Mapping[str, str]) -> None:
        units = {name: Unit(name, source) for name, source in sources.items()}
        self._program = type_program(units, SCHEMA, FILES, self._environment)
        compiled = make_go_templates(self._program)
        folder.joinpath("templates").mkdir(parents=True)
        folder.joinpath("scripts").mkdir()
        for path, text in FILES.items():
            folder.joinpath(path).write_text(text)
        static = {path.name: path.read_text() for path in STATIC.joinpath("templates").glob("*.tpl")}
        for name, text in {**compiled, **static}.items():
            folder.joinpath("templates", name).write_text(text.replace(CHART_NAME, "worlds"))
        folder.joinpath("Chart.yaml").write_text("apiVersion: v2\nname: worlds\nversion: 1.0.0\n")
        folder.joinpath("values.yaml").write_text(dump(self._values))
        self._folder = folder

    def jinja(self, filled: dict[str, Any]) -> dict[str, str]:
        """The documents by template; `filled`: the values with the defaults that Helm has not."""
        return {name: canonical(text) for name, text in self.jinja_texts(filled).items()}

    def jinja_texts(self, filled: dict[str, Any]) -> dict[str, str]:
        """The same as text."""
        context = {"values": filled, "release": RELEASE}
        return {name: self._environment.get_template(name).render(context) for name in self._names}

    def python_texts(self, filled: dict[str, Any]) -> dict[str, str]:
        """What the generated Python writes, by template."""
        sources = make_python_modules(self._program, self._names, "worlds_in_python")
        helpers, manifests = ModuleType("worlds_in_python.helpers"), ModuleType("worlds_in_python.manifests")
        exec(sources["helpers.py"], vars(helpers))
        sys.modules[helpers.__name__] = helpers
        exec(sources["manifests.py"], vars(manifests))
        vars(manifests)["SHIPPED"] = Files(self._folder)
        return {name: manifests.TEMPLATES[name](filled, RELEASE) for name in self._names}

    def helm(self, major: int) -> dict[str, str]:
        """The documents by template."""
        text = helm_template(helm(major), self._folder, "--namespace", RELEASE["namespace"], "--name-template", "rel")
        parts = re.split(r"^---\n# Source: worlds/templates/(\S+)\n", text, flags=re.MULTILINE)
        return {name: canonical(document) for name, document in zip(parts[1::2], parts[2::2], strict=True)}


def canonical(document: str) -> str:
    """A document as text that tells 1, 1.0, "1" and true apart."""
    return json.dumps(yaml.load(document, yaml.CSafeLoader), sort_keys=True, ensure_ascii=True)
