"""The commands on a cluster, with one training: wait, status, logs, suspend, stop and delete."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from dsgen.cli.observe import REDRAW
from dsgen.cluster.client import FRESH_SECONDS, Cluster
from dsgen.cluster.diagnosis import find_causes
from dsgen.cluster.phase import find_status
from dsgen.cluster.reader import add_surroundings, list_jobs, read_run
from dsgen.errors import ApiError
from tests.e2e.cluster import kubectl, soon
from tests.e2e.proxy import Proxy
from tests.e2e.sampler import Sampler
from tests.e2e.training import RUN_SECONDS, Job, said

pytestmark = pytest.mark.by_turns

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "status.schema.json").read_text())
STEPS = 60
STARTING = ("Pending", "Queued", "Starting")  # Queued: one Job of the two is resumed before the other
RIGHTS = [
    {"apiGroups": [""], "resources": ["pods", "pods/log", "configmaps", "events"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get", "list", "watch"]},
]
"""Exactly those of docs/running.md."""


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line, as a person calls it."""
    command = [sys.executable, "-m", "dsgen", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    """A training that has begun; its first run goes through this module from test to test."""
    job = make_job("commands", "--until", str(STEPS), "--pause", "1")
    job.apply("1")
    return job


@pytest.fixture(scope="module")
def named(job: Job) -> str:
    return f"{job.space.name}/{job.name}"


@pytest.fixture(scope="module")
def followed(named: str, proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], list[str]]]:
    """`dsgen logs -f` since before any pod was there; gives the lines once it has ended."""
    path = tmp_path_factory.mktemp("logs") / "out"
    with path.open("w") as out:
        command = [sys.executable, "-m", "dsgen", "logs", named, "-f", "--timestamps", "--exit-code"]
        command += ["--kubeconfig", str(proxy.kubeconfig)]
        running = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)

        def lines() -> list[str]:
            _, err = running.communicate(timeout=RUN_SECONDS)
            assert (0, "") == (running.returncode, err if "Traceback" in err else "")
            return path.read_text().splitlines()

        yield lines
        running.kill()


@pytest.fixture(scope="module")
def watched(named: str) -> Iterator[Callable[[], str]]:
    """`dsgen status --watch` on a terminal; gives what it has drawn once it has ended."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "dsgen", "status", named, "--watch"])

    said: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(terminal, 65536):
                said.append(piece)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()

    def drawn() -> str:
        reading.join(RUN_SECONDS)
        assert 0 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return b"".join(said).decode()

    yield drawn
    os.close(terminal)


@pytest.fixture(scope="module")
def sampler(job: Job) -> Iterator[Sampler]:
    made = Sampler(job)
    made.start()
    yield made
    made.stopped.set()


def status(named: str) -> dict[str, Any]:
    done = program("status", named, "-o", "json")
    assert (0, "") == (done.returncode, done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report


def test_wait_tells_each_phase_until_it_runs(
    named: str, followed: Callable[[], list[str]], watched: Callable[[], str], sampler: Sampler
) -> None:
    assert followed
    assert watched
    assert sampler.is_alive()
    done = program("wait", named, "--for", "running", "--timeout", "5m")

    assert (0, "") == (done.returncode, done.stderr)
    assert "  Running  " in done.stdout.splitlines()[-1]


def test_a_run_that_runs_has_no_cause(named: str) -> None:
    done, cluster = program("why", named), Cluster()
    again = [read_run(cluster, *named.split("/")) for _ in range(9)]
    blamed = [find_causes(add_surroundings(cluster, state), find_status(state)) for state in again if state]

    assert (0, "Nothing is wrong.") == (done.returncode, done.stdout.splitlines()[1])
    assert [[]] * 9 == blamed


def test_status_has_the_published_shape(named: str, job: Job) -> None:
    report = status(named)

    assert ("Running", 2, 2) == (report["phase"], report["workers"]["wanted"], report["workers"]["running"])
    assert 3 == report["aggregate"]["running"]
    assert {"Running": "True", "Completed": "False"}.items() <= {
        c["type"]: c["status"] for c in report["conditions"]
    }.items()
    assert f"{job.name}-data" == report["claims"][0]["name"]
    assert "kubectl" == report["managedBy"]


def test_a_values_file_names_its_job(job: Job) -> None:
    done = program("status", job.file("1", name=job.name, namespace=job.space.name))

    assert f"{job.space.name}/{job.name}, run 1" in done.stdout


def test_unknown_names_say_what_is_there(job: Job) -> None:
    done = [program("status", name) for name in (f"{job.space.name}/digit", f"{job.space.name}x/digits")]

    assert [
        (1, f"dsgen: namespace {job.space.name} has no run of a job digit; did you mean digits?\n"),
        (1, f"dsgen: the namespace {job.space.name}x does not exist\n"),
    ] == [(one.returncode, one.stderr) for one in done]
    assert (1, f"dsgen: job {job.space.name}/digits has no run 7; possible runs: 1\n") == (
        (last := program("status", f"{job.space.name}/digits", "--run", "7")).returncode,
        last.stderr,
    )


def test_top_job_counts_all_containers_as_kubectl_does(named: str) -> None:
    rows = json.loads(program("top", "job", named, "-o", "json").stdout)["pods"]
    described = {node: kubectl("describe", "node", node) for node in {row["node"] for row in rows}}

    assert 3 == len(rows)
    for row in rows:
        line = next(line for line in described[row["node"]].splitlines() if row["pod"] in line)
        _, _, cpu, _, _, _, _, _, most, *_ = line.split()
        assert (cpu, most) == (row["cpu_requested"], row["memory_limit"])


def test_least_rights_are_enough(job: Job, named: str, tmp_path: Path) -> None:
    path = kubeconfig_with(job, RIGHTS, tmp_path)

    report, listed, logged = (
        program(*words, "--kubeconfig", path)
        for words in (("status", named), ("list", "-n", job.space.name), ("logs", named, "--tail", "1"))
    )

    assert (0, 0, 0) == (report.returncode, listed.returncode, logged.returncode), report.stderr
    assert "not visible to you: claims" in report.stdout
    assert "digits" in listed.stdout
    assert 1 == len(logged.stdout.splitlines())


def test_a_login_that_was_renewed_is_read_again(job: Job, tmp_path: Path) -> None:
    path = Path(kubeconfig_with(job, RIGHTS, tmp_path))
    good = path.read_text()
    token = yaml.safe_load(good)["users"][0]["user"]["token"]
    path.write_text(good.replace(token, "expired"))
    cluster = Cluster(kubeconfig=str(path))
    time.sleep(FRESH_SECONDS)

    with pytest.raises(ApiError, match="does not accept the login"):
        list_jobs(cluster, job.space.name)
    path.write_text(good)
    time.sleep(FRESH_SECONDS)
    assert 2 == len(list_jobs(cluster, job.space.name))


def test_no_rights_are_one_sentence(job: Job, named: str, tmp_path: Path) -> None:
    path = kubeconfig_with(job, [], tmp_path)
    done = program("status", named, "--kubeconfig", path)

    assert 3 == done.returncode
    assert f'cannot list resource "jobs" in API group "batch" in the namespace "{job.space.name}"' in done.stderr
    assert yaml.safe_load(Path(path).read_text())["users"][0]["user"]["token"] not in done.stderr


def kubeconfig_with(job: Job, rules: list[dict[str, Any]], folder: Path) -> str:
    """A kubeconfig whose user has these rights in the job's namespace and no others."""
    name = f"viewer-{len(rules)}"
    kinds = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
    role = {**kinds, "kind": "Role", "rules": rules}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": job.space.name}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    binding = {**kinds, "kind": "RoleBinding", "roleRef": ref, "subjects": [subject]}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
    job.space.kubectl("apply", "--filename", "-", text=yaml.safe_dump_all([account, role, binding]))
    content = yaml.safe_load(Path(os.environ["KUBECONFIG"]).read_text())
    content["users"][0]["user"] = {"token": job.space.kubectl("create", "token", name).strip()}
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(content))
    return str(path)


