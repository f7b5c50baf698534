"""Values files with one malformed line: dsgen reports it, without a traceback or a partly written folder."""

import contextlib
import functools
import io
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from dsgen.cli import main
from dsgen.errors import EXIT_FINDINGS
from dsgen.writer import INDEX
from tests.fuzz import verdicts
from tests.helm import MAJORS
from tests.parity import IN_CHART

ROOT = Path(__file__).parent.parent.parent
BATCH = 250
DEFAULT = 2000
BAR, MEANING = 0.95, "of the refused files have their first diagnostic in the spoilt line"
EVERY = 25
"""Of so many files one is also given to Helm alone, as the user does it."""

SAID = re.compile(r"^.*?:(\d+):\d+: (error|warning): .* \[(DS\d+)\]$", re.MULTILINE)


class Case(NamedTuple):
    """A spoilt file, and the lines (1-based) in which its first diagnostic belongs."""

    text: str
    lines: frozenset[int]
    kind: str

    def __str__(self) -> str:
        shown = [f"  {number:3}{'>' if number in self.lines else ' '} {line}" for number, line in self._around()]
        return "\n".join([self.kind, *map(ascii_only, shown)])

    def _around(self) -> list[tuple[int, str]]:
        first, last = max(min(self.lines) - 3, 1), max(self.lines) + 3
        return list(enumerate(self.text.split("\n"), 1))[first - 1 : last]


def ascii_only(text: str) -> str:
    """The text as a terminal shows it, whatever is in it."""
    return text if text.isprintable() else ascii(text)


class Answer(NamedTuple):
    """What the command line did with a file."""

    code: int
    said: str
    files: int

    @property
    def ids(self) -> set[str]:
        return {id_ for _, severity, id_ in SAID.findall(self.said) if severity == "error"}

    @property
    def line(self) -> int:
        """The line of the first diagnostic; 0 without one."""
        match = SAID.search(self.said)
        return int(match[1]) if match else 0


# -- how a line is spoilt ---------------------------------------------------------------------------------------------

BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What the reader counts as the end of a line."""
KEY = re.compile(r"[A-Za-z_][\w.-]*(?=:( |$))")
VALUE = re.compile(r"(?<=: )[^\s,\[\]{}#][^,\[\]{}#]*")
NUMBER = re.compile(r"(?<=[ \"])[0-9]+(?=$|[ \",}\]])")
ODD_VALUES = ("7", "-1", "1.5", "yes", "no", "x", "[x]", "{x: 1}", "[]", "{}", '"7"', "null", "~", "1e3", "010", "{")
ODD_NUMBERS = ("-1", "0", "1.5", "99999999999", "1e400", "0x10", "1_000", "12a", "9007199254740993", '"8"', ".nan")
CHARACTERS = ("\x07", "\x00", "\udcff", "\u00a0", "\u200b", "\u2028", "\x85", "\ufeff", "\x7f", "é", "\ud7ff", "\r")
MARKS = ("!!int ", "!x ", "*x ", "&x ", "@", "`", "%", "? ", "- ", "| ", "> ", "<<: ", "} ", "] ", ", ", "{{ ", "#")

Spoil = Callable[[str, random.Random], str | None]
"""The line spoilt; None where it has nothing to spoil in this way."""


def replacing(pattern: str | re.Pattern[str], change: Callable[[str, random.Random], str]) -> Spoil:
    """One of the places that match is changed."""

    def spoil(line: str, rng: random.Random) -> str | None:
        places = list(re.finditer(pattern, line))
        if not places:
            return None
        place = rng.choice(places)
        return line[: place.start()] + change(place[0], rng) + line[place.end() :]

    return spoil


def typo(word: str, rng: random.Random) -> str:
    """The word with one slip of a finger."""
    at = rng.randrange(len(word))
    return rng.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice("aeistz_-X") + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
            word[:at] + word[at:].swapcase(),
            word + rng.choice("s_ 2"),
        ]
    )


_value = replacing(VALUE, typo)
_quoted = replacing(VALUE, lambda value, rng: rng.choice([f'"{value}', f"'{value}", f'{value}"', f'"a"{value}']))
_opened = replacing(VALUE, lambda value, rng: rng.choice("[{") + value)


def _indentation(line: str, rng: random.Random) -> str | None:
    words = line.lstrip(" ")
    return " " * rng.choice([width for width in range(8) if width != len(line) - len(words)]) + words


def _tab(line: str, rng: random.Random) -> str | None:
    words = line.lstrip(" ")
    return rng.choice(["\t" + words, " \t" + words, line.replace(": ", ":\t", 1), line.replace("  ", "\t", 1)])


def _quote(line: str, rng: random.Random) -> str | None:
    quotes = [place.start() for place in re.finditer("[\"']", line)]
    if quotes and rng.random() < 0.5:
        at = rng.choice(quotes)
        return line[:at] + line[at + 1 :]
    return _quoted(line, rng)


def _bracket(line: str, rng: random.Random) -> str | None:
    if not re.search(r"[\[\]{}]", line):
        return _opened(line, rng)
    return replacing(r"[\[\]{},]", lambda mark, rng: rng.choice(["", mark + mark, ""]))(line, rng)


def _character(line: str, rng: random.Random) -> str | None:
    at = rng.randint(0, len(line))
    return line[:at] + rng.choice(CHARACTERS) + line[at:]


def _dash(line: str, rng: random.Random) -> str | None:
    indentation, words = line[: _width(line)], line[_width(line) :]
    return indentation + (words[2:] if words.startswith("- ") else rng.choice(["- ", "-"]) + words)


def _document(line: str, rng: random.Random) -> str | None:
    return rng.choice(["---", "...", "%YAML 1.2", "--- # second", "---x"]) + rng.choice(["\n" + line, ""])


def _twice(line: str, rng: random.Random) -> str | None:
    return line + "\n" + rng.choice([line, _value(line, rng) or line])


SPOILS: dict[str, Spoil] = {
    "key misspelt": replacing(KEY, typo),
    "value misspelt": _value,
    "another type": replacing(VALUE, lambda _, rng: rng.choice(ODD_VALUES)),
    "another number": replacing(NUMBER, lambda _, rng: rng.choice(ODD_NUMBERS)),
    "no value": replacing(VALUE, lambda *_: ""),
    "indentation": _indentation,
    "tab": _tab,
    "quote": _quote,
    "bracket": _bracket,
    "colon": replacing(": ?", lambda mark, rng: rng.choice(["", " ", mark.strip(), "::", "=", " = "])),
    "character": _character,
    "mark of YAML": replacing(r"(?<=: )|(?<=^)(?=\S)|(?<=- )", lambda _, rng: rng.choice(MARKS)),
    "dash": _dash,
    "another document": _document,
    "line twice": _twice,
    "line gone": lambda *_: "",
}
OFTEN = ("key misspelt", "value misspelt", "another type", "another number", "indentation", "quote")


@functools.cache
def originals() -> list[tuple[str, ...]]:
    """The lines of the files that are spoilt, about which there is nothing to say as they are."""
    paths = [*sorted(ROOT.glob("values-examples/*.yaml")), *sorted(ROOT.glob("tests/cases/valid/*.yaml"))]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        good = [text for text in texts if answer(Case(text, frozenset(), ""), Path(folder)).said == ""]
    return [tuple(text.rstrip("\n").split("\n")) for text in good]


@functools.lru_cache(1000)
def places(lines: tuple[str, ...]) -> list[int]:
    """The lines that are YAML: not empty, no comment, no line of a block of text."""
    inside: set[int] = set()
    with contextlib.suppress(yaml.YAMLError):
        for token in yaml.scan("\n".join(lines) + "\n"):
            if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
                inside.update(range(token.start_mark.line + 1, token.end_mark.line))
    return [at for at, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#" and at not in inside]


def spoilt(lines: tuple[str, ...], rng: random.Random) -> Case:
    """The file with one of its lines spoilt."""
    while True:
        kind = rng.choice([*SPOILS, *OFTEN, *OFTEN])
        at = rng.choice(places(lines))
        new = SPOILS[kind](lines[at], rng)
        if new is not None and new != lines[at]:
            return _case(lines, at, new, kind)


def _case(lines: Sequence[str], at: int, new: str, kind: str) -> Case:
    if kind == "line gone":
        # Nothing stands there any more: what is before and after it, and the map that it was in.
        rest = (*lines[:at], *lines[at + 1 :])
        around = {max(at, 1), min(at + 1, len(rest)), owner(rest, lines[at], at)}
        return Case("\n".join(rest) + "\n", frozenset(around), kind)
    text = "\n".join([*lines[:at], new, *lines[at + 1 :]]) + "\n"
    return Case(text, frozenset(range(at + 1, at + 2 + len(BREAK.findall(new)))), kind)


def owner(rest: tuple[str, ...], line: str, at: int) -> int:
    """The line of the key under which a line stood; the first line of the map for a key at the top."""
    above = ((number, rest[number - 1]) for number in range(at, 0, -1))
    owners = (number for number, other in above if other.strip() and _width(other) < _width(line))
    return next(owners, places(rest)[0] + 1)


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def cases(count: int, seed: int) -> Iterator[Case]:
    """As many files; the same seed gives the same ones."""
    rng, files = random.Random(seed), originals()
    return (spoilt(rng.choice(files), rng) for _ in range(count))


# -- what is done with them -------------------------------------------------------------------------------------------


def answer(case: Case, folder: Path) -> Answer:
    """Renders the file into a new folder by the command line."""
    file, target = folder / "spoilt.yaml", folder / "rendered"
    file.write_bytes(case.text.encode("utf-8", "surrogateescape"))
    said, out = io.StringIO(), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        code = main(["render", str(file), "-d", str(target)])
    given = Answer(code, said.getvalue(), len(list(target.iterdir())) if target.exists() else 0)
    if code == 0:
        verify_folder(target, given)
    return given


def verify_folder(target: Path, answer: Answer) -> None:
    """Takes a complete folder away."""
    assert (target / INDEX).exists(), answer
    for path in target.iterdir():
        path.unlink()
    target.rmdir()


def helms(major: int, texts: Sequence[str]) -> list[bool]:
    """Whether Helm accepts each of the texts as values of the chart."""
    return [verdict == verdicts.ACCEPTED for verdict in verdicts.helms_of_files(major, texts, EVERY)]


def problem(answer: Answer, accepted: bool) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if answer.code not in (0, EXIT_FINDINGS) or "internal error" in answer.said:
        return f"exit {answer.code}: {answer.said}"
    if (answer.code == 0) != (answer.files > 0):
        return f"exit {answer.code} and {answer.files} files"
    if answer.code == 0:
        return "" if accepted else "Helm refuses it"
    if not answer.line:
        return f"a diagnostic without a place: {answer.said}"
    return "" if not accepted or any(map(is_own, answer.ids)) else f"Helm accepts it: {answer.said}"


def is_own(id_: str) -> bool:
    """What dsgen alone may refuse: its rules of reading, the checks that no chart can make, what verdicts.py names."""
    return id_ < "DS100" or id_ in verdicts.STRICTER or ("DS200" < id_ and id_ not in IN_CHART)


def compare(cases: Sequence[Case]) -> tuple[Counter[str], list[str]]:
    """How often each kind was refused in the right line, and what was answered wrongly."""
    with tempfile.TemporaryDirectory() as folder:
        answers = [answer(case, Path(folder)) for case in cases]
    differences = []
    for major in MAJORS:
        accepted = helms(major, [case.text for case in cases])
        for case, given, is_accepted in zip(cases, answers, accepted, strict=True):
            if wrong := problem(given, is_accepted):
                differences.append(f"Helm {major}: {wrong}\n{case}")
    return Counter(map(where, cases, answers)), differences


def where(case: Case, answer: Answer) -> str:
    """In which line the first diagnostic stands."""
    if answer.code == 0:
        return f"accepted: {case.kind}"
    return f"{'in the line' if answer.line in case.lines else 'elsewhere'}: {case.kind}"


def share(figures: Counter[str]) -> float:
    """Of the refused files, those whose first diagnostic stands in the line that was spoilt."""
    right, wrong = (sum(figures[f"{place}: {kind}"] for kind in SPOILS) for place in ("in the line", "elsewhere"))
    return right / (right + wrong)
