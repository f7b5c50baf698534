"""rank.py runs the program unchanged, reports its place and its end, and ends together with it."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.trainings import NONCE

WORLD = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}


def start(
    pod: Any,
    *program: str,
    arguments: tuple[str, ...] = (),
    given: tuple[str, ...] = (),
    local_rank: bool = False,
    changes: dict[str, Any] | None = None,
    **environment: str,
) -> Any:
    """rank.py on a program; its standard output and error are pipes. `given`: rank.py's own arguments."""
    pod.settings(localRank=local_rank, **(changes or {}))
    (pod.config / "command.json").write_text(json.dumps({"program": program, "arguments": arguments}))
    return subprocess.Popen(
        [*pod.program("worker/rank.py"), *given],
        env={**pod.environment, **WORLD, "DSGEN_NONCE": NONCE, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=pod.root,
    )


def run(pod: Any, *program: str, **more: Any) -> tuple[int, str, list[str]]:
    """Exit code, standard output and the lines of standard error of rank.py on a program."""
    process = start(pod, *program, **more)
    out, error = process.communicate(timeout=30)
    return process.returncode, out.decode(errors="surrogateescape"), error.decode().splitlines()


def failure(lines: list[str]) -> dict[str, Any]:
    """The facts of the last report."""
    nonce, kind, facts = lines[-1].split(" ", 2)
    assert (nonce, kind) == (NONCE, "dsgen-rank-end")
    said = json.loads(facts)
    assert said.pop("host") == "cifar-1-worker-0"
    return dict(said)


def started(index: int, facts: str) -> str:
    return f'{NONCE} dsgen-rank {{"host": "cifar-1-worker-{index}", {facts}}}'


def ended(index: int, rank: int) -> str:
    facts = f'{{"host": "cifar-1-worker-{index}", "rank": {rank}, "exitCode": 0, "tail": []}}'
    return f"{NONCE} dsgen-rank-end {facts}"


def python(code: str) -> tuple[str, ...]:
    return ("python3", "-c", code)


def test_a_good_end(pod: Any) -> None:
    expected = (0, "hello\n", [started(0, '"rank": 1, "worldSize": 2, "localRank": 0'), ended(0, 1)])
    assert run(pod, "echo", "hello") == expected


def test_a_copy_of_the_output_is_kept_across_restarts(pod: Any) -> None:
    logs = {"rankLogs": str(pod.root / "logs/x")}
    for _ in range(2):
        code, out, lines = run(pod, "bash", "-c", "echo a; echo b >&2", changes=logs)
        assert (0, "a\nb\n", 2) == (code, out, len(lines))

    assert "a\nb\na\nb\n" == (pod.root / "logs/x/cifar-1-rank-1.log").read_text()


def test_a_copy_that_cannot_be_written_does_not_end_the_training(pod: Any) -> None:
    (pod.root / "file").touch()
    (pod.root / "full").mkdir()
    (pod.root / "full/cifar-1-rank-1.log").symlink_to("/dev/full")

    for folder, reason in (("file/logs", "Not a directory"), ("full", "No space left on device")):
        code, out, lines = run(pod, "echo", "hello", changes={"rankLogs": str(pod.root / folder)})
        assert (0, "hello\n", ended(0, 1)) == (code, out, lines[-1])
        assert [line for line in lines if line.startswith("[dsgen] training.rankLogs: ") and reason in line]


def test_the_program_does_not_see_the_nonce(pod: Any) -> None:
    _, out, lines = run(pod, "env")
    assert ("RANK=1" in out, NONCE in out, len(lines)) == (True, False, 2)


def test_started_by_hand_a_rank_reports_nothing(pod: Any) -> None:
    """Without a nonce nobody listens."""
    assert run(pod, "bash", "-c", "echo x; exit 3", DSGEN_NONCE="") == (3, "x\n", [])


def test_a_bad_end_is_reported_with_the_last_lines(pod: Any) -> None:
    code, out, lines = run(pod, "bash", "-c", "echo one; echo two >&2; exit 3")
    assert (code, out) == (3, "one\ntwo\n")
    assert failure(lines) == {"rank": 1, "exitCode": 3, "tail": ["one", "two"]}


def test_a_signal_becomes_128_and_its_number(pod: Any) -> None:
    code, _, lines = run(pod, "bash", "-c", "kill -SEGV $$")
    assert (code, failure(lines)["exitCode"]) == (139, 139)


ODD = ["", "a b", "'", '"', "$HOME", "*", "%n", ";", "\\", "-x", "{}", "grün", "\n"]


@pytest.mark.parametrize(
    ("method", "wanted", "given"),
    [
        ("pdsh", True, True),
        ("pdsh", False, False),
        ("deepspeed-no-ssh", True, True),
        ("openmpi", True, False),
        ("torchrun", True, False),
    ],
)
def test_arguments_arrive_unchanged_and_the_local_rank_after_the_program(
    pod: Any, method: str, wanted: bool, given: bool
) -> None:
    """Programs for torchrun or mpirun do not know --local_rank."""
    program = python("import sys, json; print(json.dumps(sys.argv[1:]))")
    _, out, _ = run(pod, *program, arguments=tuple(ODD), local_rank=wanted, changes={"method": method})
    assert json.loads(out) == ["--local_rank=0"] * given + ODD


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("--deepspeed_config", "eyJ9"), ["--x", "1", "--deepspeed_config", "eyJ9", "--y"]),
        (("--micro", "8"), ["--x", "1", "--deepspeed_config", "a.json", "--y", "--micro", "8"]),
    ],
)
def test_the_autotuners_arguments_take_the_place_of_the_users(
    pod: Any, given: tuple[str, ...], expected: list[str]
) -> None:
    program = python("import sys, json; print(json.dumps(sys.argv[1:]))")
    _, out, _ = run(pod, *program, arguments=("--x", "1", "--deepspeed_config", "a.json", "--y"), given=given)
    assert json.loads(out) == expected


