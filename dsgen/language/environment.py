"""The Jinja2 environment: the compiler reads templates with it, and tests compare its output with generated code."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from jinja2.runtime import Context, Macro
from jinja2.utils import missing

from dsgen.errors import DsgenError
from dsgen.language.builtins import rows
from dsgen.language.files import Files
from dsgen.language.text import scalar

PACKAGE = Path(__file__).parent.parent
TEMPLATES = PACKAGE / "templates"


class HelperContext(Context):
    """Finds helpers without an import, and removes one final newline from the text of a helper."""

    environment: Environment

    def resolve_or_missing(self, key: str) -> Any:
        """The variable `key`; helpers come last."""
        value = super().resolve_or_missing(key)
        return self.environment.helpers.get(key, missing) if value is missing else value

    def call(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Calls `obj`; removes exactly one final newline from the result of a helper, so blank lines are kept."""
        result = super().call(obj, *args, **kwargs)
        return result.removesuffix("\n") if isinstance(obj, Macro) else result


class Environment(jinja2.Environment):
    """Maps have keys and never methods (`storage.items` is a volume); an absent key is none, as nil in Go."""

    context_class = HelperContext

    @functools.cached_property
    def helpers(self) -> Mapping[str, Macro]:
        """All macros of the templates whose file name begins with `_`: one namespace, whatever the order of files."""
        helpers: dict[str, Macro] = {}
        for name in sorted(self.list_templates(filter_func=lambda name: name.rsplit("/", 1)[-1].startswith("_"))):
            for key, value in vars(self.get_template(name).module).items():
                if not isinstance(value, Macro):
                    continue
                if key in helpers:
                    raise DsgenError(f"{name}: the helper {key!r} exists already")
                helpers[key] = value
        return helpers

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute` in a template."""
        return obj.get(attribute) if isinstance(obj, Mapping) else getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]` in a template."""
        return obj.get(argument) if isinstance(obj, Mapping) else obj[argument]


@functools.cache
def environment(templates: Path = TEMPLATES, files: Path | str = PACKAGE) -> Environment:
    """The environment over a folder of templates; `files` in a template reads below `files`.

    Templates get `values` and `release` when they are rendered; `files` and the helpers are always available.
    """
    env = Environment(
        loader=jinja2.FileSystemLoader(templates),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        autoescape=False,  # the output is YAML, not HTML
        auto_reload=False,
    )
    env.filters = {name: row.python for name, row in rows("filter").items()}
    env.tests = {name: row.python for name, row in rows("test").items()}
    env.globals = {**{name: row.python for name, row in rows("function").items()}, "files": Files(files)}
    return env


def _finalize(value: Any) -> Any:
    return value if isinstance(value, jinja2.Undefined) else scalar(value)
