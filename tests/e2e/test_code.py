"""Code from a git server in the cluster, with setup, files and a user id that the image does not know; the webhook."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster import Namespace, soon
from tests.e2e.training import RUN_SECONDS, Job, Run, condition, ended

pytestmark = pytest.mark.by_turns

PASSWORD = "it's $a s3cret & more"
LOGIN = {"metadata": {"name": "git"}, "stringData": {"username": "robot", "password": PASSWORD}}
HERE = Path(__file__).parent
UNKNOWN = 54321
# The program of the repository: says where it runs and what was prepared for it, and is the training.
RUN = """\
import json, os, pathlib, runpy, sys
print(json.dumps({
    "cwd": os.getcwd(),
    "tree": sorted(path.name for path in pathlib.Path.cwd().iterdir() if path.suffix != ".pyc"),
    "prepared": os.environ.get("PREPARED"),
    "file": pathlib.Path("/job/files/note.txt").read_text(),
    "user": pathlib.Path.home().as_posix(),
    "readable": [path for path in ("/etc/dsgen-git", "/etc/dsgen-webhook") if os.path.exists(path)],
}), flush=True)
runpy.run_path("train.py", run_name="__main__")
"""
SETUP = 'export PREPARED="$DSGEN_ROLE in $PWD"\necho "setup of $DSGEN_ROLE"\n'


@dataclass
class Server:
    """The server's pod, and what it has said."""

    space: Namespace
    host_key: str
    user_key: str
    certificate: str

    @property
    def host(self) -> str:
        return f"git.{self.space.name}.svc"

    def said(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.space.log("git", "git").splitlines() if line.startswith("{")]

    @property
    def commit(self) -> str:
        return str(next(line["commit"] for line in self.said() if "commit" in line))


def new_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
    return path


def new_certificate(folder: Path, host: str) -> dict[str, str]:
    """A certificate for a host, signed by itself, and its key."""
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=git"]
    names = {"tls.crt": folder / "tls.crt", "tls.key": folder / "tls.key"}
    alternative = f"subjectAltName=DNS:{host}"
    files = ["-addext", alternative, "-out", str(names["tls.crt"]), "-keyout", str(names["tls.key"])]
    subprocess.run([*argv, *files], check=True, capture_output=True)
    return {name: path.read_text() for name, path in names.items()}


@pytest.fixture(scope="module")
def server(namespaces: Callable[..., Namespace], git_image: str, tmp_path_factory: pytest.TempPathFactory) -> Server:
    space, folder = namespaces("git"), tmp_path_factory.mktemp("git")
    host, user = new_key(folder / "host"), new_key(folder / "user")
    certificate = new_certificate(folder, f"git.{space.name}.svc")
    sources = {
        "server.py": (HERE / "gitserver.py").read_text(),
        "train.py": (HERE / "train.py").read_text(),
        "run.py": RUN,
        "host": host.read_text(),
        "authorized_keys": user.with_suffix(".pub").read_text(),
        **certificate,
    }
    labels = {"app": "git"}
    container = {
        "name": "git",
        "image": git_image,
        "command": ["python3", "-u", "/sources/server.py"],
        "env": [{"name": "PASSWORD", "value": PASSWORD}],
        "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
        "volumeMounts": [{"name": "sources", "mountPath": "/sources"}],
    }
    volumes = [{"name": "sources", "configMap": {"name": "sources"}}]
    space.core.create_namespaced_config_map(space.name, {"metadata": {"name": "sources"}, "data": sources})
    pod = {"metadata": {"name": "git", "labels": labels}, "spec": {"containers": [container], "volumes": volumes}}
    space.core.create_namespaced_pod(space.name, pod)
    targets = {"http": (80, 8080), "https": (443, 8443), "ssh": (22, 2222)}
    ports = [{"name": name, "port": port, "targetPort": target} for name, (port, target) in targets.items()]
    service = {"metadata": {"name": "git"}, "spec": {"selector": labels, "ports": ports}}
    space.core.create_namespaced_service(space.name, service)
    space.watched("pod", "git", lambda pod: any(one.ready for one in pod.status.container_statuses or []), 60)
    return Server(space, host.with_suffix(".pub").read_text(), user.read_text(), certificate["tls.crt"])


def with_code(job: Job, git_image: str, image: str, **git: str) -> Job:
    """The job with its code from the server instead of a file; setup and a file beside it."""
    training = job.values["training"]
    job.values["code"] = {"git": {"image": "" if git_image == image else git_image, **git}}
    training["python"] = "run.py"
    training["files"] = {"note.txt": "written\n"}
    training["setup"] = SETUP
    return job


def facts(run: Run) -> list[dict[str, Any]]:
    return [line for line in run.lines if "cwd" in line]


@pytest.fixture(scope="module")
def by_http(make_job: Callable[..., Job], server: Server, git_image: str, image: str) -> Run:
    """A private repository by http, one commit of the past; containers run as root."""
    job = make_job("http")
    with_code(
        job,
        git_image,
        image,
        repository=f"http://{server.host}/code.git",
        revision=server.commit,
        secretName="git",
    )
    job.space.core.create_namespaced_secret(job.space.name, LOGIN)
    job.values["status"]["webhook"] = {"url": f"http://{server.host}/hook?token=of-values"}
    job.apply()
    return job.ended()


