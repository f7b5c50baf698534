"""The commands that change runs: what they send to the API server, which has the recorded objects of a real one."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from dsgen.catalogue import KINDS
from dsgen.generated.digest import SCRIPTS
from tests.cli.conftest import IMAGE, Cli, job, put
from tests.cluster.server import RecordedServer
from tests.test_golden import FILES, manifests

JOBS = "/apis/batch/v1/namespaces/training/jobs"
LAUNCHER, WORKER = f"{JOBS}/cifar-1-launcher", f"{JOBS}/cifar-1-worker"
CONFIG_MAPS = "/api/v1/namespaces/training/configmaps"
RECORD = f"{CONFIG_MAPS}/cifar-status"
FLUX = {"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
STOP = """\
stop training/cifar, run 1
  job/cifar-1-launcher
  job/cifar-1-worker
"""


def free_workers(server: RecordedServer) -> None:
    """As the workers do when the run is over: they end."""
    for path, item in server.objects.items():
        if "/pods/cifar-1-worker" in path:
            item["status"]["phase"] = "Succeeded"


def test_a_run_is_stopped_by_deleting_its_launcher(server: RecordedServer, cli: Cli) -> None:
    """There is no launcher here that could write the end to the record, so dsgen does it."""
    free_workers(server)

    result = cli("stop", "cifar", "--yes")

    assert (0, f"{STOP}training/cifar, run 1: Stopped\n", "") == result
    assert [("DELETE", LAUNCHER), ("PATCH", RECORD)] == [change[:2] for change in server.changes]
    assert "Stopped" == json.loads(server.objects[RECORD]["data"]["1"])["phase"]


def test_a_stopped_run_is_not_stopped_again(server: RecordedServer, cli: Cli) -> None:
    free_workers(server)
    cli("stop", "cifar", "--yes")
    del server.changes[:]

    assert (0, "training/cifar, run 1: it has ended, Stopped\n", "") == cli("stop", "cifar", "--yes")
    assert [] == server.changes


@pytest.mark.parametrize("command", ["stop", "suspend", "delete"])
def test_nothing_is_changed_without_a_confirmation(server: RecordedServer, cli: Cli, command: str) -> None:
    result = cli(command, "cifar")

    assert (2, [f"{command} training/cifar, run 1"]) == (result.code, result.out.splitlines()[:1])
    assert "there is no terminal to ask for confirmation: use --yes" in result.err
    assert [] == server.changes


def test_both_jobs_are_suspended_and_resumed_the_launcher_first(server: RecordedServer, cli: Cli) -> None:
    assert 0 == cli("suspend", "cifar", "--yes").code
    assert [True, True] == [server.objects[path]["spec"]["suspend"] for path in (LAUNCHER, WORKER)]
    assert 0 == cli("resume", "cifar", "--yes").code

    assert [
        ("PATCH", path, {"spec": {"suspend": on}}) for on in (True, False) for path in (LAUNCHER, WORKER)
    ] == server.changes


def test_a_queue_resumes_the_workers(server: RecordedServer, cli: Cli) -> None:
    server.objects[WORKER]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "gpus"

    assert 0 == cli("resume", "cifar", "--yes").code
    assert [("PATCH", LAUNCHER, {"spec": {"suspend": False}})] == server.changes


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("stop", "set lifecycle.suspend: true in the values file, render it and commit"),
        ("suspend", "set lifecycle.suspend: true in the values file, render it and commit"),
        ("resume", "set lifecycle.suspend: false in the values file, render it and commit"),
        ("delete", "remove the job's folder and commit"),
    ],
)
def test_what_flux_would_undo_is_refused(server: RecordedServer, cli: Cli, command: str, instead: str) -> None:
    server.objects[LAUNCHER]["metadata"]["labels"].update(FLUX)

    result = cli(command, "cifar", "--yes")

    said = "Flux Kustomization flux-system/jobs applies this job and would undo the change"
    assert (1, "", f"dsgen: {said}. Instead, {instead}; or use --force\n") == result
    assert [] == server.changes


@pytest.mark.parametrize(("flags", "kept"), [((), True), (("--job",), False)])
def test_a_run_is_deleted_with_its_objects(
    server: RecordedServer, cli: Cli, flags: tuple[str, ...], kept: bool
) -> None:
    result = cli("delete", "cifar", *flags, "--yes")

    assert (0, "") == (result.code, result.err)
    assert {LAUNCHER, WORKER} <= {path for method, path, _ in server.changes if method == "DELETE"}
    assert kept == (RECORD in server.objects)
    assert "kept: claim cifar-data" in result.out


def test_a_failed_run_cannot_be_suspended(make_server: Callable[..., RecordedServer], cli: Cli) -> None:
    server = make_server(cifar="failed")

    assert (1, "training/cifar, run 1: it has ended, Failed\n", "") == cli("suspend", "cifar", "--yes")
    assert [] == server.changes


def test_every_kind_that_is_rendered_is_deleted_with_its_job() -> None:
    """A PersistentVolume is kept, and its claim is deleted only with --volumes."""
    objects = [yaml.safe_load(text) for path in FILES.values() for text in manifests(path).split("---\n")]
    rendered = {(each["apiVersion"], each["kind"]) for each in objects}
    deleted = {(re.sub("^/apis?/", "", kind.api), kind.name) for kind in KINDS}

    assert {("v1", "PersistentVolume")} == rendered - deleted


def test_scripts_that_no_job_and_no_repository_names_are_listed_and_deleted(server: RecordedServer, cli: Cli) -> None:
    names = [
        "cifar-scripts-shared-abcdef0123",  # a Job has them
        f"dsgen-runtime-worker-{SCRIPTS}",  # the folder of the repository has them
        "dsgen-runtime-worker-0123456789",
        "mnist-scripts-shared-0123456789",
    ]
    for name in names:
        component = "runtime" if name.startswith("dsgen") else "scripts"
        labels = {"app.kubernetes.io/component": component}
        server.objects[f"{CONFIG_MAPS}/{name}"] = {"metadata": {"name": name, "uid": name, "labels": labels}}
    sources = [{"configMap": {"name": names[0]}}]
    server.objects[WORKER]["spec"]["template"]["spec"]["volumes"] = [{"name": "a", "projected": {"sources": sources}}]
    put(Path("dsgen.yaml"), f"defaults:\n  {IMAGE}  runtime: {{create: false}}\n")
    put(Path("jobs/a/values.yaml"), job("bert"))
    assert 0 == cli("render", "-q").code
    unused = names[2:]

    assert (0, "".join(f"configmap/{name}\n" for name in unused), "") == cli("runtime", "--unused")
    for arguments in (["--delete"], ["--unused", "--delete"]):  # there is no terminal to ask on
        assert 2 == cli("runtime", *arguments).code
    assert [] == server.changes
    assert 0 == cli("runtime", "--unused", "--delete", "--yes").code
    assert [("DELETE", f"{CONFIG_MAPS}/{name}") for name in unused] == [change[:2] for change in server.changes]
    assert (0, "0 objects deleted\n", "") == cli("runtime", "--unused", "--delete", "--yes")


def test_shared_scripts_are_printed_for_the_namespace_of_the_context(server: RecordedServer, cli: Cli) -> None:
    text = cli("runtime", "--name", "ours").out

    assert 7 == text.count('\n  namespace: "training"\n') == text.count(f"-{SCRIPTS}\n")
    assert text == cli("runtime", "-n", "training", "--name", "ours", "--kubeconfig", "/none").out
    assert [] == server.changes