def test_open_mpi_gives_the_place_and_the_host_is_named(pod: Any) -> None:
    place = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_SIZE": "2"}
    names = {name: f"OMPI_COMM_WORLD_{name.replace('WORLD_', '')}" for name in place}
    environment = {names[name]: value for name, value in place.items()}
    program = ("bash", "-c", "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_SIZE $LOCAL_WORLD_SIZE")
    expected = started(1, '"rank": 3, "worldSize": 4, "localRank": 1')

    done = run(pod, *program, changes={"method": "openmpi"}, JOB_COMPLETION_INDEX="1", **environment)

    assert done == (0, "3 4 1 2 2\n", [expected, ended(1, 3)])


@pytest.mark.parametrize(("slots", "threads"), [(1, None), (1, "5"), (2, None)])
def test_cores_are_shared_among_the_ranks_of_a_worker(pod: Any, slots: int, threads: str | None) -> None:
    """In one piece each, and with as many threads, unless the user has said how many."""
    cores = sorted(os.sched_getaffinity(0))
    program = python("import os; print(sorted(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'])")
    environment = {"OMP_NUM_THREADS": threads} if threads else {}
    share = cores[: len(cores) // slots] or cores

    _, out, _ = run(pod, *program, changes={"bindCores": True, "slots": slots}, **environment)

    assert out == f"{share} {threads or len(share)}\n"


def test_a_rank_that_comes_while_its_worker_ends_does_not_begin(pod: Any) -> None:
    """torchrun starts anew what has ended."""
    (pod.run / "terminating").touch()
    assert run(pod, "echo", "x") == (143, "", [])


def test_bytes_pass_unchanged(pod: Any) -> None:
    data = bytes(range(256)) * 4000
    (pod.root / "data").write_bytes(data)
    process = start(pod, "cat", "data")
    assert process.communicate(timeout=30)[0] == data


def test_an_unfinished_line_is_not_glued_to_a_report(pod: Any) -> None:
    code, out, lines = run(pod, "bash", "-c", r"printf '\r 10%%\r 20%%'; exit 1")
    assert (code, out, len(lines)) == (1, "\r 10%\r 20%", 2)
    assert failure(lines)["tail"] == [" 20%"]


def test_the_report_keeps_the_last_twenty_lines_and_four_kilobytes(pod: Any) -> None:
    _, _, lines = run(pod, *python("print('\\n'.join(map(str, range(100)))); exit(1)"))
    assert failure(lines)["tail"] == [str(number) for number in range(80, 100)]
    _, _, lines = run(pod, *python("print('y' * 9000); exit(1)"))
    assert failure(lines)["tail"] == ["y" * 4095]


@pytest.mark.parametrize(
    ("program", "code", "text"),
    [
        ("no-such-program", 127, "no such file"),
        ("./plain", 126, "chmod +x"),
        (".", 126, "chmod +x"),
        ("./lost", 127, "the interpreter named in its first line"),
        ("./nothing", 126, "#!/bin/bash"),
    ],
)
def test_a_program_that_cannot_be_executed(pod: Any, program: str, code: int, text: str) -> None:
    for name, content, mode in (
        ("plain", "", 0o644),
        ("lost", "#!/no/python\n", 0o755),
        ("nothing", "\x01\x02", 0o755),
    ):
        path = pod.root / name
        path.write_text(content)
        path.chmod(mode)
    exit_code, out, lines = run(pod, program)
    assert exit_code == code
    assert text in out
    assert f"[dsgen] cannot execute '{program}': " in failure(lines)["tail"][0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_program(pod: Any, number: signal.Signals) -> None:
    process = start(
        pod, *python(f"import signal as s; s.signal({number}, lambda *_: exit(9)); print(1, flush=True); s.pause()")
    )
    assert process.stdout.readline() == b"1\n"
    process.send_signal(number)
    error = process.communicate(timeout=20)[1]
    assert process.returncode == 9
    assert b"dsgen-rank-end" not in error, "it did not fail, it was stopped"


def test_the_program_dies_with_its_rank(pod: Any) -> None:
    process = start(pod, "sleep", "4201")
    pod.wait_until(lambda: pod.marked("4201"))
    process.kill()
    pod.wait_until(lambda: pod.marked("4201") == [])
    process.communicate()


def test_a_background_process_that_holds_the_pipe_does_not_hold_the_rank(pod: Any) -> None:
    code, out, _ = run(pod, "bash", "-c", "sleep 4202 & echo done; exit 4")
    assert (code, out) == (4, "done\n")
    pod.kill(pod.marked("4202")[0])


def test_a_program_that_closes_its_output_is_waited_for(pod: Any) -> None:
    assert run(pod, "bash", "-c", "exec >&- 2>&-; sleep 1; exit 5")[0] == 5


def test_a_reader_that_is_gone_does_not_end_the_program(pod: Any) -> None:
    process = start(
        pod, *python("import time\nfor _ in range(20): print('x' * 9000, flush=True); time.sleep(0.05)\nexit(6)")
    )
    process.stdout.close()
    process.stderr.close()
    assert process.wait(20) == 6


def test_modules_of_the_user_do_not_replace_those_of_the_rank(pod: Any) -> None:
    """deepspeed puts its working directory first into PYTHONPATH."""
    (pod.root / "json.py").write_text("raise SystemExit(99)\n")
    assert run(pod, "bash", "-c", "echo $PYTHONPATH", PYTHONPATH=str(pod.root)) == (
        0,
        f"{pod.root}\n",
        [started(0, '"rank": 1, "worldSize": 2, "localRank": 0'), ended(0, 1)],
    )


def test_signals_are_at_their_defaults_in_the_program(pod: Any) -> None:
    """None is blocked, and those that Python ignores are not; others may come ignored from whoever runs the tests."""
    _, out, _ = run(pod, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")
    blocked, ignored = (int(mask, 16) for mask in out.split()[1::2])
    assert (blocked, [s.name for s in (signal.SIGPIPE, signal.SIGXFSZ) if ignored & 1 << s - 1]) == (0, [])


def test_started_by_hand_it_says_what_it_is(pod: Any) -> None:
    process = subprocess.run(
        pod.program("worker/rank.py"), env=pod.environment, capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout) == (1, "")
    assert "'RANK' is not set: pdsh starts this program, once for every rank" in process.stderr


@pytest.mark.skipif(not Path("/proc/self/stat").exists() or not hasattr(os, "waitid"), reason="Linux only")
def test_a_report_is_one_write(pod: Any) -> None:
    """Reports of several ranks share one stream, where only whole writes stay together."""
    read_end, write_end = os.pipe()
    pod.settings(localRank=False)
    (pod.config / "command.json").write_text(json.dumps({"program": ["bash", "-c", "echo x; exit 1"], "arguments": []}))
    argv = pod.program("worker/rank.py")
    ranks = [
        subprocess.Popen(
            argv, env={**pod.environment, **WORLD, "DSGEN_NONCE": NONCE}, stdout=subprocess.DEVNULL, stderr=write_end
        )
        for _ in range(4)
    ]
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        lines = stream.read().splitlines()
    assert {line.split(" ")[1] for line in lines} == {"dsgen-rank", "dsgen-rank-end"}
    assert (len(lines), [rank.wait() for rank in ranks]) == (8, [1] * 4)


def test_another_configuration_takes_the_place_of_the_users(pod: Any) -> None:
    """As the value of any option, or behind its equals sign, and nowhere else."""
    arguments = ("--deepspeed_config", "/job/ds_config.json", "--deepspeed=/job/ds_config.json", "x/job/ds_config.json")
    given = ("--dsgen-configuration", r"/c/\1.json")

    code, out, _ = run(pod, "echo", arguments=arguments, given=given, changes={"resizeConfig": "/job/ds_config.json"})

    assert (0, r"--deepspeed_config /c/\1.json --deepspeed=/c/\1.json x/job/ds_config.json" + "\n") == (code, out)
