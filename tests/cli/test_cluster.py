"""If a cluster cannot be reached, a command prints one sentence without a secret, and exits with 3."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Cli

SECRET = "eyJ-a-token-that-nobody-shall-see"


def kubeconfig(folder: Path, user: dict[str, Any], port: int = 1) -> str:
    """A kubeconfig for an API server on this machine."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        "clusters": [{"name": "here", "cluster": {"server": f"https://127.0.0.1:{port}"}}],
        "users": [{"name": "me", "user": user}],
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(content))
    return "kubeconfig"


@pytest.fixture
def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def test_an_api_server_that_is_away(cli: Cli, folder: Path, closed_port: int) -> None:
    result = cli("status", "cifar", "--kubeconfig", kubeconfig(folder, {"token": SECRET}, closed_port))

    server = f"https://127.0.0.1:{closed_port}"
    assert (3, "") == (result.code, result.out)
    assert result.err.startswith(f"dsgen: cannot reach the API server {server} (")
    assert "Connection refused" in result.err
    assert 1 == result.err.count("\n")
    assert SECRET not in result.err


def test_a_context_that_is_not_there(cli: Cli, folder: Path) -> None:
    result = cli("list", "--context", "nope", "--kubeconfig", kubeconfig(folder, {"token": SECRET}))

    expected = "dsgen: cannot use context nope of kubeconfig: there is no context nope; possible: here\n"
    assert (3, "", expected) == result


@pytest.mark.parametrize(
    ("variable", "shown"), [("", "~/.kube/config"), ("none", "none"), ("none:other", "none:other")]
)
def test_no_kubeconfig_in_its_usual_places(folder: Path, variable: str, shown: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": variable}
    command = [sys.executable, "-m", "dsgen", "status", "cifar"]

    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)

    assert (3, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith(f"dsgen: there is no kubeconfig: {shown} does not exist; set KUBECONFIG or use ")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo expired, log in with sso >&2; exit 3", "exec: process returned 3. expired, log in with sso"),
        (
            f"""echo '{{"token": "{SECRET}"}}' Zm9vYmFyMTIzNDU2Nzg5MA >&2; exit 3""",
            f'exec: process returned 3. {{"token": "{"*" * len(SECRET)}"}} {"*" * 22}',
        ),
        ("yes word | head -n 9999 >&2; exit 3", f"exec: process returned 3. {'word ' * 75}"[:400]),
        (f"echo {SECRET}", "exec: failed to decode process output: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_a_login_command_that_fails(cli: Cli, folder: Path, script: str, said: str) -> None:
    program = folder / "login"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    command = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program), "interactiveMode": "Never"}

    result = cli("list", "--kubeconfig", kubeconfig(folder, {"exec": command}))

    assert (3, "") == (result.code, result.out)
    assert f"dsgen: cannot log in with kubeconfig: {said} (the login command is {program})\n" == result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["status", "a/b/c"], "a/b/c: name a job as cifar, training/cifar or by its values file"),
        (["status", "training/cifar", "-n", "other"], "training/cifar: name a job as cifar, training/cifar or by its"),
        (["status", "cifar", "--set", "a=1"], "-f and --set need a values file, but JOB is the name of a job"),
        (["status", "cifar", "--watch", "-o", "json"], "--watch and -o are mutually exclusive"),
        (["logs", "cifar", "--worker", "0", "--launcher"], "--launcher and --worker are mutually exclusive"),
        (["logs", "cifar", "--rank", "0", "--worker", "1"], "--worker and --rank are mutually exclusive"),
        (["logs", "cifar", "--exit-code"], "--exit-code belongs to --follow"),
        (["logs", "cifar", "--since", "soon"], "soon: write a time as 90s, 30m, 24h or 1h30m"),
        (["logs", "cifar", "--grep", "("], "--grep (: "),
    ],
)
def test_wrong_names_and_options_are_wrong_usage(cli: Cli, folder: Path, arguments: list[str], message: str) -> None:
    result = cli(*arguments, "--kubeconfig", kubeconfig(folder, {"token": SECRET}))

    assert (2, "") == (result.code, result.out)
    assert f"dsgen: {message}" in result.err


@pytest.mark.parametrize("command", ["apply", "run"])
def test_a_folder_of_several_jobs_is_not_applied(cli: Cli, folder: Path, command: str) -> None:
    text = (folder / "cifar.yaml").read_text()
    (folder / "jobs").mkdir()
    for name in ("cifar", "mnist"):
        (folder / "jobs" / f"{name}.yaml").write_text(text.replace("cifar", name))

    result = cli(command, "jobs", "--kubeconfig", kubeconfig(folder, {"token": SECRET}))

    assert (2, "") == (result.code, result.out)
    assert "dsgen: one job is applied at a time, but jobs has 2 files: name one of them\n" == result.err
