"""Scripts beside real bash: the program gets the same arguments and environment, or the report says that it may not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from dsgen.importers import ImportedJob, ImportRefusedError
from tests.importers.imports import holes, shell, value

LAUNCH = "torchrun --nproc-per-node 8 --nnodes 2 train.py"
SCRIPTS = [one.strip("\n") for one in Path(__file__).with_name("constructions.sh").read_text("utf-8").split("\n#\n")]
"""Each is a script of its own; RUN is the launcher with its options."""
STUB = '#!/bin/bash\nshift $(($# - $#))\n{ printf "%s\\0" "$@"; printf "\\1"; env -0; printf "\\2"; } >> "$CALLS"\n'
OF_SHELL = {"PWD", "OLDPWD", "SHLVL", "_", "PATH", "CALLS", "HOME", "DSGEN_RUN", "MASTER_ADDR", "HOSTNAME"}


def run(folder: Path, command: list[str], env: dict[str, str]) -> tuple[list[str], dict[str, str]] | None:
    """The arguments and the environment of the first program that a command starts."""
    calls, stubs = folder / "calls", folder / "bin"
    calls.unlink(missing_ok=True)
    stubs.mkdir(exist_ok=True)
    for name in ("torchrun", "python3"):
        (stubs / name).write_text(STUB)
        (stubs / name).chmod(0o755)
    known = {"PATH": f"{stubs}:/usr/bin:/bin", "CALLS": str(calls), "HOME": "/root", **env}
    subprocess.run(command, cwd=folder, env=known, capture_output=True, timeout=20, check=False)
    if not calls.exists():
        return None
    words, _, rest = calls.read_text().partition("\2")[0].partition("\1")
    found = dict(one.partition("=")[::2] for one in rest.split("\0") if "=" in one)
    arguments = words.split("\0")[:-1]
    return arguments[arguments.index("train.py") :], {name: found[name] for name in set(found) - OF_SHELL}


def start(job: ImportedJob, folder: Path) -> tuple[list[str], dict[str, str]] | None:
    """The same of the values of a job, with the environment of a pod."""
    words = value(job, "training.exec")
    if not isinstance(words, list):
        arguments = value(job, "training.args")
        words = ["python3", value(job, "training.python"), *(arguments if isinstance(arguments, list) else [])]
    env = value(job, "training.env")
    known = {name: str(one) for name, one in env.items()} if isinstance(env, dict) else {}
    known |= {"DSGEN_RUN": "run", "MASTER_ADDR": "w0", "HOSTNAME": "w0"}
    setup = f'{value(job, "training.setup") or ""}\nexec "$@"'
    return run(folder, ["bash", "-c", setup, "bash", *(str(one).replace("/job/files/", "") for one in words)], known)


def compare(script: str, folder: Path) -> str:
    """same, named or refused; SILENT if the results differ without a word."""
    text = script.replace("RUN", LAUNCH)
    (folder / "run.sh").write_text(f"#!/bin/bash\n{text}\n")
    expected = run(folder, ["bash", "run.sh"], {})
    try:
        job = shell(text)
    except ImportRefusedError:
        return "refused"
    if job.lost or holes(job):
        return "named"
    return "same" if start(job, folder) == expected else "SILENT"


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
