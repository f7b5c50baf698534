"""Generated values: Jinja2 writes the same flat manifests, and the chart has the same objects with both Helm majors."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dsgen import values
from dsgen.reading.nodes import SourceText
from tests.fuzz.shrink import smallest_tree
from tests.generated_values import sound_texts
from tests.helm import MAJORS
from tests.parity import batch_objects, dump, flat_objects, jinja_difference, problems

BATCH = 50
DEFAULT = 2000
SEEDS_APART = 10_000
"""Some seeds give values that are refused, so a batch uses more seeds than it has texts."""


def cases(count: int, seed: int) -> Iterator[str]:
    """As many values files without any error; the same seed gives the same ones."""
    return sound_texts(count, seed * SEEDS_APART)


def different(major: int, texts: Sequence[str]) -> list[bool]:
    """Of which texts the two outputs differ, or Helm fails."""
    if not texts:
        return []
    with tempfile.TemporaryDirectory() as folder:
        try:
            charts = batch_objects(major, Path(folder), texts)
        except AssertionError:
            half = len(texts) // 2
            return different(major, texts[:half]) + different(major, texts[half:]) if half else [True]
    return [flat_objects(text) != chart for text, chart in zip(texts, charts, strict=True)]


def compare(texts: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """How many are equal, and a minimal text for each that is not."""
    figures: Counter[str] = Counter()
    differences = []
    for text in texts:
        difference = jinja_difference(text)
        figures[f"Jinja2: {'DIFFERENT' if difference else 'equal'}"] += 1
        differences += [f"Jinja2: {text}\n{difference}"] if difference else []
    with ThreadPoolExecutor() as both:
        answers = list(both.map(lambda major: different(major, texts), MAJORS))
    for major, verdict in zip(MAJORS, answers, strict=True):
        figures.update(f"Helm {major}: {'DIFFERENT' if differs else 'equal'}" for differs in verdict)
        for text, differs in zip(texts, verdict, strict=True):
            if differs:
                differences.append(_shown(major, text))
    return figures, differences


def _shown(major: int, text: str) -> str:
    def which(candidates: list[str]) -> list[bool]:
        sound = [candidate for candidate in candidates if is_sound(candidate)]
        verdict = dict(zip(sound, different(major, sound), strict=True))
        return [verdict.get(candidate, False) for candidate in candidates]

    tree = values.load([SourceText("v.yaml", text)]).root.as_data()
    return f"Helm {major}, release rel in the namespace space: {smallest_tree(tree, dump, which)}"


def is_sound(text: str) -> bool:
    """Whether dsgen has nothing against the values."""
    return values.load([SourceText("v.yaml", text)]).values is not None and not problems(text)
