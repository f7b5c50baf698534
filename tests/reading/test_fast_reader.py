"""The reader without a library reads the same values as the reader with PyYAML."""

import base64
import json
import random
from pathlib import Path

import pytest

from dsgen.reading import fast_reader, read, yaml_reader
from dsgen.reading.nodes import SourceText, Tree
from tests.fuzz import reading

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "values-examples").glob("*.yaml"))
MUTATED = 4000


def texts() -> list[str]:
    corpus = json.loads((ROOT / "tests/data/helm_yaml_corpus.json").read_text(encoding="utf-8"))
    collected = [
        base64.b64decode(entry["b64"]).decode("utf-8", "surrogateescape") if "b64" in entry else entry["yaml"]
        for entry in corpus
    ]
    choose = random.Random(8)
    originals = [*collected, *reading.originals()]
    return [*originals, *(reading.mutated(choose.choice(originals), choose) for _ in range(MUTATED))]


def both(text: str) -> tuple[Tree | None, Tree]:
    file = SourceText("x.yaml", text)
    return fast_reader.read(file), yaml_reader.read(file)


def test_what_it_takes_is_read_alike() -> None:
    taken = 0
    for text in texts():
        ours, theirs = both(text)
        if ours:
            taken += 1
            assert (text, theirs) == (text, ours)
    assert taken > 300


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_most_of_the_examples_are_taken(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ours, theirs = both(text)

    assert ours == theirs or (ours is None and (">-" in text or "&" in text))


@pytest.mark.parametrize(
    "text",
    [
        "a: b\n" * 2,
        "a: yes\n",
        "a: 010\n",
        "a: .inf\n",
        "a: !x b\n",
        "a: b",
        "a:\tb\n",
        "a: {b: 1\n",
        "a: b: c\n",
        '"a\\n": b\n',
        "on: 1\n",
        "? a\n",
        "a: 'it''s'\n",
        "<<: {a: 1}\n",
        "a: &b 1\n",
        "a: [" * 60 + "\n",
        "\ufeffa: 1\n",
    ],
)
def test_everything_else_is_left_to_the_other(text: str) -> None:
    file = SourceText("x.yaml", text)

    assert fast_reader.read(file) is None
    assert yaml_reader.read(file) == read(file)
