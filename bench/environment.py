"""Installs dsgen as users do: a wheel, with bytecode, in a separate environment below build/bench."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "bench"
VENV = FOLDER / "venv"
PYTHON = VENV / "bin" / "python"
DSGEN = VENV / "bin" / "dsgen"


def install() -> None:
    """Build the wheel of this checkout and install it; the environment is created only once."""
    wheels = FOLDER / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    wheel = str(next(wheels.glob("*.whl")))
    if not DSGEN.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
        # The pip that comes with Python 3.11 and 3.12 writes a program that imports `re`.
        _pip(str(PYTHON), "install", "--upgrade", "pip")
        _pip(str(PYTHON), "install", wheel)
    _pip(str(PYTHON), "install", "--no-deps", "--force-reinstall", wheel)


def _pip(python: str, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments], check=True)
