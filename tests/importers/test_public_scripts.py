"""Native values of scripts for sbatch start what bash starts, or the report names the difference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsgen.importers import ImportRefusedError
from dsgen.importers.environment import IN_LINE, OWN
from tests.importers.imports import convert, value
from tests.importers.public_scripts import Call, install, make_script, run, start

REFUSED = {51, 97}
"""The only numbers of scripts that are not converted."""
GIVEN = {"1": "one", "2": "two"}
OF_SHELL = re.compile(
    r"PWD|OLDPWD|SHLVL|_|PATH|CALLS|HOME|USER|HOSTNAME|SLURM\w*|LOCAL_RANK|RANK|WORLD_SIZE|BASH_FUNC.*"
)


def compare(number: int, folder: Path) -> tuple[str, str]:
    """same, named, carried or refused, with the reason; SILENT with the first difference that nothing names."""
    text, nodes, tasks = make_script(number)
    env = install(folder)
    (folder / "work/job.sbatch").write_text(text)
    both = {"77": "JOB_ID JOBID", str(nodes): "NNODES JOB_NUM_NODES", "n[0-1]": "JOB_NODELIST NODELIST"}
    slurm = {name: one for one, names in both.items() for name in names.split()}
    slurm |= {"NTASKS_PER_NODE": str(tasks), "NTASKS": str(nodes * tasks), "GPUS_ON_NODE": "4", "SUBMIT_DIR": "."}
    slurm |= {**dict.fromkeys(("PROCID", "NODEID", "LOCALID"), "0"), "JOB_NAME": f"job{number}"}
    slurm |= {"CPUS_PER_TASK": "16"} if "cpus-per-task" in text else {}
    batch = {**env, **{f"SLURM_{name}": one for name, one in slurm.items()}}
    expected = run(folder, ["bash", "job.sbatch", *GIVEN.values()], batch)
    try:
        job = convert(text, "job.sbatch", variables=GIVEN)
    except ImportRefusedError as error:
        return "refused", error.message
    if job.carried:
        files = value(job, "training.files")
        assert isinstance(files, dict)
        assert text in files.values()
        return "carried", job.carried
    lines = text.split("\n")
    named = [one for one in job.lost if not lines[one.position.line - 1].startswith("#SBATCH")]
    used = [one.source for one in job.entries if one.why == IN_LINE]
    said = [f"{one.source} {one.why} {lines[one.position.line - 1]}" for one in named]
    return find_difference(
        expected, start(job, folder, env, tasks), [*used, *said, *(hole.key for hole in job.holes)], named
    )


def find_difference(expected: list[Call], got: list[Call], reasons: list[str], named: object) -> tuple[str, str]:
    """same, or named if a reason names the first difference; SILENT if none does."""
    wanted = [one for one in expected if not {"prepare.py", "evaluate.py", "-c"} & {*one[0]}]
    if len(wanted) != len(got):
        return ("named" if named else "SILENT"), f"{len(wanted)} processes, and {len(got)}"
    shown = " ".join(reasons)
    for one, other in zip(wanted, got, strict=True):
        args = [re.sub("^/job/(files/)?", "", word) for word in other[0]]
        if one[0] != args:
            return ("named" if named or "training.env" in shown else "SILENT"), f"{one[0]} != {args}"
        for name in sorted({*one[1], *other[1]}):
            is_own = OWN.fullmatch(name) or OF_SHELL.fullmatch(name) or name in shown
            if not is_own and one[1].get(name) != other[1].get(name):
                return "SILENT", f"{name}: {one[1].get(name)} != {other[1].get(name)}"
    return ("named" if named else "same"), shown


@pytest.mark.parametrize("number", range(100))
def test_no_difference_from_bash_is_silent(number: int, tmp_path: Path) -> None:
    verdict, difference = compare(number, tmp_path)

    assert verdict != "SILENT", f"{difference}\n{make_script(number)[0]}"
    assert (verdict == "refused") == (number in REFUSED), difference
