"""Programs of a cluster for a script that slurm/batch_script.py runs: srun, module, conda, singularity and others.

They do what has a meaning in a worker, whose image has all programs: `conda run` and `singularity exec` run the rest of
their words here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from shared import processes
from slurm import rules, srun

NOTHING = "nothing was done; the image has its own programs"
QUIET = {("conda", "shell.bash"), ("mamba", "shell"), ("micromamba", "shell")}
"""What `eval "$(conda shell.bash hook)"` reads."""
PREFIXES = ("SINGULARITYENV_", "APPTAINERENV_")
UNKNOWN = ("--app",)
WITH_FILE = ("bash", "-c", 'set -a; . "$0" || exit 255; set +a; exec "$@"')


def run_rest(name: str, words: list[str]) -> int:
    """Run the command after the options, and after the image."""
    row, rest = rules.WRAPPERS[name], list(words)
    before: list[str] = []
    while rest and rest[0].startswith("-"):
        option, is_joined, value = rest.pop(0).partition("=")
        if option == "--":
            break
        if option in UNKNOWN:
            raise rules.UnknownError(f"{name} {option}")
        if not is_joined and option in row["valued"] and rest:
            value = rest.pop(0)
        if option == "--env":
            os.environ.update({key: given for key, _, given in (one.partition("=") for one in value.split(","))})
        elif option == "--env-file":
            before = [*WITH_FILE, str(Path(value).absolute())]
        elif option in row["chdir"] and value:
            os.chdir(value)
    for key in [key for key in os.environ if key.startswith(PREFIXES)]:
        os.environ[key.partition("_")[2]] = os.environ[key]
    command = [*before, *rest[row["skipped"] :]]
    return start(command) if command else 0


def start(command: list[str]) -> int:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(processes.explain_start_failure(command[0], error))
        return 127


def main(arguments: list[str]) -> int:
    name, *words = arguments
    if name == "srun":
        return srun.main(words)
    kind = (name, words[0] if words else "")
    verb = rules.WRAPPERS[name]["verbs"][:1] if name in rules.WRAPPERS else None
    try:
        if name == "scontrol" and " ".join(words[:2]).startswith("show hostn"):
            listed = words[2] if words[2:] else os.environ.get("SLURM_JOB_NODELIST", "")
            sys.stdout.write("".join(f"{host}\n" for host in rules.expand(listed)))
        elif verb is not None and words[: len(verb)] == verb:
            return run_rest(name, words[len(verb) :])
        elif name in ("module", "ml", "conda", "mamba", "micromamba"):
            if kind not in QUIET:
                sys.stderr.write(f"[dsgen] {name} {' '.join(words)}: {NOTHING}\n")
        else:
            raise rules.UnknownError(f"{name} {' '.join(words)}".strip())
    except rules.UnknownError as error:
        return srun.refuse(str(error))
    return 0
