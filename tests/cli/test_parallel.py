"""Two processes, used if there are two processors, give the same results as one."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dsgen.cli._parallel import FEWEST, end, in_order
from dsgen.cli._second import PIPE_BYTES
from dsgen.errors import DsgenError, UsageProblem

ROOT = Path(__file__).parents[2]
JOB = "name: job{number}\nnamespace: training\nimage: {{repository: r/x, tag: {tag}}}\ntraining: {{python: t.py}}\n"
TWO = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of more files than one process does alone."""
    folder = tmp_path_factory.mktemp("jobs")
    for number in range(FEWEST + 1):
        (folder / f"{number}.yaml").write_text(
            JOB.format(number=number, tag="v1" if number not in (3, 4) else "latest")
        )
    return folder


def dsgen(folder: Path, *arguments: str, processors: int = 2, text: str = "") -> "subprocess.CompletedProcess[str]":
    """A command on all files, in a process of its own that may use so many processors."""
    files = sorted(path.name for path in folder.glob("*.yaml"))
    usable = sorted(os.sched_getaffinity(0))[:processors]
    return subprocess.run(
        [sys.executable, "-m", "dsgen", arguments[0], *files, *arguments[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: os.sched_setaffinity(0, usable),
        capture_output=True,
        text=True,
        input=text,
        check=False,
    )


@TWO
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("render", "-f", "-"), "workers: {replicas: 3}\n"),
        (("validate", "--set", "workers.slot=1", "--format", "json"), ""),
        (("render", "--set", "network.socketInterface=a b"), ""),
        (("render", "-"), JOB.format(number=99, tag="v2")),
    ],
)
def test_two_processes_print_what_one_does(jobs: Path, arguments: tuple[str, ...], text: str) -> None:
    one, two = (dsgen(jobs, *arguments, processors=number, text=text) for number in (1, 2))

    assert len(one.stdout + one.stderr) > 100
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)


@TWO
def test_two_processes_write_what_one_does(jobs: Path, tmp_path: Path) -> None:
    done = [dsgen(jobs, "render", "-o", str(tmp_path / str(number)), processors=number) for number in (1, 2)]
    one, two = (
        {path.relative_to(top): path.read_bytes() for path in top.rglob("*") if path.is_file()}
        for top in (tmp_path / "1", tmp_path / "2")
    )

    assert [0, 0] == [each.returncode for each in done]
    assert len(one) > 10 * FEWEST
    assert one == two
    assert done[0].stdout.replace(f"{tmp_path}/1/", "") == done[1].stdout.replace(f"{tmp_path}/2/", "")


@TWO
def test_when_one_folder_refuses_none_is_written(jobs: Path, tmp_path: Path) -> None:
    (tmp_path / "job7" / "job-job7-1-launcher.yaml").mkdir(parents=True)
    refused = dsgen(jobs, "render", "-o", str(tmp_path))

    assert (1, "") == (refused.returncode, refused.stdout)
    assert "job7" in refused.stderr
    assert ["job7"] == [path.name for path in tmp_path.iterdir()]


def _squared(number: int) -> int:
    if number == 41:
        raise UsageProblem("one line", "and another")
    if number == 52:
        raise ZeroDivisionError
    return number * number


@TWO
@pytest.mark.parametrize(
    ("first", "error"), [(0, None), (41, UsageProblem), (40, UsageProblem), (52, ZeroDivisionError)]
)
def test_results_are_in_order_and_an_error_ends_them(first: int, error: type[Exception] | None) -> None:
    """Of the first process, or of the second one: every second item is its own."""
    numbers = range(first, first + 40)
    with pytest.raises(error) if error else contextlib.nullcontext() as raised:
        assert [number * number for number in numbers] == list(in_order(_squared, numbers))

    assert error is not UsageProblem or (raised and str(raised.value) == "one line\nand another")


def _ended(number: int) -> int:
    if number == 35:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@TWO
def test_the_end_of_the_second_process_is_told() -> None:
    with pytest.raises(DsgenError, match="second process"):
        list(in_order(_ended, range(40)))


def _long(number: int) -> tuple[int, bytes]:
    return os.getpid(), bytes(number and 2 * PIPE_BYTES)


@TWO
def test_the_end_of_the_second_process_within_a_result_is_told() -> None:
    results = in_order(_long, range(40))
    next(results)
    os.kill(next(results)[0], signal.SIGKILL)

    with pytest.raises(DsgenError, match="second process"):
        list(results)


class _Kept:
    process = 0


def _loaded(item: _Kept) -> int:
    item.process = os.getpid()
    return item.process


def _used(work: tuple[str, _Kept]) -> tuple[str, int, int]:
    name, item = work
    return name, os.getpid(), item.process


@TWO
def test_each_process_keeps_what_it_has_loaded() -> None:
    items = [_Kept() for _ in range(40)]
    loaded = list(in_order(_loaded, items))
    used = list(in_order(_used, [(f"job{number}", item) for number, item in enumerate(items)]))
    end()

    assert len({*loaded}) == 2
    assert used == [(f"job{number}", process, process) for number, process in enumerate(loaded)]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def _noted(folder: Path, number: int) -> int:
    (folder / str(number)).touch()
    return number


@TWO
def test_the_second_process_ends_with_the_first(tmp_path: Path) -> None:
    with contextlib.closing(in_order(functools.partial(_noted, tmp_path), range(100_000))) as results:
        assert 0 == next(results)

    assert 0 < len(list(tmp_path.iterdir())) < 100_000
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
