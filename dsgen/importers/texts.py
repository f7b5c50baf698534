"""Texts of a source whose characters know their places, and the parts of them that are not known.

A value of a shell script is put together from several places of the file: from assignments, arrays and defaults. Each
character keeps its place, so that a word of the final command line can be reported where a person wrote it. What is
only known in the cluster, such as the rank of a process, is one private character, which stands for an `UnknownPart`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from dsgen.problems import Position

FIRST, LAST = 0xF0000, 0xFFFFD
"""The private characters that stand for unknown parts. A source that contains one of them is refused."""

MOST_WORK = 10_000_000
"""Characters that one source may become. A script of a page needs some hundred thousand."""
OF_OPERATION, OF_STATEMENT, OF_ENTRY = 60, 1_500, 1_000
"""What an operation on a text, a statement of a script and an entry of the report cost as well, in characters."""
_LEFT: ContextVar[list[int] | None] = ContextVar("left", default=None)


class TooMuchWorkError(Exception):
    """A source takes more work than any description of a job: its texts double each other, or it is a list."""


@contextmanager
def limit_work() -> Iterator[None]:
    """Inside, `spend` raises TooMuchWorkError after MOST_WORK characters."""
    token = _LEFT.set([MOST_WORK])
    try:
        yield
    finally:
        _LEFT.reset(token)


def spend(characters: int) -> None:
    """Count work in proportion to a number of characters. Raises TooMuchWorkError if there is too much of it."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= characters
        if left[0] < 0:
            raise TooMuchWorkError


Kind = Literal["variable", "positional", "runtime", "hosts", "changing", "command", "secret"]


@dataclass(frozen=True)
class UnknownPart:
    """A part of a text that only the cluster knows.

    kind: `variable`, never set in the source; `positional`, an argument of the script; `runtime`, a number that dsgen
    provides to the processes (name: RANK, NODE_RANK, ...); `hosts`, the first node (MASTER_ADDR), the own one
    (HOSTNAME), the list of all (LIST) or another one (OTHER); `changing`, another value for each submission (a date,
    the id of the job); `command`, the output of another command; `secret`, a value that is not copied. name: of the
    variable; empty if it is none. source: how a shell would compute it. is_split: without quotes, so that it may be
    several words. folder: for PWD, the folder as the script says it; "" for the one in which it starts.
    """

    kind: Kind
    name: str
    source: str = ""
    is_split: bool = False
    folder: str = ""

    @property
    def shell(self) -> str:
        """The part in a shell script."""
        return self.source or f"${{{self.name}}}"


@dataclass(frozen=True)
class Text:
    """Characters, and the place of each: a number that `SourceMap.resolve_place` resolves."""

    chars: str = ""
    places: Sequence[int] = ()

    def __add__(self, other: Text) -> Text:
        if not self.chars or not other.chars:
            return self if self.chars else other
        spend(len(self.chars) + len(other.chars) + OF_OPERATION)
        return Text(self.chars + other.chars, [*self.places, *other.places])

    def __getitem__(self, part: slice) -> Text:
        spend(OF_OPERATION)
        return Text(self.chars[part], self.places[part])

    def __bool__(self) -> bool:
        return bool(self.chars)

    def strip(self) -> Text:
        """Without blanks around it."""
        start = len(self.chars) - len(self.chars.lstrip())
        return self[start : len(self.chars.rstrip())]

    def split(self, separators: str = " \t\n") -> list[Text]:
        """The words between blanks, or between others of these characters."""
        spend(len(self.chars))
        words, start = [], None
        for index, char in enumerate(self.chars + separators[0]):
            if char in separators and start is not None:
                words.append(self[start:index])
                start = None
            elif char not in separators and start is None:
                start = index
        return words

    def partition(self, separator: str) -> tuple[Text, bool, Text]:
        """What is before the first separator, whether there is one, and what is after it."""
        at = self.chars.find(separator)
        if at < 0:
            return self, False, Text()
        return self[:at], True, self[at + len(separator) :]

    @property
    def number(self) -> int | None:
        """Its whole number; None if it is none."""
        return int(self.chars) if re.fullmatch("[0-9]{1,7}", self.chars) else None

    @property
    def is_known(self) -> bool:
        """Whether no part of it is unknown."""
        return not any(is_private(char) for char in self.chars)


def place_at(chars: str, like: Text) -> Text:
    """Characters that all have the place where another text begins."""
    spend(len(chars))
    return Text(chars, [like.places[0]] * len(chars) if like.places else [0] * len(chars))


