"""On a worker, run by the training's interpreter: prints as a JSON list what the image and the pod lack.

    worker/image_check.py FACTS

FACTS is JSON; worker/checks.py writes it. It imports neither dsgen, because the interpreter may have other packages of
these names, nor torch and deepspeed, which would take seconds.
"""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import json
import mmap
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MIB = 1 << 20
# Operators of DeepSpeed by the type of the optimizer, without and with offload_optimizer; "" for none.
OPERATORS = {
    **dict.fromkeys(("adam", "adamw"), ("fused_adam", "cpu_adam")),
    "adagrad": ("", "cpu_adagrad"),
    "lamb": ("fused_lamb", "fused_lamb"),
    "lion": ("fused_lion", "cpu_lion"),
}
CUDA_HOME = "/usr/local/cuda"  # unless a variable names another one
OTHER_DEVICES = ("torch_npu", "habana_frameworks", "intel_extension_for_pytorch")  # they compile no fused_*
CUDA = re.compile(r"^cuda(?::[^=]*)?= *'(\d+)\.(\d+)", re.MULTILINE)
HIP = re.compile(r"^hip(?::[^=]*)?= *'", re.MULTILINE)
LEAST_SHARED = 64 * MIB  # of /dev/shm for a process, if a worker has several: NCCL takes about half of it
WRITTEN, WRITE_SECONDS, SLOW = 64 * MIB, 0.7, 100 * MIB  # to an NVMe path; below SLOW bytes a second it is slow


class Check:
    """The parts of the check; each adds to `lacks`. `facts`: the keys are those of worker/checks.py."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.root = Path(facts["root"])
        zero = facts["config"].get("zero_optimization")
        zero = zero if isinstance(zero, dict) else {}
        self.offloads = [zero.get(part) or {} for part in ("offload_optimizer", "offload_param")]
        self.lacks: list[str] = []

    def run(self) -> list[str]:
        lacking = [name for name in self.facts["modules"] if not find_folder(name)]
        self.lacks += [f"{sys.executable} finds no module {name}" for name in lacking]
        self.lacks += [f"no program {name}" for name in self.facts["programs"] if not shutil.which(name)]
        if self.facts["derived"]:
            self.check_compilation()
            self.check_cuda()
            self.check_shared_memory()
            for path in dict.fromkeys(str(part.get("nvme_path")) for part in self.offloads if is_on_nvme(part)):
                self.lacks += check_nvme(Path(path))
        return self.lacks

    def list_operators(self) -> list[str]:
        """The operators that DeepSpeed uses with this configuration."""
        optimizer = self.facts["config"].get("optimizer") or {}
        without, offloaded = OPERATORS.get(str(optimizer.get("type")).lower(), ("", ""))
        own = offloaded if self.offloads[0].get("device") in ("cpu", "nvme") else without
        by_torch = (optimizer.get("params") or {}).get("torch_adam") and own.endswith("adam")
        other_device = own.startswith("fused") and any(map(find_folder, OTHER_DEVICES))
        on_disk = "async_io" if any(map(is_on_nvme, self.offloads)) else ""
        return [name for name in ("" if by_torch or other_device else own, on_disk) if name]

    def check_compilation(self) -> None:
        """What DeepSpeed needs for operators that it compiles when the training starts."""
        deepspeed = find_folder("deepspeed")
        names = [
            name for name in self.list_operators() if deepspeed and name not in list_installed_operators(deepspeed)
        ]
        if not names or not deepspeed:
            return
        builder = read_text(deepspeed / "ops/op_builder/builder.py")
        compiler = shlex.split(os.environ.get("CXX") or "c++")[0]
        lacking = [f"no program {name}" for name in ("ninja", compiler) if not shutil.which(name)]
        lacking += ["no Python module ninja"] if "import ninja" in builder and not find_folder("ninja") else []
        fused = any(name.startswith("fused") for name in names)
        if fused and self.has_gpus() and find_torch_build(CUDA) and not find_nvcc():
            lacking.append("no program nvcc")
        if lacking:
            self.lacks.append(f"DeepSpeed compiles {' and '.join(names)} for this training: {', '.join(lacking)}")

    def has_gpus(self) -> bool:
        """Whether the pod has NVIDIA GPUs."""
        return any(self.root.glob("dev/nvidia[0-9]*"))

    def check_cuda(self) -> None:
        """Whether the driver of the node is new enough: it supports all releases of its major version of CUDA."""
        if not self.has_gpus() or not find_folder("torch"):
            return
        version = find_torch_build(CUDA)
        if not version:
            self.lacks += [] if find_torch_build(HIP) else ["the pod has GPUs, and torch is built without CUDA"]
            return
        supported = ctypes.c_int()
        try:
            ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(supported))
        except OSError:
            self.lacks.append("no libcuda.so.1: the container does not have the driver of the node")
            return
        major, minor = supported.value // 1000, supported.value % 1000 // 10
        if major < int(version[1]):
            of_torch = f"{version[1]}.{version[2]}"
            self.lacks.append(f"torch is built with CUDA {of_torch}, the driver supports CUDA {major}.{minor}")

    def check_shared_memory(self) -> None:
        """Whether /dev/shm has the size of workers.sharedMemory, and enough for each process."""
        try:
            found = os.statvfs(self.root / "dev/shm")
        except OSError:
            self.lacks.append("no /dev/shm")
            return
        size, free = found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize
        asked, processes = self.facts["sharedMemory"], self.facts["slots"]
        if size < 0.99 * asked:
            self.lacks.append(f"/dev/shm has {size // MIB} MiB, workers.sharedMemory is {asked // MIB} MiB")
        elif processes > 1 and free < processes * LEAST_SHARED:
            self.lacks.append(f"/dev/shm has {free // MIB} MiB for {processes} processes (workers.sharedMemory)")


def is_on_nvme(offload: dict[str, Any]) -> bool:
    return offload.get("device") == "nvme"


def find_folder(module: str) -> Path | None:
    """The folder of a package, or of the file of a module."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(found.origin or "/").parent if found else None


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def list_installed_operators(deepspeed: Path) -> set[str]:
    """The operators that were compiled when DeepSpeed was installed."""
    for line in read_text(deepspeed / "git_version_info_installed.py").splitlines():
        name, _, value = line.partition("=")
        if name == "installed_ops":
            return {name for name, built in ast.literal_eval(value).items() if built}
    return set()


