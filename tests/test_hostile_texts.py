"""Text of others never takes much longer than its length: every pattern that reads such text, with hostile texts."""

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dsgen.problems import safe_text
from shared import log
from tests import hostile

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent / "dsgen"
READERS = ("checks", "cluster", "language", "problems", "reading", "schema", "scripts")
"""Folders that read the text of others: values files, output of trainings, answers of a cluster."""
ANCHORED = ("match", "fullmatch")


class Use(NamedTuple):
    """A pattern of a module, and whether it is only matched at the beginning of a text."""

    place: str
    pattern: str
    flags: int
    anchored: bool


def uses() -> Iterator[Use]:
    for folder in READERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from uses_of(path)
    yield from (Use("dsgen/scripts/shared/log.py", pattern, 0, False) for pattern in log.SECRETS)


def uses_of(path: Path) -> Iterator[Use]:
    """The patterns of a module. Those that are made of other texts have an x in their place."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    methods: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            methods.setdefault(node.value.id, set()).add(node.attr)
    names = {id(node.value): node.targets[0] for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    texts = {getattr(one.targets[0], "id", ""): one.value for one in tree.body if isinstance(one, ast.Assign)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        name = names.get(id(node))
        used = methods.get(name.id, set()) if isinstance(name, ast.Name) else {node.func.attr}
        first = node.args[0]
        pattern = text_of(texts.get(first.id, first) if isinstance(first, ast.Name) else first)
        if pattern is not None and node.func.attr != "escape":
            flags = functools.reduce(lambda a, b: a | b, [getattr(re, flag) for flag in flags_of(node)], 0)
            place = f"{path.relative_to(ROOT)}:{node.lineno}"
            yield Use(place, pattern, flags, bool(used) and used.issubset(ANCHORED))


def text_of(node: ast.expr) -> str | None:
    """A text in the source, or None for a variable."""
    if isinstance(node, ast.JoinedStr):
        return "".join("x" if isinstance(part, ast.FormattedValue) else str(text_of(part)) for part in node.values)
    if not isinstance(node, ast.Constant):
        return None
    return node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)


def flags_of(call: ast.Call) -> set[str]:
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    nodes = [node for one in given for node in ast.walk(one)]
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)} & {
        "DOTALL", "I", "IGNORECASE", "MULTILINE", "ASCII",
    }  # fmt: skip


@pytest.mark.by_turns("use")
@pytest.mark.parametrize("use", [pytest.param(use, id=use.place) for use in uses()])
def test_a_pattern_takes_time_in_proportion_to_the_text(use: Use) -> None:
    compiled = re.compile(use.pattern, use.flags)
    read = compiled.match if use.anchored else functools.partial(compiled.sub, "")

    assert [] == [text[:60] for text in hostile.texts(use.pattern, use.flags) if hostile.is_endless(read, text)]


PARTS = (
    *(*':/@?#="[ {0a~', "://", "https://", "ssh://", "A_"),
    *("TOKEN", "API_KEY=", "hf_", "hooks.slack.com/services/", "##", "::", "\x1b[", "\t", "\ud800", "\u202e"),
)


@pytest.mark.by_turns("part")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "read",
    [safe_text.redact, safe_text.escape_line, safe_text.hide, safe_text.holds_secret, log.redact],
    ids=lambda read: f"{read.__module__}.{read.__name__}",
)
def test_what_makes_a_text_safe_takes_time_in_proportion_to_it(read: Callable[[str], Any], part: str) -> None:
    made = [hostile.repeated(part + other) for other in PARTS]

    assert [] == [text[:60] for text in made if hostile.is_endless(read, text)]


def test_all_patterns_are_found() -> None:
    """Also those that are texts in a tuple. Two are made of other texts; the test above uses them."""
    found = {use.pattern for use in uses()}
    made = {safe_text._SECRET_NAME.pattern, safe_text._NAMED.pattern}

    assert {one.pattern for one in vars(safe_text).values() if isinstance(one, re.Pattern)} - made <= found
    assert set(log.SECRETS) <= found
