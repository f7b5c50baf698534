"""The command, environment and hosts of each launch method."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shared import hostfile, methods, settings
from tests.scripts.conftest import program as executable
from tests.scripts.trainings import HOSTS, settings_of

MASTER = ("--master_addr", "cifar-1-worker-0.cifar-1", "--master_port", "29500")
RANK = ("python3", "-ESs", "/etc/dsgen/shared/run.py", "/etc/dsgen/worker/rank.py")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pod's /etc/dsgen and /run/dsgen, with an empty PATH."""
    monkeypatch.setattr(settings, "CONFIG", tmp_path)
    monkeypatch.setattr(settings, "RUN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    return tmp_path


def start(node: int = -1, hosts: list[str] = HOSTS, **changes: Any) -> methods.Start:
    """Two workers with two slots."""
    given = {"workers": 2, "slots": 2, "master_port": 29500, "run_name": "cifar-1", "method": "pdsh", **changes}
    given = {"autotuning": "none", "deepspeed_args": [], "mpirun_args": [], **given}
    return methods.Start(settings_of(given), hosts, node)


def test_the_command_of_deepspeed() -> None:
    assert methods.make_pdsh_command(start(master_port=29501)) == [
        *("deepspeed", "--hostfile", "/job/hostfile", "--force_multi", "--no_ssh_check"),
        *("--master_addr", "cifar-1-worker-0.cifar-1", "--master_port", "29501"),
        *("--no_python", "--no_local_rank", *RANK),
    ]


@pytest.mark.parametrize(
    ("hosts", "given", "expected"),
    [
        (2, ["--log_level", "debug"], ["--log_level", "debug"]),
        (2, ["--launcher_args", "-f 3"], ["--launcher_args=-f 3"]),
        (2, ["--launcher_args=-f 3"], ["--launcher_args=-f 3"]),
        (1025, [], ["--launcher_args=-f 1025"]),
        (1025, ["--launcher_args", "-u 9"], ["--launcher_args=-f 1025 -u 9"]),
        (2, ["-i", "w-0@w-1:0"], ["--include=w-0@w-1:0"]),
        (2, ["--exclude", "w-0"], ["--exclude=w-0"]),
    ],
)
def test_arguments_of_the_users_stand_before_the_program(hosts: int, given: list[str], expected: list[str]) -> None:
    """Values joined by `=`, because argparse takes one that begins with a dash for an option."""
    words = methods.make_pdsh_command(start(hosts=[f"w-{i}" for i in range(hosts)], deepspeed_args=given))

    assert words[9 : -len(("--no_python", "--no_local_rank", *RANK))] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], {"w-0": 4, "w-1": 4, "w-2": 4}),
        (["--include", "w-1@w-0:0,2"], {"w-0": 2, "w-1": 4}),
        (["--include", "w-1:0@w-1:0,3"], {"w-1": 2}),
        (["--exclude=w-1"], {"w-0": 4, "w-2": 4}),
        (["-e", "w-1:0@w-2:0,1,2,3"], {"w-0": 4, "w-1": 3}),
    ],
)
def test_hosts_in_use_are_those_that_deepspeed_takes(given: list[str], expected: dict[str, int]) -> None:
    """In the hostfile's order, which is that of the ranks."""
    used = hostfile.count_active_slots(["w-0", "w-1", "w-2"], 4, given)

    assert list(expected.items()) == list(used.items())


def test_mpirun_starts_a_rank_for_each_slot() -> None:
    assert methods.make_openmpi_command(start()) == [
        *("mpirun", "-n", "4", "--hostfile", "/job/hostfile", "--map-by", "slot", "--bind-to", "none"),
        *("-x", "MASTER_ADDR=cifar-1-worker-0.cifar-1", "-x", "MASTER_PORT=29500", *RANK),
    ]


@pytest.mark.parametrize("method", [name for name, method in methods.METHODS.items() if not method.whole])
def test_ranks_are_told_another_configuration(folder: Path, method: str) -> None:
    (folder / "command.json").write_text('{"program": ["python3", "-u", "a.py"], "arguments": []}')

    words = methods.METHODS[method].command(start()._replace(configuration="/c/ds_config.json"))

    assert [*RANK, "--dsgen-configuration", "/c/ds_config.json"] == words[-6:]


