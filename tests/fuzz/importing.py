"""Spoilt jobs of other systems: each is refused with a reason or converted, and no part of it disappears in silence."""

import traceback
from collections import Counter
from collections.abc import Iterator, Sequence

from dsgen.importers import SourceText
from tests.importers.mutations import mutants, verdict

BATCH = 100
DEFAULT = 4000


def cases(count: int, seed: int) -> Iterator[SourceText]:
    """So many spoilt sources; the same for the same seed."""
    return mutants(count, seed)


def compare(sources: Sequence[SourceText]) -> tuple[Counter[str], list[str]]:
    """How many were converted and refused, and what is wrong, with the source."""
    counts, wrong = Counter[str](), list[str]()
    for source in sources:
        try:
            what, problems = verdict(source)
        except Exception:  # a traceback is what is looked for
            what, problems = "failed", [traceback.format_exc()]
        counts[what] += 1
        if problems:
            wrong.append("\n".join([*problems, f"{source.name}:", source.text]))
    return counts, wrong
