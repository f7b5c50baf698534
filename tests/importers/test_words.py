"""Words of command lines, compared with bash."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence

import pytest

from tests.importers.imports import command, shell

HEAD = "A=11\nB=22\nC=c3\nITEMS=(p q)\n"
PARTS = (
    *("a", "b1", "/", "-", ".", ",", ":", "=", "@", "+", "%", "_", "~", "^", "{}", "!", "#"),
    *("$A", "$B", "$C", "${A}", "${B}", "${A}${B}", "$A$B", "${D:-d$A}"),
    *('"$C"', '"x $A y"', "'l i'", '"$A/$B/$C"', '""', '"${ITEMS[@]}"', "$((1+2))", "a\\ b"),
)


def random_word(numbers: random.Random, known: Sequence[str] = PARTS) -> str:
    """A word of a few parts. Behind $A, $B and $C no letters follow, which would be a part of the name."""
    parts = [numbers.choice(known) for _ in range(numbers.randint(1, 8))]
    for index in range(1, len(parts)):
        if parts[index - 1].endswith(("$A", "$B", "$C")) and parts[index][0] in "ab_[":
            parts[index] = "/"
    return "w" + "".join(parts)


def check(head: str, words: Sequence[str]) -> None:
    """The words of an imported command line are those that bash gives to a program."""
    shown = " ".join(words)
    printed = subprocess.run(
        ["bash", "-f", "-c", f"{head}printf '%s\\0' {shown}"], capture_output=True, text=True, check=True
    ).stdout.split("\0")[:-1]

    job = shell(f"{head}torchrun --nnodes 2 --nproc_per_node 8 t.py {shown}")

    assert printed == command(job)[1:]


@pytest.mark.parametrize("seed", range(5))
def test_words_are_those_of_bash(seed: int) -> None:
    check(HEAD, [random_word(random.Random(f"{seed}.{number}")) for number in range(60)])


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_bash(seed: int) -> None:
    known = [part for part in PARTS if "\\" not in part and part not in "~:"]
    values = [random_word(random.Random(f"{seed}.{number}"), known) for number in range(60)]

    check(HEAD + "".join(f"V{at}={one}\n" for at, one in enumerate(values)), [f'"$V{at}"' for at in range(60)])
