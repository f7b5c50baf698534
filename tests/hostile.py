"""Whether work grows with its input, and the texts on which a pattern takes longest.

Those are made from parts of the pattern: parts that repeat, and beginnings that never end.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from re import _constants as code  # type: ignore[attr-defined]  # not in typeshed
from re import _parser as parser  # type: ignore[attr-defined]  # not in typeshed
from typing import Any

LENGTH = 8_192
CATEGORIES = {
    code.CATEGORY_DIGIT: "0",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_WORD: "a",
    code.CATEGORY_NOT_SPACE: "a",
    code.CATEGORY_NOT_DIGIT: "a",
    code.CATEGORY_NOT_WORD: ".",
}
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT)
MOST = 24
"""Samples of a part, of its many."""
RATIO = 6
"""Times as many seconds for four times the input."""


def grows(make: Callable[[int], Any], work: Callable[[Any], object], size: int, enough: float) -> bool:
    """Whether work on four times the input takes more than four times as long, three times in a row.

    It is sixteen times or more if each part is compared with each other one. Measured are the processor's seconds; if
    there are no more than `enough`, the ratio would be one of noise.
    """
    small, large = make(size), make(4 * size)
    if seconds(work, large) <= enough:
        return False
    return all(seconds(work, large) / max(seconds(work, small), 1e-9) > RATIO for _ in range(3))


def seconds(work: Callable[[Any], object], given: Any) -> float:
    begun = time.process_time()
    work(given)
    return time.process_time() - begun


def texts(pattern: str, flags: int = 0) -> Iterator[str]:
    """Texts of LENGTH characters for this pattern."""
    tree = parser.parse(pattern, flags)
    whole = _samples(tree)
    parts = sorted({*_parts(tree), *whole} - {""}, key=lambda part: (len(part), part))[: 2 * MOST]
    beginnings = {text[:length] for text in whole[:8] for length in range(1, len(text) + 1)}
    pairs = {one + other for one in parts[:14] for other in parts[:14]}
    for part in sorted({*parts, *pairs, *beginnings}):
        yield repeated(part)
    for beginning in sorted(beginnings, key=len)[:60]:
        for part in parts[:12]:
            yield beginning + repeated(part)


def repeated(part: str) -> str:
    return (part * (LENGTH // len(part) + 1))[:LENGTH]


def _samples(tree: Iterable[Any]) -> list[str]:
    """Texts that match, or nearly."""
    texts = [""]
    for operation, argument in tree:
        texts = [before + after for before in texts for after in _sample(operation, argument)][:MOST]
    return texts


def _sample(operation: Any, argument: Any) -> list[str]:
    if operation is code.LITERAL:
        return [chr(argument)]
    if operation in (code.NOT_LITERAL, code.ANY):
        return ["a" if argument != ord("a") else "b"]
    if operation is code.IN:
        return _characters(argument)[:3]
    if operation is code.BRANCH:
        return [text for branch in argument[1] for text in _samples(branch)[:2]]
    if operation is code.SUBPATTERN:
        return _samples(argument[3])
    if operation is code.ASSERT:
        return _samples(argument[1])[:2] if argument[0] == 1 else [""]
    if operation in REPEATS:
        least, _, inside = argument
        return [text * max(least, 1) for text in _samples(inside)[:3]] + ([""] if least == 0 else [])
    return [""]


def _characters(members: Iterable[Any]) -> list[str]:
    """Some members of a class."""
    named = []
    for operation, argument in members:
        if operation is code.LITERAL:
            named.append(chr(argument))
        elif operation is code.RANGE:
            named.append(chr(argument[0]))
        elif operation is code.CATEGORY:
            named.append(CATEGORIES[argument])
    if (code.NEGATE, None) in members:
        return [char for char in "a:0/ .#" if char not in named] or ["\x01"]
    return named


def _parts(tree: Iterable[Any]) -> Iterator[str]:
    """Samples of each part of a pattern, at every depth."""
    for operation, argument in tree:
        yield from _sample(operation, argument)
        inner: list[Any] = []
        if operation is code.SUBPATTERN:
            inner = [argument[3]]
        elif operation in REPEATS:
            inner = [argument[2]]
        elif operation is code.BRANCH:
            inner = argument[1]
        elif operation in (code.ASSERT, code.ASSERT_NOT):
            inner = [argument[1]]
        for one in inner:
            yield from _parts(one)


def pattern_of(compiled: "re.Pattern[Any]") -> tuple[str, int]:
    """Its text and flags, as for characters if it is one for bytes."""
    if isinstance(compiled.pattern, bytes):
        return compiled.pattern.decode("latin-1"), compiled.flags
    return compiled.pattern, compiled.flags & ~re.UNICODE
