"""Regular expressions with a name: constants of the modules of checks, which the chart has as helpers of their own."""

import functools
import re
from collections.abc import Iterable, Iterator

from dsgen.checks import SUBJECTS
from dsgen.language.text import quote

WIDTH, PART = 90, 70
"""The longest pattern on one line, and about the length of each part of a longer one."""
_PIECE = re.compile(r"[^|]*[|]?")
_WHOLE = re.compile(r"\^.*\$")


@functools.cache
def names() -> dict[str, str]:
    """The name of each pattern; a pattern that two modules share has the name in the first one."""
    found: dict[str, str] = {}
    for subject in SUBJECTS:
        for name, value in vars(subject).items():
            if name.isupper() and isinstance(value, str) and _WHOLE.fullmatch(value):
                found.setdefault(value, f"{name.lower()}_pattern")
    assert len(found) == len(set(found.values())), "two patterns have one name"
    return found


def helpers(used: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The name and the body of the helper of each of these patterns; a long one is a list of parts."""
    for name in sorted(used):
        pattern = next(text for text, known in names().items() if known == name)
        if len(pattern) <= WIDTH and "{{" not in pattern:
            yield name, pattern
        else:
            parts = "\n                  ".join(map(quote, parts_of(pattern)))
            yield name, f'{{{{- join "" (list {parts}) }}}}'


def parts_of(pattern: str) -> list[str]:
    """Parts of a pattern, each of which ends at an alternative."""
    parts = [""]
    for piece in _PIECE.findall(pattern):
        if parts[-1] and len(parts[-1]) + len(piece) > PART:
            parts.append("")
        parts[-1] += piece
    return parts