def add_places(text: Text, like: Text) -> Text:
    """A text that has places: its own, or where another text begins."""
    return text if text.places or not text.chars else place_at(text.chars, like)


def is_private(char: str) -> bool:
    """Whether a character stands for an unknown part."""
    return FIRST <= ord(char) <= LAST


def join(texts: Sequence[Text], separator: str = "") -> Text:
    """The texts one after the other; the separators have the place of the character before them."""
    spend(sum(len(text.chars) + OF_OPERATION for text in texts))
    chars, places = separator.join(text.chars for text in texts), list[int]()
    for number, text in enumerate(texts):
        if number:
            places += [places[-1] if places else (text.places[0] if text.chars else 0)] * len(separator)
        places += text.places
    return Text(chars, places)


@dataclass(frozen=True)
class _Span:
    """Where the lines of one text begin: the offset of each line in the text, and its place in the file."""

    base: int
    offsets: list[int]
    positions: list[Position]
    is_fixed: bool = False

    def locate(self, place: int) -> Position:
        offset = place - self.base
        line = bisect_right(self.offsets, offset) - 1
        at = self.positions[line]
        return at if self.is_fixed else Position(at.file, at.line, at.column + offset - self.offsets[line])


@dataclass
class SourceMap:
    """All texts of one import, and the unknown parts in them."""

    _charts: list[_Span] = field(default_factory=list)
    _end: int = 1
    _unknown: dict[UnknownPart, int] = field(default_factory=dict)
    _parts: list[UnknownPart] = field(default_factory=list)

    def add_file(self, name: str, text: str) -> Text:
        """A whole file."""
        starts = _find_line_starts(text)
        return self._add(text, starts, [Position(name, line, 1) for line in range(1, len(starts) + 1)])

    def add_scalar(self, text: str, at: Position, block: Sequence[Position] = (), quoted: bool = False) -> Text:
        """A scalar of a YAML file. block: the places of the lines of a block scalar; otherwise it is on one line."""
        starts = _find_line_starts(text)
        if block and len(block) >= len(starts):
            return self._add(text, starts, list(block[: len(starts)]))
        start = Position(at.file, at.line, at.column + quoted)
        return self._add(text, [0], [start], is_fixed="\n" in text)

    def add_unknown(self, part: UnknownPart, places: Sequence[int]) -> Text:
        """A text of one unknown part, at the first of these places."""
        if part not in self._unknown:
            spend(OF_STATEMENT)  # so that there are fewer of them than private characters
            self._unknown[part] = len(self._parts)
            self._parts.append(part)
        return Text(chr(FIRST + self._unknown[part]), places[:1])

    def resolve_part(self, char: str) -> UnknownPart:
        """The unknown part that a private character stands for."""
        return self._parts[ord(char) - FIRST]

    def list_unknowns(self, text: Text) -> list[UnknownPart]:
        """The unknown parts of a text, in order."""
        spend(len(text.chars) + OF_OPERATION)
        return [self.resolve_part(char) for char in text.chars if is_private(char)]

    def split_pieces(self, text: Text) -> Iterator[str | UnknownPart]:
        """The literal and the unknown parts of a text, in order."""
        spend(len(text.chars))
        literal = ""
        for char in text.chars:
            if is_private(char):
                if literal:
                    yield literal
                yield self.resolve_part(char)
                literal = ""
            else:
                literal += char
        if literal:
            yield literal

    def format_text(self, text: Text) -> str:
        """The text for people and for messages, with the shell's form of its unknown parts."""
        return "".join(one if isinstance(one, str) else one.shell for one in self.split_pieces(text))

    def format_words(self, words: Sequence[Text]) -> list[str]:
        """Several texts, as `format_text` shows them."""
        return [self.format_text(word) for word in words]

    def locate(self, text: Text) -> Position | None:
        """The place of the first character; None for an empty text."""
        return self.resolve_place(text.places[0]) if text.chars else None

    def resolve_place(self, place: int) -> Position:
        """The place that a number stands for."""
        number = bisect_right(self._charts, place, key=lambda chart: chart.base) - 1
        return self._charts[max(number, 0)].locate(place)

    def _add(self, text: str, starts: list[int], positions: list[Position], is_fixed: bool = False) -> Text:
        base = self._end
        self._charts.append(_Span(base, starts, positions, is_fixed))
        self._end += len(text) + 1
        return Text(text, range(base, base + len(text)))


def _find_line_starts(text: str) -> list[int]:
    return [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]
