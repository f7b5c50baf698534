"""Completion in the real shells: some text, a tab, and the resulting line."""

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from dsgen.cli.completion import SHELLS
from tests.cli.conftest import Cli

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# What is typed behind `dsgen `, and what its last word becomes.
TYPED = {
    "rend": "render",
    "validate ci": "cifar.yaml",
    "render cifar.yaml --set-string run.id=2 -d man": "manifests",
    "validate -f pr": "prod.yaml",
    "validate --outp": "--output",
    "validate -o sa": "sarif",
    "init --preset tor": "torchrun",
    "render cifar.yaml --set netw": "network.",
    "render cifar.yaml --set workers.repl": "workers.replicas=",
    "render cifar.yaml --set-json storage.data.mountP": "storage.data.mountPath=",
    "explain workers.sl": "workers.slots",
    "explain storage.NAME.mountP": "storage.NAME.mountPath",
    "explain DS901": "DS901",
    "explain WorkersLo": "WorkersLost",
    "help launch-": "launch-methods",
    "completion fi": "fish",
}
# What is typed on behind words that go on.
OPEN = {".": "policy=false", "=": "4"}
# Where the help puts the script, and what makes an interactive shell read it.
PLACES = {
    "bash": (".local/share/bash-completion/completions/dsgen", "source ~/{place}"),
    "zsh": (".config/dsgen.zsh", "autoload -U compinit; compinit -u -d ~/.zcompdump; source ~/{place}"),
    "fish": (".config/fish/completions/dsgen.fish", ""),
}


@pytest.fixture
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder as home, with the program `dsgen` in the path."""
    program = folder / "bin" / "dsgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dsgen "$@"\n')
    program.chmod(0o755)
    (folder / "manifests").mkdir()
    for name, value in {
        "HOME": str(folder),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def install(shell: str, home: Path, cli: Cli) -> str:
    """Put the script where the help says; returns the line that makes an interactive shell find it."""
    place, line = PLACES[shell]
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).write_text(cli("completion", shell).out)
    return line.format(place=place)


@pytest.mark.parametrize(
    ("shell", "options"), [("bash", ["--norc"]), pytest.param("zsh", ["-f"], marks=pytest.mark.needs("zsh"))]
)
def test_a_tab_completes(cli: Cli, home: Path, shell: str, options: list[str]) -> None:
    """The shell runs a function in place of the program; its completion asks the program itself."""
    start = install(shell, home, cli)
    with pexpect.spawn(shell, [*options, "-i"], cwd=home, encoding="utf-8", timeout=60) as session:
        session.sendline(f"{start}; dsgen() {{ for word; do last=$word; done; echo \"<$last>\"; }}; echo rea''dy")
        session.expect_exact("ready")
        for typed, expected in TYPED.items():
            session.send(f"dsgen {typed}\t")
            session.expect_exact(expected.removeprefix(typed.split()[-1]))
            session.sendline(OPEN.get(expected[-1], ""))
            session.expect("<([^<>]*)>")
            assert (typed, expected + OPEN.get(expected[-1], "")) == (typed, session.match[1].rstrip("/"))


@pytest.mark.needs("fish")
def test_fish_offers_what_fits(cli: Cli, home: Path) -> None:
    install("fish", home, cli)
    for typed, expected in TYPED.items():
        script = f'complete -C "dsgen {typed}"'
        done = subprocess.run(["fish", "-c", script], cwd=home, capture_output=True, text=True, check=True)
        assert expected in {line.partition("\t")[0].rstrip("/") for line in done.stdout.splitlines()}


@pytest.mark.needs("fish")
def test_fish_offers_possible_values(cli: Cli, home: Path) -> None:
    install("fish", home, cli)
    script = 'complete -C "dsgen render --set launch.method=p"; complete -C "dsgen render --set lifecycle.suspend="'
    done = subprocess.run(["fish", "-c", script], cwd=home, capture_output=True, text=True, check=True)

    offered = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert {"launch.method=pdsh", "lifecycle.suspend=true", "lifecycle.suspend=false"} == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_the_help_says_where_the_script_goes(cli: Cli, shell: str) -> None:
    assert f"dsgen completion {shell} > ~/{PLACES[shell][0]}\n" in cli("completion", "--help").out
