"""What makes a text no YAML: characters and lines that it cannot contain, syntax errors, and files of other kinds.

The parser often stops below the mistake that causes a syntax error: at the end of the file for a quote that is not
closed, in the next line for a wrong indentation. Each function in `GUESSES` recognises one kind of mistake by the
message of the parser and the lines around; the most reliable ones come first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import yaml

from dsgen.problems import Diagnostic, Position
from dsgen.reading.nodes import SourceText
from dsgen.reading.scalars import is_refused

MOST_SHOWN = 20
"""Characters and lines that are reported for one file; a binary file has far more."""

_PLAIN = re.compile("[\t\n\r -~]*")
_UNREADABLE = "[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""Not compiled at import: that takes 9 ms, and most files match `_PLAIN`."""
_UTF_16 = "\udcff\udcfe|\udcfe\udcff|([ -~]\0){2}|(\0[ -~]){2}"
"""The beginning of a UTF-16 file that is read as UTF-8: a byte order mark, or ASCII with zero bytes between."""
_SEPARATOR = re.compile("^---(?![ \\t\\r]*$|[ \\t]+#)", re.MULTILINE)
LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

_HIDDEN_LINE_END = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
"""Line ends of YAML that editors, diffs and terminals show as a part of the line, so that they can hide a key."""


