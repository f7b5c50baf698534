"""dsgen's own parser reads a command line exactly as click does."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dsgen.cli import _arguments, _clicked, _commands, _program, _shared
from dsgen.cli._options import COMMANDS, Command
from tests.cli.conftest import Cli

PLAIN = [
    ["render", "a.yaml"],
    ["render", "-", "b.yaml", "--strict"],
    ["render", "-f", "a.yaml", "--values", "-", "--values=c.yaml"],
    ["render", "a.yaml", "-o", "out", "--check", "--format", "json", "--format=text"],
    ["render", "--set", "a=1", "a.yaml", "--set=b==c", "--set-json", '{"a": [1]}'],
    ["render", "--set-file", "a=-x", "--set-string="],
    ["validate", "a.yaml", "-n", "training", "--name=-o", "--for", "chart", "--format", "github"],
    ["chart", "-o", "out", "--dry-run"],
    ["chart", "a.yaml", "--output=out", "-f", ""],
    ["values", "a.yaml", "--format", "json"],
]
ODD = [
    *([], ["--help"], ["render", "--help"], ["render", "a", "-h"], ["rend", "a"], ["nosuch"], ["render", "--", "-a"]),
    *(["render", "-oout", "a"], ["render", "-o=out", "a"], ["render", "-fa", "-n=b"], ["render", "a", "--str"]),
    *(["chart", "a", "b", "-o", "x"], ["render", "a", "-o"], ["render", "a", "--format", "xml"]),
    *(["render", "a", "--check=1"], ["render", "a", "--format=JSON"], ["values", "a", "--strict"], ["render", "-z"]),
]
WORDS = ["a.yaml", "b.yaml", "-", "--", "", "x=1", "out", "json", "-x", "--nosuch", "-h", "-fa", "--set", "-o="]


def generated(count: int) -> Iterator[list[str]]:
    """Command lines of the options of a command, most of them right."""
    choose = random.Random(12)
    for _ in range(count):
        command = COMMANDS[choose.choice([*COMMANDS])]
        line = [command.name, *choose.sample(["a.yaml", "b.yaml"], choose.randrange(2))]
        for option in choose.choices(command.options, k=choose.randrange(5)):
            flag = choose.choice(option.flags)
            value = choose.choice([*option.choices, *choose.sample(WORDS, 1)]) if option.takes_value else ""
            line += choose.choice([[flag], [f"{flag}={value}"]]) if not value else [flag, value]
        if choose.random() < 0.2:
            line.insert(choose.randrange(1, len(line) + 1), choose.choice(WORDS))
        yield line


LINES = [*PLAIN, *ODD, *generated(600)]


def clicked(line: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | int | None:
    """The parameters that a command gets from click, or the exit code where it is not called."""
    got: list[dict[str, Any]] = []

    def call(_: Command, parameters: dict[str, Any]) -> int:
        got.append(parameters)
        return 0

    monkeypatch.setattr(_clicked._shared, "call", call)
    code = _program.run(_program.dsgen, line)
    return got[0] if got else code


def test_both_give_a_command_the_same_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    read = [(line, known[0].name, known[1]) for line in LINES if (known := _arguments.known(line))]

    assert len(read) > 250
    for line, name, parameters in read:
        assert (line, line[0], clicked(line, monkeypatch)) == (line, name, parameters)


def test_nothing_that_click_refuses_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = [line for line in LINES if clicked(line, monkeypatch) == 2]

    assert len(refused) > 50
    assert [] == [line for line in refused if _arguments.known(line)]


@pytest.mark.parametrize("line", PLAIN, ids=" ".join)
def test_usual_lines_are_read(line: list[str]) -> None:
    assert _arguments.known(line)


@pytest.mark.parametrize("line", ODD, ids=" ".join)
def test_help_errors_and_rare_spellings_are_left_to_click(line: list[str]) -> None:
    assert _arguments.known(line) is None


def test_a_shell_that_completes_asks_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_arguments.COMPLETION, "bash_complete")

    assert _arguments.known(PLAIN[0]) is None


def test_both_end_with_the_same_code_and_the_same_words(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        ["validate", "cifar.yaml", "prod.yaml"],
        ["validate", "cifar.yaml", "--for", "chart", "--format", "json"],
        ["validate", "cifar.yaml", "--set", "labels.a=\udcff"],
        ["values", "cifar.yaml", "-f", "nosuch.yaml"],
        ["render", "cifar.yaml", "--set", "workers.replicas=many", "--set", "nosuch=1"],
        ["render", "cifar.yaml", "--check"],
        ["render", "cifar.yaml", "-o", "", "--name", "x"],
        ["render", "cifar.yaml", "-o", "out", "--dry-run", "--refresh"],
        ["render"],
        ["chart", "", "-o", "out"],
    ]
    own = [cli(*line) for line in lines]
    monkeypatch.setattr(_arguments, "known", lambda _: None)

    assert [0, 1, 2, 3] == sorted({result.code for result in own})
    assert own == [cli(*line) for line in lines]


def test_neither_the_list_of_commands_nor_completion_imports_a_command(folder: Path) -> None:
    script = "import sys; from dsgen.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for environment, arguments, shown in (
        ({}, ["--help"], "validate"),
        ({"_DSGEN_COMPLETE": "bash_complete", "COMP_WORDS": "dsgen v", "COMP_CWORD": "1"}, [], "validate"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            cwd=folder,
        )
        assert shown in done.stdout
        assert not {f"dsgen.cli.{name}" for name in _commands.COMMANDS} & {*done.stderr.split()}


def test_every_option_of_a_folder_reaches_it() -> None:
    assert {option.name for option in COMMANDS["render"].options} > {*vars(_shared.Delivery())}