@pytest.fixture(scope="module")
def by_ssh(make_job: Callable[..., Job], server: Server, git_image: str, image: str, by_http: Run) -> Run:
    """By ssh, as a user that the image does not know, in a namespace that enforces `restricted`."""
    assert by_http.launcher
    job = make_job("ssh", level="restricted")
    with_code(
        job,
        git_image,
        image,
        repository=f"ssh://root@{server.host}/tmp/git/code.git",
        revision=server.commit,
        secretName="git",
        knownHosts=f"{server.host} {server.host_key}",
    )
    context = {"runAsUser": UNKNOWN, "runAsGroup": 0, "fsGroup": UNKNOWN}
    job.values["security"] = {"podSecurityLevel": "restricted", "podSecurityContext": context}
    for name, data in (
        ("git", {"ssh-privatekey": server.user_key}),
        ("hook", {"url": f"https://{server.host}/hook?token=of-secret\n", "ca.crt": server.certificate}),
    ):
        job.space.core.create_namespaced_secret(job.space.name, {"metadata": {"name": name}, "stringData": data})
    job.values["status"]["webhook"] = {"secretName": "hook"}
    job.apply()
    return job.ended()


def test_the_training_is_the_cloned_one(by_http: Run, server: Server) -> None:
    """At the commit that was asked for, in the cloned folder, and with the same result as ever."""
    assert ("Succeeded", 0, 2) == tuple(by_http.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert [("/workspace/code", [".git", "run.py", "server.py", "train.py"])] * 2 == [
        (line["cwd"], [name for name in line["tree"] if name != "__pycache__"]) for line in facts(by_http)
    ]
    assert list(range(20)) == list(by_http.losses)
    clones = [log for name, log in by_http.logs.items() if name.endswith("/code")]
    assert [True] * 3 == [f"code: http://{server.host}/code.git at {server.commit}" in log for log in clones]


def test_setup_and_files_are_there_beside_the_code(by_http: Run) -> None:
    assert [("worker in /workspace/code", "written\n")] * 2 == [
        (line["prepared"], line["file"]) for line in facts(by_http)
    ]
    mains = {name: name.rpartition("/")[2] for name in by_http.logs if name.endswith(("/worker", "/launcher"))}
    assert [True] * 3 == [f"setup of {role}\n" in by_http.logs[name] for name, role in mains.items()]


def test_the_password_shows_nowhere(by_http: Run) -> None:
    """Not in logs, not in the record, and its Secret is not in the containers that run the user's code."""
    texts = [*by_http.logs.values(), str(by_http.record)]
    assert [] == [text for text in texts if "s3cret" in text]
    assert [[], []] == [line["readable"] for line in facts(by_http)]


def test_an_unknown_user_trains_with_code_by_ssh(by_http: Run, by_ssh: Run) -> None:
    """ssh knows it in the clone and among the pods, it has a home, and the result is the same."""
    assert ("Succeeded", 0, 2) == tuple(by_ssh.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert [UNKNOWN] * 2 == [line["uid"] for line in by_ssh.lines if "rank" in line]
    assert ["/run/dsgen/cache/home"] * 2 == [line["user"] for line in facts(by_ssh)]
    assert by_http.losses == by_ssh.losses


def test_the_webhook_gets_the_record_of_each_run(by_http: Run, by_ssh: Run, server: Server) -> None:
    sent = {line["query"]: line["hook"] for line in server.said() if "hook" in line}

    for query, run in (("token=of-values", by_http), ("token=of-secret", by_ssh)):
        names = {"namespace": run.launcher.metadata.namespace, "job": "digits", "run": "1"}
        assert {**names, **run.record} == sent[query]
        logs = [log for name, log in run.logs.items() if name.endswith("/status")]
        assert any(f"://{server.host} took the record" in log for log in logs)
        assert [] == [log for log in logs if "token=" in log]


def test_a_revision_that_is_not_there_fails_the_run_at_once(
    make_job: Callable[..., Job], server: Server, git_image: str, image: str
) -> None:
    """Both Jobs fail with the first container that says 78, and the record has the reason."""
    job = make_job("nothing")
    repository = f"http://{server.host}/code.git"
    with_code(job, git_image, image, repository=repository, revision="no-such", secretName="git")
    job.space.core.create_namespaced_secret(job.space.name, LOGIN)
    job.apply()

    run = job.ended(seconds=RUN_SECONDS / 2)

    assert ["exit code 78" in condition(done).message for done in (run.launcher, run.worker)] == [True, True]
    assert ("Failed", "CodeFailed") == (run.record["phase"], run.record["reason"])
    assert run.record["message"] == f"{repository} has no branch or tag no-such"
    assert 78 == ended(run.pods_of("launcher")[0], "code").exit_code
    soon("end of all pods", lambda: not job.running("1"), 60)