def find_unreadable_characters(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, message and hint for the first characters that YAML does not allow."""
    if _PLAIN.fullmatch(text):
        return
    if re.match(_UTF_16, text):
        yield 1, 1, "the file is UTF-16", "save it as UTF-8"
        return
    matches = list(islice(re.finditer(_UNREADABLE, text), MOST_SHOWN))
    for line, column, char in _locate(matches, text):
        if "\udc80" <= char <= "\udcff":
            yield line, column, f"byte 0x{ord(char) - 0xDC00:02x} is not UTF-8", "save the file as UTF-8"
            continue
        hint = "remove it" if is_refused(char) else 'write it as an escape in double quotes, such as "\\x07"'
        yield line, column, f"the character U+{ord(char):04X} is not allowed in YAML", hint


def _locate(matches: Sequence[re.Match[str]], text: str) -> Iterator[tuple[int, int, str]]:
    """Line and column of each matched character."""
    starts = [0, *(line.end() for line in LINE_END.finditer(text))] if matches else []
    for match in matches:
        line = bisect_right(starts, match.start())
        yield line, match.start() - starts[line - 1] + 1, match[0]


def find_hidden_line_ends(text: str, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, message and hint for the first line ends that nobody sees. quoted: where quoted texts are."""
    spans = iter([*quoted, (len(text), len(text))])
    begin, end = next(spans)
    found = []
    for match in _HIDDEN_LINE_END.finditer(text):
        while match.start() >= end:
            begin, end = next(spans)
        if match.start() < begin:
            found.append(match)
        if len(found) == MOST_SHOWN:
            break
    for line, column, char in _locate(found, text):
        message = f"the character U+{ord(char):04X} ends a line of YAML, and nobody sees it"
        yield line, column, message, "remove it, or write it as an escape in double quotes"


def find_directive(text: str) -> int | None:
    """The number of the line with a YAML directive before the document, or None."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            return None
    return None


def find_separators(text: str) -> list[int]:
    """The numbers of the first lines that begin with `---` and have more text, on which Helm 4 fails.

    Helm 4 splits the text at such lines before it parses YAML, so `---a: 1` fails, and `---` at the start of a line
    inside quotes.
    """
    return [text.count("\n", 0, match.start()) + 1 for match in islice(_SEPARATOR.finditer(text), MOST_SHOWN)]


NO_COLON, COLON = "this key has no colon", "write a colon and a space after a key"
USUAL = "the indentation, or a quote or bracket above that is not closed, is the usual cause"
KEY = r"""[ -]*+("[^"]*"|'[^']*'|[^\s"'\[\]{},#][^:#]*):( |\t|$)"""
COMMENT = r"(?<=[ \t\[{,])#"
USUAL_STEP = 2
"""Spaces per level, if the file has no other example."""

LineColumn = tuple[int, int]
"""Line and column, both from 0."""


@dataclass(frozen=True)
class Mistake:
    """The place, message and hint of a mistake."""

    place: LineColumn
    message: str
    hint: str = USUAL


@dataclass(frozen=True)
class Stop:
    """The place and the reason of a syntax error, and the last quoted text before it."""

    lines: Sequence[str]
    place: LineColumn
    problem: str
    context: str = ""
    begin: LineColumn | None = None
    quoted: tuple[LineColumn, LineColumn] | None = None

    @property
    def number(self) -> int:
        return self.place[0]

    def list_above(self, number: int) -> Iterator[int]:
        """The numbers of the lines above that are neither empty nor comments, nearest first."""
        return (at for at in range(min(number, len(self.lines)) - 1, -1, -1) if self._has_words(at))

    def list_below(self, number: int) -> Iterator[int]:
        """The same for the lines below."""
        return (at for at in range(number + 1, len(self.lines)) if self._has_words(at))

    def _has_words(self, number: int) -> bool:
        words = self.lines[number].lstrip()
        return bool(words) and not words.startswith("#")

    def count_indentation(self, number: int) -> int:
        line = self.lines[number]
        return len(line) - len(line.lstrip(" "))

    def opens(self, number: int) -> bool:
        """Whether a line is a key whose value is in the lines below."""
        return self.lines[number].partition(" #")[0].rstrip().endswith(":")

    def find_parent(self, number: int) -> int | None:
        """The nearest line above that is indented less, or None."""
        return next(
            (at for at in self.list_above(number) if self.count_indentation(at) < self.count_indentation(number)), None
        )

    def find_start(self, number: int) -> LineColumn:
        """The first word of a line."""
        return number, self.count_indentation(number)

    def report_key(self, place: LineColumn) -> Mistake:
        """That a key has no colon."""
        is_space = "\xa0" in self.lines[place[0]]
        return Mistake(place, NO_COLON, "write an ordinary space for the no-break space U+00A0" if is_space else COLON)


def find_mistake(error: yaml.MarkedYAMLError, text: str, quoted: tuple[LineColumn, LineColumn] | None) -> Mistake:
    """The most likely mistake; otherwise the message of the parser.

    quoted: begin and end of the last quoted text.
    """
    begin = find_place(error.context_mark) if error.context_mark else None
    lines = [*LINE_END.split(text), ""]
    stop = Stop(lines, find_stop(error), error.problem or "", error.context or "", begin, quoted)
    guesses = (guess(stop) for guess in GUESSES)
    return next(filter(None, guesses), None) or Mistake(stop.place, f"{stop.context} {stop.problem}".strip())


def find_stop(error: yaml.MarkedYAMLError) -> LineColumn:
    """Where the parser stopped; the beginning of the file if it does not say."""
    mark = error.problem_mark or error.context_mark
    return find_place(mark) if mark else (0, 0)


def find_place(mark: Any) -> LineColumn:
    """The place of a mark of PyYAML."""
    return mark.line, mark.column


def find_index(mark: Any) -> int:
    """The index of a mark in the text."""
    index: int = mark.index
    return index


def _find_forbidden_start(stop: Stop) -> Mistake | None:
    """A character that cannot begin a value, such as a tab in the indentation."""
    if "any token" not in stop.problem and "a tab" not in stop.problem:
        return None
    line = stop.lines[stop.number]
    indentation, word = line[: len(line) - len(line.lstrip())], re.match(r"[@`][^\s,\[\]{}]*", line[stop.place[1] :])
    if "\t" in indentation or line[stop.place[1] :][:1] == "\t":
        column = indentation.index("\t") if "\t" in indentation else stop.place[1]
        return Mistake((stop.number, column), "a tab cannot indent", "use spaces")
    if not word:
        return None
    return Mistake(stop.place, f"a value that begins with {word[0][0]} must be in quotes", f'write "{word[0]}"')


def _find_open_quote(stop: Stop) -> Mistake | None:
    hint = "close it on the same line"
    scanning = stop.begin if stop.context == "while scanning a quoted scalar" else None
    if stop.quoted and stop.quoted[0][0] < stop.quoted[1][0] == (scanning or stop.place)[0]:
        message = f"the string that begins with this quote continues to line {stop.quoted[1][0] + 1}"
        return Mistake(stop.quoted[0], message, hint)
    return Mistake(scanning, "the string that begins with this quote has no end", hint) if scanning else None


def _find_comment_in_brackets(stop: Stop) -> Mistake | None:
    """A `#` in brackets, such as that of a color, that makes a comment of their end."""
    if not stop.context.startswith("while parsing a flow"):
        return None
    for at in range(stop.begin[0] if stop.begin and stop.begin[0] < stop.number else 0, stop.number):
        before, comment = [*re.split(COMMENT, stop.lines[at], maxsplit=1), ""][:2]
        if sum(map(before.count, "[{")) > sum(map(before.count, "]}")) and any(char in comment for char in "]}"):
            return Mistake(
                (at, len(before)),
                "this bracket is not closed",
                "all after # is a comment: put a text that contains it in quotes",
            )
    return None


def _find_open_bracket(stop: Stop) -> Mistake | None:
    if not stop.context.startswith("while parsing a flow") or not stop.begin or stop.begin[0] == stop.number:
        return None
    first = stop.begin[0]
    following = next(stop.list_below(first), first)
    inside = stop.count_indentation(following) > stop.count_indentation(first) or stop.lines[
        following
    ].lstrip().startswith(("]", "}"))
    if inside and stop.lines[first].partition(" #")[0].rstrip().endswith((",", "[", "{")):
        return None  # the bracket is meant to extend over several lines
    return Mistake(stop.begin, "this bracket is not closed", "close it on the same line, or end the line with a comma")


def _find_missing_colon(stop: Stop) -> Mistake | None:
    if stop.context == "while scanning a simple key" and stop.begin:
        return stop.report_key(stop.begin)
    if stop.problem != "mapping values are not allowed in this context":
        return None
    above = next(stop.list_above(stop.number), None)
    if above is None or stop.lines[above].lstrip().startswith("- "):
        return None
    if not re.match(KEY, stop.lines[above]):
        return stop.report_key(stop.find_start(above))
    return _find_shallow_line(stop, above)


def _find_end_of_document(stop: Stop) -> Mistake | None:
    if stop.problem != "did not find expected <document start>":
        return None
    first = next(stop.list_below(-1), stop.number)
    if stop.count_indentation(first) > stop.count_indentation(stop.number):
        return Mistake(
            stop.find_start(first), "this line is indented more than those below", "begin it in the same column"
        )
    ends = (at for at in stop.list_above(stop.number) if stop.lines[at].startswith(("...", "%")))
    mark = next(ends, None)
    return None if mark is None else Mistake((mark, 0), "the document ends here, and more follows", "remove this line")


def _find_lonely_dash(stop: Stop) -> Mistake | None:
    if stop.problem != "did not find expected '-' indicator" or not stop.begin or stop.begin[1] != stop.place[1]:
        return None
    if not re.match(KEY, stop.lines[stop.number]):
        return None
    dashes = [at for at in range(stop.begin[0], stop.number) if stop.lines[at][stop.begin[1] :].startswith("-")]
    if len(dashes) > 1:
        return None
    return Mistake(stop.begin, "this dash begins a list, but keys of a map follow", "remove it, or write dashes there")


def _find_wrong_indentation(stop: Stop) -> Mistake | None:
    if stop.problem != "did not find expected key" or not stop.context.startswith("while parsing a block mapping"):
        return None
    if stop.place[1] != stop.count_indentation(stop.number):
        return None  # the parser did not stop at the first word of the line
    above = next(stop.list_above(stop.number), stop.number)
    if stop.count_indentation(above) < stop.count_indentation(stop.number):
        return _find_lines_below_value(stop, above) or _find_shallow_line(stop, above)
    return _find_deep_line(stop)


def _find_lines_below_value(stop: Stop, above: int) -> Mistake | None:
    """Several lines below a key that has a value on its own line."""
    below = next(stop.list_below(stop.number), None)
    if below is None or stop.count_indentation(below) < stop.count_indentation(stop.number) or stop.opens(stop.number):
        return None
    return Mistake(stop.find_start(above), "this key has a value, and more lines below it", "remove one or the other")


def _find_shallow_line(stop: Stop, above: int) -> Mistake | None:
    """The first line below a key is indented too little, and the next one is not."""
    parent = stop.find_parent(above)
    if parent is None or next(stop.list_below(parent)) != above:
        return None
    return _find_in_level(stop, above, parent)


def _find_deep_line(stop: Stop) -> Mistake | None:
    """The first line below a key is indented too much, or the current line too little."""
    parent = stop.find_parent(stop.number)
    if parent is None or stop.count_indentation(first := next(stop.list_below(parent))) <= stop.count_indentation(
        stop.number
    ):
        return None
    return _find_in_level(stop, first, parent) or Mistake(
        stop.place, "the lines of one level must begin in the same column"
    )


def _find_in_level(stop: Stop, first: int, parent: int) -> Mistake | None:
    """The mistake is in the first line of the level if the current line has the usual indentation."""
    usual = stop.count_indentation(parent) + _find_usual_step(stop, parent)
    if stop.count_indentation(stop.number) != usual or stop.count_indentation(first) == usual:
        return None
    return Mistake(
        stop.find_start(first), "this line does not begin in the column of those below", f"indent it by {usual}"
    )


def _find_usual_step(stop: Stop, parent: int) -> int:
    """The most frequent indentation below a key in the file, without the lines in question."""
    steps = Counter(
        stop.count_indentation(below) - stop.count_indentation(at)
        for at in range(len(stop.lines))
        if at not in (parent, stop.number) and stop.opens(at) and (below := next(stop.list_below(at), None))
    )
    return next((step for step, _ in steps.most_common() if step > 0), USUAL_STEP)


GUESSES: tuple[Callable[[Stop], Mistake | None], ...] = (
    _find_forbidden_start,
    _find_open_quote,
    _find_comment_in_brackets,
    _find_open_bracket,
    _find_missing_colon,
    _find_end_of_document,
    _find_lonely_dash,
    _find_wrong_indentation,
)


def shorten_tag(tag: str) -> str:
    """The usual form of a tag, such as !!int."""
    return tag.replace("tag:yaml.org,2002:", "!!")


MERGE = re.compile(r"^<{7} .*$[\s\S]*^>{7} ", re.MULTILINE)
FROM_A_PRESET = "start from a preset (`dsgen init --list` lists them): "
FROM_A_SCRIPT = "convert it: dsgen import FILE"
RESOLVE = "resolve the conflict: keep one side or both, and remove the lines with <<<<<<<, ======= and >>>>>>>"
OTHERS = (
    (MERGE, "the file has the marks of an unresolved merge", RESOLVE),
    (re.compile(r"^#SBATCH ", re.MULTILINE), "this is a batch script of Slurm", FROM_A_SCRIPT),
    (re.compile(r"^#(PBS|BSUB|\$) -", re.MULTILINE), "this is a batch script", FROM_A_SCRIPT),
    (re.compile(r"\A#![^\n]*python"), "this is a Python program", f"{FROM_A_PRESET}training.python names the program"),
    (re.compile(r"\A#![^\n]*sh\b"), "this is a shell script", FROM_A_SCRIPT),
)
"""A pattern of the text, what the file is, and what to do."""


def find_other_format(file: SourceText) -> Diagnostic | None:
    """The one problem of a file that cannot be read as YAML; None if it is not known what the file is."""
    for pattern, what, hint in OTHERS:
        if match := pattern.search(file.text):
            at = Position(file.name, file.text.count("\n", 0, match.start()) + 1, 1)
            if pattern is MERGE:
                return Diagnostic("DS017", what, at, hint=hint)
            return Diagnostic("DS016", f"{what}, not a values file", at, hint=hint.replace("FILE", file.name))
    return None
