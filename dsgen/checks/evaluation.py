"""Evaluates rows: those with the same loops are one template, made only when there is something to look at."""

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
from dsgen.nodes import Path

SEPARATOR = "\x1f"
"""Between the parts of a rendered path; no text that is printed there holds a control character."""
INDEX = "\x1e"
"""Before a part that is an index."""
_PLAIN_LOOP = re.compile(r".* in values[.]([A-Za-z.]+)( [|] items)?")


@dataclass(frozen=True)
class Group:
    """Rows that share their conditions and loops, which stand in one block."""

    given: tuple[str, ...]
    loops: tuple[str, ...]
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
        if self.given and not any(_holds(condition, values) for condition in self.given):
            return False
        over = _PLAIN_LOOP.fullmatch(self.loops[0]) if self.loops else None
        return not over or bool(_value(over[1], values))

    @functools.cached_property
    def _template(self) -> jinja2.Template:
        """A line for each problem: the row's number, its path, its message, and whether it looked at a gap."""
        lines = []
        for loop in self.loops:
            lines += [f"<% for {loop} %>", f"<% set at_{re.split('[, ]', loop)[0]} = loop.index0 %>"]
        for number, row in enumerate(self.rows):
            lines.append(f"<% if watch.start() and ({row.when}) %>")
            lines += [f"{number}\t{_path(row.path)}\t{row.message}\t<< watch.missed >>", "<% endif %>"]
        lines += ["<% endfor %>"] * len(self.loops)
        return environment().from_string("\n".join(lines) + "\n")


def groups(rows: Iterable[Check]) -> list[Group]:
    """The rows, those with the same conditions and loops together, in the order in which these come first."""
    together: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Check]] = {}
    for row in rows:
        together.setdefault((row.given, row.loops), []).append(row)
    return [Group(given, loops, tuple(found)) for (given, loops), found in together.items()]


def _holds(condition: str, values: Mapping[str, Any]) -> bool:
    path, sign, limit = (*condition.split(" ", 2), "", "")[:3]
    value = _value(path, values)
    if not sign:
        return bool(value)
    compare = {"!=": operator.ne, ">": operator.gt}[sign]
    return bool(compare(value, json.loads(limit)))


def _value(path: str, values: Mapping[str, Any]) -> Any:
    found: Any = values
    for key in path.split("."):
        found = found.get(key)
    return found


def _part(text: str) -> str | int:
    return int(text.removeprefix(INDEX)) if text.startswith(INDEX) else text


def _path(path: str) -> str:
    """The template of a row's path, in the form that `_part` reads."""
    path = re.sub(r"<<.*?>>|[.]", lambda part: part[0] if part[0] != "." else SEPARATOR, path)
    return re.sub(r"\[([a-z]+)\]", lambda part: f"{SEPARATOR}{INDEX}<< at_{part[1]} >>", path)
