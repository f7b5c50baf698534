"""launch.preflight.image: what a worker finds missing before it waits for anything."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import program
from worker import image_check

ADAM = {"optimizer": {"type": "Adam"}}
OFFLOAD = {"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}
MIB = 1 << 20


def disk(path: Path) -> dict[str, Any]:
    return {"zero_optimization": {"stage": 3, "offload_param": {"device": "nvme", "nvme_path": str(path)}}}


def facts(root: Path, **changes: Any) -> dict[str, Any]:
    """The facts of a worker without anything to find, in a pod below `root`."""
    (root / "dev/shm").mkdir(parents=True, exist_ok=True)
    lists: dict[str, Any] = {"modules": [], "programs": [], "config": {}}
    return {"root": str(root), "derived": True, "slots": 1, "sharedMemory": 0, **lists, **changes}


def packages(folder: Path, version: str = "None", ops: str = "{}", builder: str = "") -> None:
    """A torch and a deepspeed as pip installs them, as far as the check reads them."""
    for name, text in {
        "torch/__init__.py": "raise ImportError('nobody imports it: that takes seconds')",
        "torch/version.py": f"__version__ = '2.6.0'\ncuda: Optional[str] = {version}\nhip: Optional[str] = None\n",
        "deepspeed/__init__.py": "raise ImportError('nobody imports it')",
        "deepspeed/git_version_info_installed.py": f"version='0.17.0'\ninstalled_ops={ops}\n",
        "deepspeed/ops/op_builder/builder.py": builder,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def image(tmp_path: Path, monkeypatch: Any) -> Path:
    """An image without any program, with the packages below the returned folder."""
    site = tmp_path / "site"
    (tmp_path / "bin").mkdir()
    packages(site)
    # A real ninja or nvcc of this machine is none of the image.
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("CXX", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("torch", "deepspeed", "ninja"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [str(site), *[one for one in sys.path if "-packages" not in one]])
    return site


def check(root: Path, **changes: Any) -> list[str]:
    return image_check.Check(facts(root, **changes)).run()


@pytest.mark.usefixtures("image")
def test_nothing_is_said_of_an_image_that_has_everything(tmp_path: Path) -> None:
    for name in ("ninja", "c++"):
        (tmp_path / "bin" / name).symlink_to("/bin/true")
    assert [] == check(tmp_path, config={**ADAM, **OFFLOAD}, modules=["json"], programs=["ninja"])


@pytest.mark.usefixtures("image")
@pytest.mark.parametrize(
    ("config", "operators"),
    [
        (ADAM, ["fused_adam"]),
        ({**ADAM, **OFFLOAD}, ["cpu_adam"]),
        ({"optimizer": {"type": "AdamW", "params": {"torch_adam": True}}, **OFFLOAD}, []),
        ({"optimizer": {"type": "Lion", "params": {"torch_adam": True}}}, ["fused_lion"]),
        ({"optimizer": {"type": "SGD"}, **OFFLOAD}, []),
        ({"optimizer": {"type": "Adagrad"}}, []),
        ({**ADAM, **disk(Path("/nvme"))}, ["fused_adam", "async_io"]),
        ({"zero_optimization": True}, []),
        ({"optimizer": None}, []),
    ],
)
def test_operators_of_a_configuration(tmp_path: Path, config: dict[str, Any], operators: list[str]) -> None:
    assert operators == image_check.Check(facts(tmp_path, config=config)).list_operators()


@pytest.mark.usefixtures("image")
def test_an_image_without_ninja_and_compiler_is_named(tmp_path: Path) -> None:
    needs = "DeepSpeed compiles fused_adam for this training: no program "
    assert [f"{needs}ninja, no program c++"] == check(tmp_path, config=ADAM)
    (tmp_path / "bin/ninja").symlink_to("/bin/true")
    assert [f"{needs}c++"] == check(tmp_path, config=ADAM)


@pytest.mark.usefixtures("image")
def test_the_compiler_is_the_one_that_torch_calls(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("CXX", "clang++ -stdlib=libc++")
    assert "no program clang++" in check(tmp_path, config=ADAM)[0]


def test_older_versions_of_deepspeed_import_ninja(image: Path, tmp_path: Path) -> None:
    for name in ("ninja", "c++"):
        (tmp_path / "bin" / name).symlink_to("/bin/true")
    packages(image, builder="        try:\n            import ninja\n")
    assert ["DeepSpeed compiles fused_adam for this training: no Python module ninja"] == check(tmp_path, config=ADAM)


def test_operators_that_were_installed_need_no_compiler(image: Path, tmp_path: Path) -> None:
    packages(image, ops="{'fused_adam': 1, 'cpu_adam': False}")
    assert [] == check(tmp_path, config=ADAM)
    assert "compiles cpu_adam" in check(tmp_path, config={**ADAM, **OFFLOAD})[0]


def test_other_devices_have_their_own_operators(image: Path, tmp_path: Path) -> None:
    (image / "torch_npu").mkdir()
    (image / "torch_npu/__init__.py").touch()
    assert [] == check(tmp_path, config=ADAM)


@pytest.mark.usefixtures("image")
def test_modules_and_programs_of_the_values_are_looked_for_alone(tmp_path: Path) -> None:
    said = check(tmp_path, derived=False, config=ADAM, modules=["json", "mpi4py"], programs=["nsys"])
    assert [f"{sys.executable} finds no module mpi4py", "no program nsys"] == said


@pytest.mark.needs("cc")
@pytest.mark.parametrize(
    ("driver", "version", "says"),
    [
        (11040, "'12.4'", ["torch is built with CUDA 12.4, the driver supports CUDA 11.4"]),
        (12020, "'12.4'", []),  # compatible within a major version
        (12020, "'11.8'", []),
        (12020, "None", ["the pod has GPUs, and torch is built without CUDA"]),
    ],
)
def test_the_driver_supports_torchs_cuda(tmp_path: Path, driver: int, version: str, says: list[str]) -> None:
    """With a libcuda.so.1 that reports this version. A process of its own, because a library is loaded once."""
    packages(tmp_path / "site", version)
    (tmp_path / "library.c").write_text(f"int cuDriverGetVersion(int *found) {{ *found = {driver}; return 0; }}")
    library = ["cc", "-shared", "-o", tmp_path / "libcuda.so.1", tmp_path / "library.c"]
    subprocess.run(library, check=True)
    assert says == of_process(tmp_path)


def of_process(root: Path) -> list[str]:
    """What the program says in a pod with a GPU."""
    (root / "dev").mkdir(exist_ok=True)
    (root / "dev/nvidia0").touch()
    done = subprocess.run(
        [sys.executable, image_check.__file__, json.dumps(facts(root))],
        env={**os.environ, "PYTHONPATH": str(root / "site"), "LD_LIBRARY_PATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    said: list[str] = json.loads(done.stdout)
    return said


def test_a_driver_that_is_not_there_is_named(tmp_path: Path) -> None:
    packages(tmp_path / "site", "'12.4'")
    assert ["no libcuda.so.1: the container does not have the driver of the node"] == of_process(tmp_path)


def test_fused_operators_on_gpus_need_nvcc(image: Path, tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("ninja", "c++"):
        (tmp_path / "bin" / name).symlink_to("/bin/true")
    packages(image, "'12.4'")
    checked = image_check.Check(facts(tmp_path, config=ADAM))
    (tmp_path / "dev/nvidia0").touch()
    monkeypatch.setattr(image_check, "CUDA_HOME", str(tmp_path))
    checked.check_compilation()
    assert ["DeepSpeed compiles fused_adam for this training: no program nvcc"] == checked.lacks


def test_shared_memory_has_the_size_of_the_values(tmp_path: Path) -> None:
    found = os.statvfs(facts(tmp_path)["root"])
    size = found.f_blocks * found.f_frsize
    assert [] == check(tmp_path, sharedMemory=size)
    words = f"/dev/shm has {size // MIB} MiB, workers.sharedMemory is {2 * size // MIB} MiB"
    assert [words] == check(tmp_path, sharedMemory=2 * size)


def test_shared_memory_is_enough_for_all_processes(tmp_path: Path) -> None:
    (said,) = check(tmp_path, slots=1 << 30)
    assert said.endswith(f" MiB for {1 << 30} processes (workers.sharedMemory)")


def test_an_nvme_path_that_is_missing_or_slow_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    there = tmp_path / "nvme"
    assert [f"nvme_path {there}/new does not exist, and is on no volume"] == image_check.check_nvme(there / "new")
    there.mkdir()
    monkeypatch.setattr(image_check, "SLOW", 0)
    assert [] == image_check.check_nvme(there)
    monkeypatch.setattr(image_check, "SLOW", float("inf"))
    (said,) = image_check.check_nvme(there)
    assert said.startswith(f"nvme_path {there} is slow: ")
    assert said.endswith(" MiB/s written")
    assert [] == list(there.iterdir())


def test_deepspeed_creates_folders_of_a_volume(monkeypatch: Any) -> None:
    monkeypatch.setattr(image_check, "SLOW", 0)
    assert [] == image_check.check_nvme(Path("/dev/shm/dsgen-missing/zero"))


def test_an_nvme_path_that_cannot_be_written_is_named() -> None:
    assert ["nvme_path /proc/self cannot be written: No such file or directory"] == image_check.check_nvme(
        Path("/proc/self")
    )


# The worker.


def test_a_worker_ends_with_78_and_names_all(pod: Any) -> None:
    """Before it waits for the key."""
    pod.settings(preflightModules=["no_such_module"], preflightPrograms=["no-such-program", "sh"])
    (pod.config / "command.json").write_text(json.dumps({"program": ["python3", "-u", "x.py"], "arguments": []}))
    process = pod.start()
    assert process.wait(20) == 78
    assert pod.termination_message().startswith("the check of launch.preflight says: ")
    assert pod.termination_message().endswith(" finds no module no_such_module; no program no-such-program")


def test_the_interpreter_is_that_of_the_training(pod: Any) -> None:
    pod.settings(preflightImage=True)
    (pod.config / "command.json").write_text(json.dumps({"program": ["/no/python", "-u", "x.py"], "arguments": []}))
    assert pod.start().wait(20) == 78
    assert "/no/python (training.pythonCommand): No such file or directory" in pod.termination_message()


def test_the_configuration_may_be_a_file_of_the_image(pod: Any) -> None:
    pod.settings(preflightImage=True)
    path = pod.root / "ds.json"
    path.write_text(json.dumps(disk(pod.root / "missing")))
    arguments = ["--deepspeed", "--deepspeed_config", str(path)]
    (pod.config / "command.json").write_text(json.dumps({"program": ["train"], "arguments": arguments}))
    assert pod.start().wait(20) == 78
    assert f"nvme_path {pod.root}/missing does not exist, and is on no volume" in pod.termination_message()


@pytest.mark.parametrize("changes", [{}, {"preflightPrograms": ["no-such-program"], "debug": True}])
def test_a_worker_that_is_not_asked_says_nothing(pod: Any, changes: dict[str, Any]) -> None:
    pod.settings(**changes)
    process = pod.serve()
    assert (process.poll(), "no-such-program" in pod.log()) == (None, False)


def test_a_check_that_fails_does_not_fail_the_run(pod: Any) -> None:
    """Such as in an interpreter in which nothing works."""
    pod.settings(preflightImage=True)
    broken = program(pod.root / "python", "echo oh >&2\nexit 3")
    (pod.config / "command.json").write_text(json.dumps({"program": [str(broken), "-u", "x.py"], "arguments": []}))
    pod.serve()
    assert "the check of the image failed: oh" in pod.log()
