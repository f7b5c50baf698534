"""Evaluates rows: those with the same surroundings are one template, made when there is something to look at."""

from __future__ import annotations

import functools
import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from dsgen.checks.gaps import Watch
from dsgen.checks.row import Check
from dsgen.language.environment import environment
from dsgen.problems.diagnostics import Path

SEPARATOR = "\x1f"
"""Between the parts of a rendered path; keys of the user's stand there as JSON, which holds no control character."""
INDEX = "\x1e"
"""Before a part that is an index."""
_PLAIN_LOOP = re.compile(r"for .* in values[.]([A-Za-z.]+)( [|] items)?")
_PLAIN_CONDITION = re.compile(r"values[.]([A-Za-z.]+)(?: (!=|==|>) (\S+))?")


@dataclass(frozen=True)
class Group:
    """Rows that share what stands around them."""

    inside: tuple[str, ...]
    rows: tuple[Check, ...]

    def findings(
        self, values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
    ) -> Iterator[tuple[Check, Path, str]]:
        """Each row that has found something without a look at a gap, the path that it names, and its message."""
        if not self._is_looked_at(values):
            return
        for line in self._template.render(values=values, release=release, watch=watch).split("\n"):
            if line:
                row, path, message, missed = line.split("\t")
                if missed == "false":
                    yield self.rows[int(row)], tuple(map(_part, path.split(SEPARATOR))), message

    def _is_looked_at(self, values: Mapping[str, Any]) -> bool:
        """False where its first tags, conditions on plain keys and a loop over one, need no template to say so."""
        for tag in self.inside:
            kind, _, rest = tag.partition(" ")
            if kind != "if":
                over = _PLAIN_LOOP.fullmatch(tag)
                return not over or bool(_value(over[1], values))
            conditions = [_PLAIN_CONDITION.fullmatch(one) for one in rest.split(" or ")]
            if not any(one is None or _holds(one, values) for one in conditions):
                return False
        return True

    @functools.cached_property
    def _template(self) -> jinja2.Template:
        """A line for each problem: the row's number, its path, its message, and whether it looked at a gap.

        What is set, and all conditions, are looked at for each row anew.
        """
        sets = [f"<% {tag} %>" for tag in self.inside if tag.startswith("set ")]
        lines = []
        for tag in self.inside:
            lines += [] if tag.startswith("if ") else [f"<% {tag} %>"]
            if tag.startswith("for "):
                lines.append(f"<% set at_{re.split('[, ]', tag)[1]} = loop.index0 %>")
        for number, row in enumerate(self.rows):
            conditions = (tag.removeprefix("if ") for tag in row.tags() if tag.startswith("if "))
            lines += ["<% if watch.start() %>", *sets, f"<% if {all_of(*conditions)} %>"]
            lines += [f"{number}\t{_path(row.path)}\t{row.message}\t<< watch.missed >>", "<% endif %>", "<% endif %>"]
        lines += ["<% endfor %>" for tag in self.inside if tag.startswith("for ")]
        return environment().from_string("\n".join(lines) + "\n")


def all_of(*conditions: str) -> str:
    """One expression that holds where all of these do."""
    return " and ".join(f"({one})" if " or " in one else one for one in conditions)


def groups(rows: Iterable[Check]) -> list[Group]:
    """The rows, those with the same surroundings together, in the order in which these come first."""
    together: dict[tuple[str, ...], list[Check]] = {}
    for row in rows:
        together.setdefault(row.inside, []).append(row)
    return [Group(inside, tuple(found)) for inside, found in together.items()]


def _holds(condition: re.Match[str], values: Mapping[str, Any]) -> bool:
    path, sign, limit = condition.groups()
    value = _value(path, values)
    if not sign:
        return bool(value)
    compare = {"!=": operator.ne, "==": operator.eq, ">": operator.gt}[sign]
    return bool(compare(value, json.loads(limit)))


def _value(path: str, values: Mapping[str, Any]) -> Any:
    found: Any = values
    for key in path.split("."):
        found = found.get(key)
    return found


def _part(text: str) -> str | int:
    if text.startswith(INDEX):
        return int(text.removeprefix(INDEX))
    return str(json.loads(text)) if text.startswith('"') else text


def _path(path: str) -> str:
    """The template of a row's path, in the form that `_part` reads."""
    path = re.sub(r"<<(.*?)>>|[.]", lambda part: f"<<{part[1]}| json >>" if part[1] else SEPARATOR, path)
    return re.sub(r"\[([a-z]+)\]", lambda part: f"{SEPARATOR}{INDEX}<< at_{part[1]} >>", path)