def test_followed_lines_are_all_there_once_over_a_lost_launcher_and_three_cuts(
    job: Job, named: str, proxy: Proxy, followed: Callable[[], list[str]]
) -> None:
    lost = job.trained("1", 10).metadata.name
    before = proxy.connections
    proxy.cut(1)
    job.space.kubectl("delete", "pod", lost)
    proxy.cut(5)
    program("wait", named, "--for", "running", "--timeout", "10m")
    proxy.cut(3)
    done = program("wait", named, "--timeout", "10m")
    lines = followed()

    steps = [line["step"] for line in said("\n".join(lines)) if "step" in line]
    assert (0, "") == (done.returncode, done.stderr)
    assert proxy.connections > before + 3
    assert len(lines) == len(set(lines))
    assert set(range(1, STEPS)) <= set(steps)


def test_the_launcher_that_was_lost_is_in_the_story(named: str) -> None:
    report = status(named)

    assert "Succeeded" == report["phase"]
    assert 2 == report["totals"]["attempts"]
    assert [] == [note for note in report["notes"] if "limit" in note]


def test_a_watch_on_a_terminal_redraws_until_the_end(watched: Callable[[], str]) -> None:
    screens = watched().split(REDRAW)

    assert len(screens) > 3
    assert any("Phase:        Running" in screen for screen in screens)
    assert "Phase:        Succeeded" in screens[-1]
    assert all(screen.startswith("Job: ") for screen in screens[1:])


def test_each_second_of_the_story_is_true(sampler: Sampler) -> None:
    samples, phases = sampler.end(), sampler.phases()

    assert len(samples) > 30
    assert {"Pending", "Running", "Succeeded"} <= {*phases}
    assert ["Succeeded"] == phases[-1:]
    assert 1 == phases.count("Succeeded")
    assert [] == [blamed for shown, _, blamed in samples if shown.phase == "Running" and blamed]


def test_a_run_is_suspended_resumed_stopped_and_deleted(job: Job, named: str) -> None:
    job.apply("2", training={"args": ["--until", "600", "--pause", "1"]})
    sampler = Sampler(job, "2")
    sampler.start()
    refused = program("stop", named)
    steps = [
        program(*words)
        for words in (
            ("wait", named, "--for", "running"),
            ("suspend", named, "--yes"),
            ("status", named),
            ("resume", named, "--yes"),
            ("wait", named, "--for", "running"),
            ("stop", named, "--yes"),
            ("wait", named),
            ("delete", named, "--yes"),
        )
    ]

    assert (2, "dsgen: there is no terminal to ask for confirmation: use --yes\n") == (
        refused.returncode,
        refused.stderr,
    )
    assert [0, 0, 0, 0, 0, 0, 1, 0] == [one.returncode for one in steps], [one.stderr for one in steps]
    assert "Suspended (JobSuspended)" in steps[2].stdout
    assert f"{named}, run 2: Stopped\n" == steps[5].stdout.splitlines(keepends=True)[-1]
    assert "kept: claim digits-data\n" in steps[7].stdout
    soon("end of the run's objects", lambda: "digits-2" not in job.space.kubectl("get", "jobs,services"), 60)
    assert "Stopped" == status(named)["phase"]
    sampler.end()
    # Right after `resume`, the launcher may not know yet that it has lost its workers.
    assert ["Running", "Suspended", "Running", "Stopped"] == sampler.phases(without=STARTING)
