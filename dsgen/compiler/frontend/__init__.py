"""Converts Jinja2 trees to one typed tree for all back ends, with names and types resolved.

Here, templates are parsed: to the Jinja2 tree with comments, and errors with template:line.
"""

import re
from dataclasses import dataclass

import jinja2
from jinja2 import nodes

from dsgen.errors import DsgenError

_COMMENT = re.compile(r"^([ ]*)<#-?\s(.*?)\s-?#>[ ]*$", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"^[ ]*<%(?:(?!%>).)*%>$", re.MULTILINE | re.DOTALL)
_MARK = "\0comment "


class CompileError(DsgenError):
    """A template uses something that cannot be expressed in one of the outputs."""


@dataclass(frozen=True)
class Unit:
    """One template file."""

    name: str
    text: str

    def find_indentation(self, line: int) -> str:
        """The indentation of a line (1-based)."""
        text = self.text.split("\n")[line - 1]
        return text[: len(text) - len(text.lstrip(" "))]

    def make_error(self, line: int, message: str) -> CompileError:
        """An error for this line, for `raise`."""
        return CompileError(f"{self.name}:{line}: {message}")

    def parse(self, environment: jinja2.Environment) -> nodes.Template:
        """The Jinja2 tree, in which each comment is an Output with a marked constant."""
        marked = _COMMENT.sub(self._mark_comment, self.text)
        for number, line in enumerate(_TAG.sub(lambda tag: "\n" * tag[0].count("\n"), marked).split("\n"), 1):
            if "<%" in line:
                raise self.make_error(number, "a tag must be alone on its lines")
            if "<#" in line:
                raise self.make_error(number, "a comment must be alone on its lines")
        try:
            return environment.parse(marked, self.name)
        except jinja2.TemplateSyntaxError as problem:
            raise self.make_error(problem.lineno, problem.message or "is not Jinja2") from None

    def _mark_comment(self, match: re.Match[str]) -> str:
        pad, text = match.groups()
        literal = text.encode("unicode_escape").decode("ascii").replace('"', '\\"')
        return (
            f'{pad}<< "{_MARK.encode("unicode_escape").decode("ascii")}{literal}"' + "\n" * match[0].count("\n") + " >>"
        )


def find_comment(node: nodes.Node) -> str | None:
    """The text of a comment; None if this part of an Output is not a comment."""
    if isinstance(node, nodes.Const) and isinstance(node.value, str) and node.value.startswith(_MARK):
        return node.value.removeprefix(_MARK)
    return None
