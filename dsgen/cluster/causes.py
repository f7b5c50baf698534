"""Finds why a run does not continue: matches signs with the table of known causes. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dsgen.cluster.facts import Facts
from dsgen.cluster.known import GENERAL, TABLE
from dsgen.cluster.signs import Sign, seen
from dsgen.cluster.words import Shown

PAGE = "docs/causes.md"


class Cause(NamedTuple):
    """A cause, with the first object that has it, and the number of other objects."""

    reason: str
    message: str
    about: str
    more: int
    keys: tuple[str, ...]
    detail: str

    @property
    def link(self) -> str:
        return f"{PAGE}#{self.reason.lower()}"


def find(facts: Facts, shown: Shown) -> list[Cause]:
    """The causes of a run in this phase, root causes first, without duplicates."""
    ranked: dict[tuple[int, str], list[tuple[Cause, Sign]]] = {}
    for sign in seen(facts, shown):
        for position, cause in _explained(sign):
            ranked.setdefault((position, cause.reason), []).append((cause, sign))
            break
    causes = [
        group[0][0]._replace(more=len({s.about for _, s in group}) - 1)
        for _, group in sorted(ranked.items(), key=lambda e: e[0])
    ]
    specific = [cause for cause in causes if cause.reason not in GENERAL]
    return specific or causes


def _explained(sign: Sign) -> Iterator[tuple[int, Cause]]:
    for position, row in enumerate(TABLE):
        match = re.search(row.words, sign.text) if row.place == sign.place else None
        if match:
            parts = {key: value or "" for key, value in match.groupdict().items()}
            message = " ".join(row.sentence.format(about=sign.about, text=sign.text, **parts).split()).rstrip(":. ")
            yield position, Cause(row.reason, message, sign.about, 0, row.keys, sign.text)
