"""Commands as lists do what the command line does in a shell."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from dsgen.schema import commands

LINES = [
    ("python train.py --epochs 3", False),
    ("python train.py \\\n  --epochs 3 \\\n  --name 'a b'\n", False),
    ("python train.py\n  --epochs 3\n  --lr 1e-4\n", False),
    ("python train.py --url 'http://x/?a=1&b=2' --price 'costs $5'", False),
    ('python train.py --name "a b" - "" 99999999999999999999 yes 010', False),
    ("bash -c 'python train.py && python done.py'", False),
    ("python train.py && python done.py", True),
    ("python train.py; python done.py", True),
    ("python train.py --n $NNODES", True),
    ('python train.py --n "${NNODES}x"', True),
    ('bash -c "python train.py $NNODES"', False),
    ("python train.py | cat", True),
    ("python train.py 2>&1 > log.txt", True),
    ("NCCL_DEBUG=INFO python train.py", True),
    ("cd sub && python train.py", True),
    ("export A=1\npython train.py", True),
    ("python train.py --home ~/x --data *.tar", True),
    ("python train.py `python done.py`", True),
]
WORDS = [
    (["python", "train.py", "&&", "python", "done.py"], "python train.py && python done.py"),
    (["python", "train.py", "--n=$(NNODES)", "a b", "it's"], """python train.py --n=$NNODES "a b" "it's" """),
    (["python", "$(NNODES)x", "$NNODES y", "{}", "*"], """python "${NNODES}x" "$NNODES y" "{}" "*" """),
    (["python", "train.py", "2>&1", "|", "cat"], "python train.py 2>&1 | cat"),
    (["A=b", "python", "train.py"], "A=b python train.py"),
    (["python", "train.py;", "python", "done.py"], "python train.py; python done.py"),
]


def output(command: list[str], folder: Path) -> tuple[str, dict[str, str]]:
    """What a command prints, and the files that it writes, with a python that prints its arguments."""
    for path in folder.iterdir():
        path.unlink() if path.is_file() else None
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "x.tar").touch()
    bin_ = folder.parent / "bin"
    bin_.mkdir(exist_ok=True)
    (bin_ / "python").write_text('#!/bin/bash\nprintf "<%s>" "$@" "${NCCL_DEBUG-}" "${A-}" "${PWD##*/}"; echo\n')
    (bin_ / "python").chmod(0o755)
    env = {"PATH": f"{bin_}:/usr/bin:/bin", "HOME": "/home/x", "NNODES": "4"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout, {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(("line", "in_shell"), LINES)
def test_the_list_does_what_the_line_does(line: str, in_shell: bool, folder: Path) -> None:
    words = yaml.safe_load(commands.format_command(line))
    typed = line if in_shell else re.sub(r"(?<!\\)\n(?=\s*-)", " ", line)

    assert in_shell == (words[0] == "bash" and not line.startswith("bash"))
    assert output(["bash", "-c", typed], folder) == output(words, folder)


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_words_with_shell_syntax_become_the_line_that_was_meant(words: list[str], line: str, folder: Path) -> None:
    meant = yaml.safe_load(commands.wrap_in_shell(commands.join_script(words, further=False)))

    assert output(["bash", "-c", line], folder) == output(meant, folder)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("train", 'train "$@"'),
        ("train && echo ok", 'train "$@" && echo ok'),
        ("cd /x; pip install y && train --a b | tee c", 'cd /x; pip install y && train --a b "$@" | tee c'),
        ("train 'a; b' 2>&1", "train 'a; b' \"$@\" 2>&1"),
        ("export A=1\nulimit -l\ntrain\n", 'export A=1\nulimit -l\ntrain "$@"\n'),
    ],
)
def test_further_arguments_reach_the_program(script: str, expected: str) -> None:
    assert expected == commands.pass_further(script)


def test_a_failed_program_in_a_pipe_fails() -> None:
    words = yaml.safe_load(commands.format_command("false | cat"))

    assert 1 == subprocess.run(words, check=False).returncode


@pytest.mark.parametrize("text", ["-", "", "a b", 'say "x"', "it's", "\\", "a\nb", "1", "99999999999999999999", "é"])
def test_an_item_is_the_text_again(text: str) -> None:
    assert [text] == yaml.safe_load(commands.format_list([text]))
