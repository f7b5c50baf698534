"""After an upgrade, --keep-going writes the jobs that are not refused, and --replace replaces a run."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dsgen.writer import INDEX
from tests.cli.conftest import Cli, texts_in
from tests.cli.upgrade.conftest import FILES, edit, of_run


@pytest.mark.parametrize("what", ["a changed run", "a damaged index"])
def test_keep_going_writes_the_other_jobs(upgraded: Path, cli: Cli, what: str) -> None:
    if what == "a changed run":
        edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    else:
        (upgraded / "out" / "cifar" / INDEX).write_text("{")
    edit(upgraded / "mnist.yaml", 'id: "1"', 'id: "2"')
    (upgraded / "added.yaml").write_text((upgraded / "sst.yaml").read_text().replace("sst", "added"))
    call = ("render", *FILES, "added.yaml", "-d", "out")
    before = texts_in(upgraded / "out")

    assert (1 if what == "a changed run" else 3) == cli(*call).code
    assert before == texts_in(upgraded / "out")
    code, out, err = cli(*call, "--keep-going")

    after = texts_in(upgraded / "out")
    assert 1 == code
    assert ("DS903" if what == "a changed run" else "is invalid") in err
    assert {"mnist/job-mnist-2-worker.yaml", "added/job-added-1-worker.yaml"} <= set(after)
    assert (
        texts_in(upgraded / "out" / "cifar").items()
        <= {path.removeprefix("cifar/"): text for path, text in before.items()}.items()
    )
    assert "out/cifar" not in out


def test_replace_without_a_terminal_needs_yes(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    call, before = ("render", *FILES, "-d", "out", "--replace"), texts_in(upgraded / "out")

    code, _, err = cli(*call)
    assert (2, True) == (code, "Never replace a run that was applied" in err)
    assert before == texts_in(upgraded / "out")

    assert 0 == cli(*call, "--yes").code
    worker = yaml.safe_load((upgraded / "out" / "cifar" / "job-cifar-1-worker.yaml").read_text())
    assert 4 == worker["spec"]["parallelism"]
    assert of_run(texts_in(upgraded / "out" / "mnist")) == {
        path.removeprefix("mnist/"): text for path, text in of_run(before).items() if path.startswith("mnist/")
    }


@pytest.mark.parametrize(("answer", "code", "replicas"), [(b"n\n", 1, 2), (b"y\n", 0, 4)])
def test_replace_asks_on_a_terminal(upgraded: Path, answer: bytes, code: int, replicas: int) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    master, slave = pty.openpty()
    call = [sys.executable, "-m", "dsgen", "render", *FILES, "-d", "out", "--replace"]
    os.write(master, answer)

    done = subprocess.run(call, stdin=slave, capture_output=True, text=True, check=False)

    assert code == done.returncode
    assert 'run "1" of job training/cifar' in done.stderr
    assert "Never replace a run that was applied" in done.stderr
    worker = yaml.safe_load((upgraded / "out" / "cifar" / "job-cifar-1-worker.yaml").read_text())
    assert replicas == worker["spec"]["parallelism"]
    for end in (master, slave):
        os.close(end)
