"""Scripts beside real bash: the program gets the same arguments and environment, or the report says that it may not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsgen.importers import ImportRefusedError
from tests.importers.imports import convert, holes
from tests.importers.public_scripts import OF_PODS, Call, install, run, start

LAUNCH = "torchrun --nproc-per-node 8 --nnodes 2 train.py"
SCRIPTS = [one.strip("\n") for one in Path(__file__).with_name("constructions.sh").read_text("utf-8").split("\n#\n")]
"""Each is a script of its own; RUN is the launcher with its options."""
OF_SHELL = {"PWD", "OLDPWD", "SHLVL", "_", "PATH", "CALLS", "HOME", "USER", *OF_PODS}


def compare(script: str, folder: Path) -> str:
    """same, named or refused; SILENT if the results differ without a word."""
    text, env = script.replace("RUN", LAUNCH), install(folder)
    text = text if text.startswith("#!") else f"#!/bin/bash\n{text}"
    (folder / "work/run.sh").write_text(f"{text}\n")
    expected = run(folder, [*text.partition("\n")[0][2:].split(), "run.sh"], env)
    try:
        job = convert(f"{text}\n", "run.sh")
    except ImportRefusedError:
        return "refused"
    if (job.lost or holes(job)) and not job.carried:
        return "named"
    return "same" if read_first(start(job, folder, env)) == read_first(expected) else "SILENT"


def read_first(calls: list[Call]) -> Call | None:
    """The program that is started first, without what a shell or a pod sets."""
    if not calls:
        return None
    words, env = calls[0]
    words = [word.replace("/job/files/", "") for word in words]
    return words, {name: one for name, one in env.items() if name not in OF_SHELL}


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_a_script_is_converted_as_bash_runs_it_or_the_report_says_so(number: int, tmp_path: Path) -> None:
    assert compare(SCRIPTS[number], tmp_path) != "SILENT"


def list_examples() -> list[str]:
    """The first column of the table in docs/import/slurm.md."""
    page = (Path(__file__).parents[2] / "docs/import/slurm.md").read_text("utf-8")
    rows = page.partition("## The part of bash that is read")[2].partition("\nLoops")[0].split("\n")
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


@pytest.mark.parametrize("example", list_examples())
def test_the_documented_part_of_bash_is_converted(example: str, tmp_path: Path) -> None:
    names = re.findall(r"\b([A-Z])\+?=", example)
    launch = "" if "RUN" in example else "\nRUN " + " ".join(f'"${{{name}[@]}}"' for name in dict.fromkeys(names))

    assert compare(example + launch, tmp_path) == "same"