@pytest.mark.parametrize(
    ("given", "placed"),
    [
        (["--mca", "pml", "ob1"], ["--map-by", "slot", "--bind-to", "none", "--mca", "pml", "ob1"]),
        (["-bind-to", "core"], ["--map-by", "slot", "-bind-to", "core"]),
        (["--map-by=ppr:2:node", "--bind-to=core"], ["--map-by=ppr:2:node", "--bind-to=core"]),
    ],
)
def test_mpirun_gets_the_users_arguments_and_none_twice(given: list[str], placed: list[str]) -> None:
    words = methods.make_openmpi_command(start(mpirun_args=given))

    assert ["/job/hostfile", *placed, "-x"] == words[4 : 6 + len(placed)]


def test_mpirun_has_a_session_for_every_worker_and_leaves_the_users_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_orte_keep_fqdn_hostnames", "false")

    environment = methods.make_openmpi_environment(start(hosts=["w"] * 200))

    assert environment["OMPI_MCA_plm_rsh_num_concurrent"] == "200"
    assert environment["OMPI_MCA_plm_rsh_no_tree_spawn"] == "true"
    assert environment["OMPI_MCA_orte_keep_fqdn_hostnames"] == "false"


def program(folder: Path, *words: str) -> None:
    (folder / "command.json").write_text(json.dumps({"program": words, "arguments": []}))


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize(
    ("words", "installed_at", "fallback"),
    [
        (("/venv/python", "-u", "train.py"), "/venv/python -m torch.distributed.run", ""),
        (("train.sh",), "torchrun", "python3 -m torch.distributed.run"),
    ],
)
def test_torchrun_is_that_of_the_programs_python(
    folder: Path, words: tuple[str, ...], installed_at: str, fallback: str, installed: bool
) -> None:
    program(folder, *words)
    if installed:
        (folder / "programs").mkdir()
        (folder / "programs/torchrun").touch(mode=0o755)
    argv = methods.make_torchrun_command(start(node=1))
    expected = installed_at if installed or not fallback else fallback

    assert expected.split() == argv[: argv.index("--nnodes")]


def test_torchrun_has_a_fixed_place_for_each_worker_and_restarts_nothing(folder: Path) -> None:
    program(folder, "python3", "-u", "train.py")
    assert methods.make_torchrun_command(start(node=1, max_restarts=3)) == [
        *("python3", "-m", "torch.distributed.run", "--nnodes", "2", "--nproc_per_node", "2", "--max_restarts", "0"),
        *("--node_rank", "1", *MASTER, "--no_python", *RANK),
    ]


@pytest.mark.parametrize(("attempt", "port"), [(2, "29501"), (8, "29507"), (9, "29500")])
def test_each_attempt_without_ssh_has_a_port_of_its_own(folder: Path, attempt: int, port: str) -> None:
    program(folder, "python3", "-u", "train.py")
    begun = start(node=1, max_restarts=3)._replace(attempt=attempt)

    assert methods.make_torchrun_command(begun) == [
        port if word == "29500" else word for word in methods.make_torchrun_command(start(node=1, max_restarts=3))
    ]
    assert methods.make_worker_environment(begun)["PET_MASTER_PORT"] == port


