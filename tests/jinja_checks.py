"""Evaluates the rows of the checks with Jinja2, to compare the generated Python with it."""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jinja2

from dsgen.checks import Watch
from dsgen.checks.row import Check
from dsgen.language.environment import make_environment
from dsgen.problems import KeyPath

SEPARATOR, INDEX = "\x1f", "\x1e"
"""Between the parts of a rendered path; before a part that is an index. JSON of keys holds no control character."""


def evaluate_rows(
    rows: Sequence[Check], values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
) -> Iterator[tuple[Check, KeyPath, str]]:
    """As in dsgen/checks: each row that has found something without a look at a gap, path and message."""
    for line in filter(None, _template(*rows).render(values=values, release=release, watch=watch).split("\n")):
        number, path, message, missed = line.split("\t")
        if missed == "false":
            yield rows[int(number)], tuple(map(_part, path.split(SEPARATOR))), message


@functools.cache
def _template(*rows: Check) -> jinja2.Template:
    """One template of all rows, because starting one costs more than evaluating it; what a row sets ends with it."""
    texts = (f"<% with %>\n{_text(row, number)}\n<% endwith %>\n" for number, row in enumerate(rows))
    return make_environment().from_string("".join(texts))


def _text(row: Check, number: int) -> str:
    """A line for each problem: the number of the row, its path, its message, and whether a gap was looked at.

    In each turn of the loops what is set, and all conditions, are looked at anew.
    """
    sets = [f"<% {tag} %>" for tag in row.list_tags() if tag.startswith("set ")]
    lines = []
    for tag in row.list_tags():
        lines.append(f"<% {tag} %>")
        if tag.startswith("for "):
            lines.append(f"<% set at_{re.split('[, ]', tag)[1]} = loop.index0 %>")
    conditions = [f"({tag.removeprefix('if ')})" for tag in row.list_tags() if tag.startswith("if ")]
    lines += ["<% if watch.start() %>", *sets, f"<% if {' and '.join(conditions) or 'true'} %>"]
    lines += [f"{number}\t{_path(row.path)}\t{row.message}\t<< watch.was_read >>", "<% endif %>", "<% endif %>"]
    blocks = [tag.partition(" ")[0] for tag in reversed(row.list_tags())]
    lines += [f"<% end{block} %>" for block in blocks if block in ("for", "if")]
    return "\n".join(lines)


def _part(text: str) -> str | int:
    if text.startswith(INDEX):
        return int(text.removeprefix(INDEX))
    return str(json.loads(text)) if text.startswith('"') else text


def _path(path: str) -> str:
    """The template of a row's path, in the form that `_part` reads."""
    path = re.sub(r"<<(.*?)>>|[.]", lambda part: f"<<{part[1]}| json >>" if part[1] else SEPARATOR, path)
    return re.sub(r"\[([a-z]+)\]", lambda part: f"{SEPARATOR}{INDEX}<< at_{part[1]} >>", path)