def find_torch_build(platform: re.Pattern[str]) -> re.Match[str] | None:
    """The version of CUDA or HIP for which torch was built."""
    torch = find_folder("torch")
    return platform.search(read_text(torch / "version.py")) if torch else None


def find_nvcc() -> str | None:
    """The compiler of CUDA, where torch looks for it."""
    homes = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), CUDA_HOME)
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(f"{home}/bin" for home in homes if home))


def check_nvme(path: Path) -> list[str]:
    """Whether DeepSpeed, which creates a missing folder, can use this nvme_path."""
    place = next((one for one in (path, *path.parents) if one.exists()), Path("/"))
    if place != path and place.stat().st_dev == Path("/").stat().st_dev:
        return [f"nvme_path {path} does not exist, and is on no volume"]
    try:
        rate = measure_write_rate(place)
    except OSError as error:
        return [f"nvme_path {path} cannot be written: {error.strerror}"]
    return [f"nvme_path {path} is slow: {rate / MIB:.0f} MiB/s written"] if rate < SLOW else []


def measure_write_rate(path: Path) -> float:
    """Bytes that the disk stores in a second, without its cache where the file system can."""
    chunk = mmap.mmap(-1, 4 * MIB)  # aligned, as O_DIRECT needs it
    descriptor, name = tempfile.mkstemp(prefix=".dsgen-", dir=path)
    os.close(descriptor)
    try:
        try:
            descriptor = os.open(name, os.O_WRONLY | os.O_DIRECT)
        except OSError:  # such as tmpfs
            descriptor = os.open(name, os.O_WRONLY | os.O_DSYNC)
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            begun, written = time.monotonic(), 0
            while written < WRITTEN and time.monotonic() - begun < WRITE_SECONDS:
                written += file.write(chunk) or 0
            return written / (time.monotonic() - begun)
    finally:
        Path(name).unlink()


if __name__ == "__main__":
    sys.path = [path for path in sys.path if path != str(Path(__file__).parent)]  # modules of these names are no others
    print(json.dumps(Check(json.loads(sys.argv[1])).run()))
