"""`dsgen logs -f` prints what the ranks write, all of it and once, whatever becomes of launcher, ranks and API server.

With DSGEN_E2E_API_RESTART, a command that restarts the API server of $KUBECONFIG, this is done beside cutting the
connection to it.
"""

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.e2e.cluster import soon
from tests.e2e.proxy import Proxy
from tests.e2e.sampler import Sampler
from tests.e2e.training import RUN_SECONDS, Job

pytestmark = pytest.mark.by_turns

FAILS = 100
# Ranks that count, ten numbers a second, and go on where they were, until there is a file `enough`; the first time rank
# 1 fails on its way. What they print is in files too.
PROGRAM = """\
import itertools, os, pathlib, signal, sys, time
told = []
signal.signal(signal.SIGTERM, lambda *_: told.append(143))
rank = os.environ["RANK"]
path = pathlib.Path("/checkpoints/rank-" + rank)
first = len({{*path.read_text().split()}}) if path.exists() else 0
with path.open("a") as copy:
    for number in itertools.count(first):
        if told:
            raise SystemExit(143)
        sys.stdout.write(f"rank {{rank}} counts {{number}}\\n")
        sys.stdout.flush()
        copy.write(f"{{number}}\\n")
        copy.flush()
        if (rank, first, number) == ("1", 0, {fails}):
            raise SystemExit(9)
        if pathlib.Path("/checkpoints/enough").exists():
            break
        time.sleep(0.1)
"""
LINE = re.compile(r"rank \d counts \d+$")


@pytest.fixture
def job(make_job: Callable[..., Job]) -> Job:
    """A job of two ranks that count, one restart allowed."""
    job = make_job("followed")
    job.values["launch"] = {"expectWorld": False}
    job.values["lifecycle"] |= {"maxRestarts": 1, "restartDelaySeconds": 3, "startTimeoutSeconds": 600}
    program = "/job/files/count.py"
    job.values["training"] = {"python": program, "files": {"count.py": PROGRAM.format(fails=FAILS)}}
    return job


def written(job: Job) -> list[str]:
    """What both ranks have printed, from their files."""
    image = job.values["image"]
    spec = {
        "restartPolicy": "Never",
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"{job.name}-data"}}],
        "containers": [
            {
                "name": "main",
                "image": f"{image['repository']}:{image['tag']}",
                "command": [
                    "sh",
                    "-c",
                    "cd /checkpoints; for rank in 0 1; do sed s/^/rank\\ $rank\\ counts\\ / rank-$rank; done",
                ],
                "volumeMounts": [{"name": "data", "mountPath": "/checkpoints"}],
            }
        ],
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "reader"}, "spec": spec}
    job.space.kubectl("create", "--filename", "-", text=yaml.safe_dump(pod))
    job.space.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/reader", "--timeout=60s")
    return job.space.log("reader", "main").splitlines()


def restart(proxy: Proxy) -> None:
    """Take the API server away for a moment."""
    if command := os.environ.get("DSGEN_E2E_API_RESTART"):
        subprocess.run(shlex.split(command), check=True, timeout=120)
    proxy.cut(3)


def test_all_lines_of_the_ranks_come_once(job: Job, proxy: Proxy, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job.apply()
    sampler = Sampler(job)
    sampler.start()
    command = [sys.executable, "-m", "dsgen", "logs", f"{job.space.name}/{job.name}", "-f", "--exit-code"]
    with out.open("w") as file:
        following = subprocess.Popen(
            [*command, "--kubeconfig", str(proxy.kubeconfig)], stdout=file, stderr=subprocess.PIPE, text=True
        )

    def reaches(number: int) -> None:
        soon(f"number {number}", lambda: f"rank 1 counts {number}\n" in out.read_text(), 2 * RUN_SECONDS)

    reaches(FAILS // 4)
    restart(proxy)
    reaches(FAILS + 50)  # it has failed, and goes on
    job.space.kubectl("delete", "pod", job.pods("1", "launcher")[0].metadata.name)
    last = max(int(line.rpartition(" ")[2]) for line in out.read_text().splitlines() if "rank 1 counts" in line)
    reaches(last + 50)  # by another launcher
    proxy.cut(5)
    reaches(last + 100)
    worker = job.pods("1", "worker")[0].metadata.name
    job.space.kubectl("exec", worker, "--container", "worker", "--", "touch", "/checkpoints/enough")
    _, err = following.communicate(timeout=2 * RUN_SECONDS)
    sampler.end()

    assert 0 == following.returncode, err
    lines = sorted(match[0] for line in out.read_text().splitlines() if (match := LINE.search(line)))
    truth = Counter(written(job))
    assert Counter() == Counter(lines) - truth
    for rank in ("rank 0", "rank 1"):  # what a rank writes after the launcher has closed its session reaches no log
        lost = sorted(int(line.rpartition(" ")[2]) for line in truth - Counter(lines) if line.startswith(rank))
        assert lost == list(range(lost[0], lost[0] + len(lost)) if lost else [])
        assert len(lost) < 50
    record = job.space.record(job.name)["1"]
    assert ["TrainingFailed", "LauncherTerminated", "Succeeded"] == [one["reason"] for one in record["attempts"]]
    assert {"Restarting", "Running", "Succeeded"} <= {*sampler.phases()}
