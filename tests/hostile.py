"""Whether work grows with its input, and the texts on which a pattern takes longest.

Those are made from parts of the pattern: parts that repeat, and beginnings that never end.
"""

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from re import _constants as code  # type: ignore[attr-defined]  # not in typeshed
from re import _parser as parser  # type: ignore[attr-defined]  # not in typeshed
from types import FrameType
from typing import Any

LENGTH = 131_072
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
RATIO = 5
"""Times as many calls for four times the input."""
SECONDS = 4
"""Of the processor, for a text of LENGTH: ten times as many as a pattern takes that looks at each character once, and
a fraction of those that one takes which looks at each pair of characters."""


def calls(work: Callable[[Any], object], given: Any) -> int:
    """How many functions the work calls, Python's and C's: the same number on every machine."""
    count = 0

    def add(_frame: object, event: str, _function: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(add)
    try:
        work(given)
    finally:
        sys.setprofile(None)
    return count


def grows(make: Callable[[int], Any], work: Callable[[Any], object], size: int) -> bool:
    """Whether work on four times the input makes more than four times as many calls.

    It is sixteen times or more if each part is compared with each other one.
    """
    return calls(work, make(4 * size)) > RATIO * calls(work, make(size))


class EndlessError(Exception):
    """The work was ended."""


def is_endless(work: Callable[[str], object], text: str) -> bool:
    """Whether a pattern is still at work where each that looks at a character once has ended long before."""

    def end(*_: object) -> None:
        raise EndlessError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        work(text)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except EndlessError:
        return True
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return False


def count_lines(work: Callable[..., object], *given: object) -> int:
    """How many lines of Python the work runs, which is the same on a slow and on a busy machine."""
    count = 0

    def trace(_: FrameType, event: str, __: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    work(*given)  # what is read only once is read now
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(*given)
    finally:
        sys.settrace(before)
    return count


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