@pytest.mark.parametrize(("given", "expected"), [(None, "cores"), ("7", "7")])
def test_torchrun_does_not_choose_the_number_of_threads_for_bound_ranks(
    monkeypatch: pytest.MonkeyPatch, given: str | None, expected: str
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if given:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    share = str(len(os.sched_getaffinity(0)))

    environment = methods.make_torchrun_environment(start(slots=1, bind_cores=True))

    assert environment["OMP_NUM_THREADS"] == (share if expected == "cores" else expected)
    assert methods.make_torchrun_environment(start()).get("OMP_NUM_THREADS") == given


def test_deepspeed_without_ssh_is_told_its_place() -> None:
    assert methods.make_deepspeed_no_ssh_command(start(node=1, deepspeed_args=["--log_level", "debug"])) == [
        *("deepspeed", "--hostfile", "/job/hostfile", "--no_ssh", "--node_rank", "1", *MASTER),
        *("--log_level", "debug", "--no_python", "--no_local_rank", *RANK),
    ]


def test_a_command_on_every_worker_finds_the_world_in_variables() -> None:
    environment = methods.make_worker_environment(start(node=1))
    names = ("NNODES", "NODE_RANK", "NPROC_PER_NODE", "MASTER_ADDR", "MASTER_PORT")

    for prefix in ("", "PET_"):
        assert ["2", "1", "2", HOSTS[0], "29500"] == [environment[prefix + name] for name in names]
    assert methods.make_worker_command(start()) == [*RANK]


def test_a_command_in_the_launcher_is_the_users(folder: Path) -> None:
    (folder / "command.json").write_text(json.dumps({"program": ["a", "b c"], "arguments": []}))

    chosen = start()._replace(hostfile="/run/dsgen/hostfile")

    assert methods.make_launcher_command(chosen) == ["a", "b c"]
    assert methods.make_launcher_environment(chosen)["DSGEN_HOSTFILE"] == "/run/dsgen/hostfile"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--x", "1", "--deepspeed", "--deepspeed_config", "/job/ds_config.json"], ["/job/ds_config.json"]),
        (["--deepspeed", "a.json", "--x"], ["a.json"]),
        (["--deepspeed"], []),
    ],
)
def test_the_autotuner_sees_which_file_is_the_configuration(
    folder: Path, arguments: list[str], named: list[str]
) -> None:
    (folder / "command.json").write_text(json.dumps({"program": ["a"], "arguments": arguments}))

    words = methods.make_autotune_command(start(autotuning="tune"))

    assert words[-6 - 2 * len(named) : -2 * len(named) or None] == ["--autotuning", "tune", *RANK]
    assert words[len(words) - len(named) :] == named


def test_every_deepspeed_of_the_autotuner_trains_on_the_workers(folder: Path) -> None:
    """It starts `deepspeed` without the options that dsgen gives: with one worker that would train in the launcher."""
    executable(folder / "programs/deepspeed", 'echo "$@"')

    environment = methods.make_autotune_environment(start(autotuning="tune"))

    said = subprocess.run(
        ["deepspeed", "--include", "a b"], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout == "--force_multi --no_ssh_check --no_python --no_local_rank --include a b\n"


def test_the_environment_of_deepspeed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shim stands first in PATH; what deepspeed would hand on and mangle is left out."""
    monkeypatch.setenv("NCCL_SOCKET_IFNAME", "a$b")
    monkeypatch.setenv("OTHER", "a$b")

    environment = methods.make_pdsh_environment(start())
    methods.make_pdsh_environment(start())  # a second attempt

    assert environment["PATH"].split(":")[0] == str(folder / "bin")
    assert (folder / "bin/pdsh").is_symlink()
    assert "NCCL_SOCKET_IFNAME" not in environment
    assert environment["OTHER"] == "a$b"


@pytest.mark.parametrize(
    ("method", "missing"),
    [
        ("pdsh", ["deepspeed", "ssh", "ssh-keygen", "pdsh"]),
        ("openmpi", ["mpirun", "ssh", "ssh-keygen", "pdsh"]),
        ("launcher-command", ["ssh", "ssh-keygen", "pdsh"]),
        ("torchrun", []),
        ("deepspeed-no-ssh", ["deepspeed"]),
        ("worker-command", []),
    ],
)
@pytest.mark.usefixtures("folder")
def test_tools_that_a_method_needs(method: str, missing: list[str]) -> None:
    words = f"the image has no {', '.join(missing)}: add it to the image or in training.setup" if missing else ""

    assert words == methods.explain_missing_tools(methods.METHODS[method])


def test_a_program_is_found_as_a_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a folder nor a file that cannot be executed is a program."""
    for name, mode in (("one", 0o755), ("two", 0o644)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text("")
        (tmp_path / name / "tool").chmod(mode)
    (tmp_path / "three/tool").mkdir(parents=True)
    for order in ("three two one", "two three", "missing one", "three"):
        path = os.pathsep.join(str(tmp_path / name) for name in order.split())
        monkeypatch.setenv("PATH", path)

        assert shutil.which("tool") == methods.find_program("tool") == methods.find_program("tool", path)
        assert methods.find_program("absent") is None
