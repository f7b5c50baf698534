"""`dsgen apply` and `dsgen run`: a job without GitOps, from its first apply to the next run."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import kubectl, soon
from tests.e2e.test_cluster_commands import program
from tests.e2e.training import RUN_SECONDS, Job

pytestmark = pytest.mark.by_turns

NOWHERE = {"nodeSelector": {"example.com/pool": "none"}}
PROGRAM = """\
import os, time
for step in range({steps}):
    print("rank", os.environ["RANK"], "step", step, flush=True)
    time.sleep(1)
raise SystemExit({code})
"""
MARKS = {
    "Argo CD application digits": {
        "annotations": {"argocd.argoproj.io/tracking-id": "digits:batch/Job:SPACE/digits-1-launcher"}
    },
    "Flux Kustomization flux-system/digits": {
        "labels": {
            "kustomize.toolkit.fluxcd.io/name": "digits",
            "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
        }
    },
    "Flux HelmRelease SPACE/digits": {
        "labels": {"helm.toolkit.fluxcd.io/name": "digits", "helm.toolkit.fluxcd.io/namespace": "SPACE"},
        "annotations": {"meta.helm.sh/release-name": "digits"},
    },
    "Helm release digits": {
        "labels": {"app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"meta.helm.sh/release-name": "digits", "meta.helm.sh/release-namespace": "SPACE"},
    },
}
"""What the tools leave on the objects that they apply."""
CHANGES = {
    "stop": "set lifecycle.suspend: true",
    "suspend": "set lifecycle.suspend: true",
    "resume": "set lifecycle.suspend: false",
    "delete": "",
}


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    """A job whose pods no node takes."""
    job = make_job("apply")
    job.values |= {"launcher": NOWHERE, "launch": {"expectWorld": False}}
    job.values["workers"] |= NOWHERE
    return job


@pytest.fixture(scope="module")
def file(job: Job) -> str:
    """Its values file, whose run is applied; it goes through this module from test to test."""
    path = job.file("1", name=job.name, namespace=job.space.name)
    done = program("apply", path)
    assert (0, True) == (done.returncode, "job/digits-1-launcher created" in done.stdout), done.stderr
    return path


def errors(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if ": error: " in line or line.startswith("dsgen: ")]


def names(job: Job, run: str) -> set[str]:
    text = job.space.kubectl("get", "jobs,services,configmaps,roles", "-l", f"dsgen.dev/run={run}", "-o", "name")
    return {*text.split()}


def test_a_dry_run_changes_nothing(job: Job, file: str) -> None:
    before = job.space.identities()
    done = program("apply", file, "--dry-run", "--set-string", "run.id=9", "--yes")

    assert 0 == done.returncode, done.stderr
    assert "job/digits-9-worker created (dry run)" in done.stdout
    assert "job/digits-1-worker pruned (dry run)" in done.stdout
    assert before.keys() == job.space.identities().keys()


def test_a_second_apply_changes_nothing(job: Job, file: str) -> None:
    """Also if the claim has what a release of Helm, which is gone, has left on it."""
    job.space.kubectl("annotate", "pvc", "digits-data", "meta.helm.sh/release-name=digits")
    done = program("apply", file)

    assert (0, {"unchanged"}) == (done.returncode, {line.split()[1] for line in done.stdout.splitlines()})


def test_other_values_are_refused_by_their_keys(job: Job, file: str) -> None:
    before = job.space.identities()
    done = program("apply", file, "--set", "workers.replicas=3,training.env.SETTING=new")

    assert 1 == done.returncode
    assert [
        'run "1" would change: workers.replicas: 2 -> 3, in Job digits-1-worker spec.parallelism [DS903]',
        'run "1" would change: training.env.SETTING: ',
    ] == [
        line.partition("error: ")[2].partition('"it')[0] if "SETTING" in line else line.partition("error: ")[2]
        for line in errors(done)
    ]
    assert before.keys() == job.space.identities().keys()


def test_a_run_is_suspended_by_its_file(job: Job, file: str) -> None:
    done = [program("apply", file, "--set", f"lifecycle.suspend={value}") for value in ("true", "false")]
    program("suspend", f"{job.space.name}/digits", "--yes")
    done.append(program("apply", file, "--set", "lifecycle.suspend=false"))

    assert [0, 0, 0] == [one.returncode for one in done], done[2].stderr
    assert all("job/digits-1-launcher configured" in one.stdout for one in done)
    assert "false" == job.space.kubectl("get", "job", "digits-1-worker", "-o", "jsonpath={.spec.suspend}")


@pytest.mark.parametrize(("title", "verb"), [*zip(MARKS, CHANGES, strict=True)])
def test_what_a_tool_applies_is_refused(title: str, verb: str, job: Job, file: str) -> None:
    marks = yaml.safe_load(yaml.safe_dump(MARKS[title]).replace("SPACE", job.space.name))
    patch(job, marks)
    try:
        done = [program(verb, f"{job.space.name}/digits", "--yes"), program("apply", file, "--yes")]
    finally:
        patch(job, {field: dict.fromkeys(keys) for field, keys in marks.items()})
        patch(job, {"labels": {"app.kubernetes.io/managed-by": "dsgen"}})

    title = title.replace("SPACE", job.space.name)
    for what, one in zip((CHANGES[verb], "change the keys"), done, strict=True):
        [said] = errors(one)
        assert 1 == one.returncode
        assert said.startswith(f"dsgen: {title} applies this job and would undo the change. Instead, {what}")
        assert said.endswith("; or use --force")


def patch(job: Job, metadata: dict[str, Any]) -> None:
    job.space.kubectl("patch", "job", "digits-1-launcher", "--patch", yaml.safe_dump({"metadata": metadata}))


def test_the_next_run_replaces_the_one_before(job: Job, file: str) -> None:
    asked = program("apply", file, "--bump")
    assert (2, "run 1, which has not ended" in asked.stdout) == (asked.returncode, True), asked.stdout
    assert 'id: "1"' in Path(file).read_text() or "id: '1'" in Path(file).read_text()

    done = program("apply", file, "--bump", "--yes", "--set", "workers.replicas=3")

    assert 0 == done.returncode, done.stderr
    assert f"{file}: run.id 1 -> 2, workers.replicas 2 -> 3\n" in done.stdout
    assert "id: '2'" in Path(file).read_text()
    assert "replicas: 3" in Path(file).read_text()
    again = program("apply", file)
    assert (0, {"unchanged"}) == (again.returncode, {line.split()[1] for line in again.stdout.splitlines()}), (
        again.stderr
    )
    assert set() == soon("end of run 1", lambda: {frozenset(names(job, "1"))}, 30).pop()
    assert {"job.batch/digits-2-launcher", "job.batch/digits-2-worker"} <= names(job, "2")
    assert {"digits-ssh", "digits-status"} <= {name.partition("/")[2] for name in job.space.identities()}


def test_what_happened_to_the_run_is_told(file: str) -> None:
    done = program("events", file)

    assert 0 == done.returncode, done.stderr
    assert "job/digits-2-worker" in done.stdout
    assert "FailedScheduling" in done.stdout
    assert "TIME" == done.stdout.split(maxsplit=1)[0]


def test_nodes_are_told_as_kubectl_sees_them() -> None:
    done = program("top", "-o", "json")
    names = kubectl("get", "nodes", "--output", "name").split()

    assert 0 == done.returncode, done.stderr
    assert {name.partition("/")[2] for name in names} == {row["node"] for row in json.loads(done.stdout)["nodes"]}


def test_a_run_that_kubectl_began_is_compared_by_its_objects(job: Job) -> None:
    job.apply("7")
    path = job.file("7", name=job.name, namespace=job.space.name)
    same = program("apply", path, "--dry-run", "--yes")
    other = program("apply", path, "--dry-run", "--yes", "--set", "workers.replicas=3")

    assert 0 == same.returncode, same.stderr
    assert 1 == other.returncode
    assert 'run "7" is in the cluster and would change: ' in other.stderr
    assert "job/digits-7-worker spec.parallelism: 2 -> 3" in other.stderr
    assert 1 == len(errors(other)), other.stderr


def test_a_namespace_that_is_missing(file: str) -> None:
    done = program("apply", file, "--set", "namespace=dsgen-nope")

    expected = ["dsgen: there is no namespace dsgen-nope: kubectl create namespace dsgen-nope"]
    assert (1, expected) == (done.returncode, errors(done))


def test_an_apply_that_fails_in_the_middle_is_completed_by_another(make_job: Callable[..., Job]) -> None:
    """A dry run of each object does not use up the quota, so it is the second Job that is refused."""
    job = make_job("apply-quota")
    job.values |= {"launcher": NOWHERE, "launch": {"expectWorld": False}}
    job.values["workers"] |= NOWHERE
    path = job.file("1", name=job.name, namespace=job.space.name)
    job.space.kubectl("create", "quota", "jobs", "--hard", "count/jobs.batch=1")
    hard = ("get", "quota", "jobs", "--output", "jsonpath={.status.hard}")
    soon("the quota", lambda: {*job.space.kubectl(*hard).split()}, 30)

    failed = program("apply", path)
    job.space.kubectl("patch", "quota", "jobs", "--patch", '{"spec": {"hard": {"count/jobs.batch": "2"}}}')
    soon("the larger quota", lambda: {*job.space.kubectl(*hard).split()} & {'{"count/jobs.batch":"2"}'}, 30)
    again = program("apply", path)

    assert (3, True) == (failed.returncode, "job/digits-1-worker created" in failed.stdout)
    assert 'jobs.batch "digits-1-launcher" is forbidden: exceeded quota: jobs' in failed.stderr
    assert "not applied: job/digits-1-launcher\n" in failed.stderr
    assert (0, True) == (again.returncode, "job/digits-1-worker unchanged" in again.stdout), again.stderr
    assert "job/digits-1-launcher created" in again.stdout


# One run that fails by itself, one that is stopped.


def short(job: Job, name: str, steps: int, code: int) -> str:
    """The values file of a job that trains nothing."""
    values = {**job.values, "name": name, "namespace": job.space.name, "launch": {"method": "torchrun"}}
    values["launch"]["expectWorld"] = False
    values["workers"] = {key: value for key, value in job.values["workers"].items() if key not in NOWHERE}
    values["training"] = {"python": "/job/files/x.py", "files": {"x.py": PROGRAM.format(steps=steps, code=code)}}
    del values["launcher"]
    path = job.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(values))
    return str(path)


def test_a_file_of_a_repository_has_its_settings(job: Job, tmp_path: Path) -> None:
    """apply, run, and the commands on a cluster that get the file as JOB."""
    given = yaml.safe_load(Path(short(job, "listed", 2, 5)).read_text())
    (tmp_path / "values.yaml").write_text(yaml.safe_dump({key: given[key] for key in given.keys() - {"namespace"}}))
    settings = {"jobs": ["*.yaml"], "defaults": {"namespace": job.space.name, "labels": {"team": "platform"}}}
    (tmp_path / "dsgen.yaml").write_text(yaml.safe_dump(settings))
    file = str(tmp_path / "values.yaml")

    ran = program("run", file)

    assert (5, True) == (ran.returncode, "rank 0 step 1" in ran.stdout), ran.stderr
    path = ["-o", "jsonpath={.metadata.labels.team}"]
    assert "platform" == job.space.kubectl("get", "job", "listed-1-worker", *path)
    assert "unchanged" in program("apply", file).stdout
    assert f"{job.space.name}/listed" in program("status", file).stdout


def test_run_ends_with_the_exit_code_of_the_run(job: Job) -> None:
    done = program("run", short(job, "short", 2, 7))

    assert 7 == done.returncode, done.stderr
    assert "rank 0 step 1" in done.stdout
    assert "rank 1 step 1" in done.stdout


def test_ctrl_c_asks_whether_the_run_is_stopped(job: Job) -> None:
    left = interrupted(short(job, "left", 600, 0), "leave")
    stopped = interrupted(str(job.folder / "left.yaml"), "stop")

    assert (130, True) == (left[0], f"{job.space.name}/left, run 1 is still running: dsgen logs" in left[1])
    assert (0, True) == (stopped[0], f"{job.space.name}/left, run 1: Stopped" in stopped[1])


def interrupted(file: str, answer: str) -> tuple[int, str]:
    """Exit code and output of a run on a terminal that is interrupted at its first step, and answered."""
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell ignores it for what it starts in the background
        os.execv(sys.executable, [sys.executable, "-m", "dsgen", "run", file])
    said, asked, deadline = b"", False, time.monotonic() + RUN_SECONDS
    while time.monotonic() < deadline:
        try:
            said += os.read(terminal, 4096)
        except OSError:  # it has ended
            break
        if b"rank 0 step 1" in said and not asked:
            os.kill(child, signal.SIGINT)
            asked = True
        if said.rstrip().endswith(b"[leave]:"):
            os.write(terminal, f"{answer}\n".encode())
            said += b"\n"
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()
