"""The program as a whole: help, version, exit codes, and that no error ever shows a traceback."""

import gc
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import click
import pytest

from dsgen import __version__
from dsgen.cli import COMMANDS, ON_CLUSTERS, ON_FILES, OTHER_WORDS, dsgen, main, render
from dsgen.cli._console import OTHER_OPTIONS
from dsgen.cli._options import Delivery
from tests.cli.conftest import Cli, job, put
from tests.estimate.jobs import LLAMA_8B

EXAMPLES = Path(__file__).parents[2] / "values-examples"
IMPORTED = Path(__file__).parents[1] / "importers" / "cases"


def examples(text: str) -> list[str]:
    """The commands in the Examples block of a help text."""
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    return [line.strip() for line in block.splitlines()]


def modules() -> set[str]:
    """The modules with commands."""
    return {path.stem for path in Path(render.__file__).parent.glob("[!_]*.py")}


def helps(names: Iterable[str] = COMMANDS) -> list[tuple[str, ...]]:
    return [("--help",), *((name, "--help") for name in names)]


@pytest.mark.parametrize("arguments", helps(), ids=" ".join)
def test_every_help_has_one_sentence_and_examples(cli: Cli, arguments: tuple[str, ...]) -> None:
    code, out, err = cli(*arguments)
    first = out.split("\n\n")[1].strip()

    assert (0, "") == (code, err)
    assert (True, 1) == (first.endswith("."), len(re.findall(r"\.(\s|$)", first)))
    assert examples(out)


@pytest.mark.parametrize("command", [" ".join(arguments) for arguments in helps(ON_FILES)])
def test_every_example_runs(cli: Cli, folder: Path, command: str) -> None:
    if command != "init --help":  # which writes one
        put(folder / "jobs/cifar/values.yaml", job("cifar", "research", image="{repository: r.example.com/x, tag: v1}"))
        settings = "jobs: [cifar.yaml, mnist.yaml, jobs/*/*]\nargocd: {repository: https://git.example.com/jobs.git}\n"
        (folder / "dsgen.yaml").write_text(settings)
        assert [0, 0] == [cli("render", "cifar.yaml", "-d", "manifests/cifar").code, cli("render").code]
        assert 0 == cli("chart", "cifar.yaml", "-d", "charts/cifar").code
        put(folder / "train.sbatch", "#!/bin/bash\n#SBATCH -N 1 --gres=gpu:4\nsrun torchrun train.py --model $MODEL\n")
        shutil.copy(IMPORTED / "pytorchjob" / "job.yaml", folder / "pytorchjob.yaml")
    if command == "estimate --help":
        shutil.copy(EXAMPLES / "multi-node-gpu.yaml", folder / "llama.yaml")
        (folder / "config.json").write_text(json.dumps(LLAMA_8B))
    for line in examples(cli(*command.split()).out):
        program, *arguments = re.split("[|>]", line)[0].split()
        stdin = (folder / arguments.pop()).read_text() if "<" in arguments else ""
        assert program == "dsgen"
        result = cli(*(word for word in arguments if word != "<"), stdin=stdin)
        assert (line, 0) == (line, result.code), result.err


@pytest.mark.parametrize("name", ON_CLUSTERS)
def test_every_example_on_a_cluster_is_right_usage(cli: Cli, name: str) -> None:
    lines = examples(cli(name, "--help").out)

    assert lines
    for line in lines:
        code, out, err = cli(*line.split()[1:], "--kubeconfig", "none")
        assert (3, "") == (code, out), f"{line}: {err}"
        assert re.fullmatch(r"dsgen: there is no kubeconfig: none .*\n", err)


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_stands_in_the_list(cli: Cli, name: str) -> None:
    command = dsgen.get_command(click.Context(dsgen), name)
    assert command

    assert command.get_short_help_str(200).rstrip(".") in re.sub(r"\s+", " ", cli("--help").out)


@pytest.mark.parametrize(
    ("environment", "arguments"),
    [({}, ["--help"]), ({"_DSGEN_COMPLETE": "bash_complete", "COMP_WORDS": "dsgen v", "COMP_CWORD": "1"}, [])],
)
def test_the_list_of_commands_imports_no_command(environment: dict[str, str], arguments: list[str]) -> None:
    script = "import sys; from dsgen.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", script, *arguments]

    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})

    assert "validate" in done.stdout
    assert set() == {f"dsgen.cli.{name}" for name in modules()} & {*done.stderr.split()}


def test_every_command_is_listed() -> None:
    parts = [vars(import_module(f"dsgen.cli.{name}")).values() for name in modules()]
    found = [one.name for part in parts for one in part if isinstance(one, click.Command)]

    assert sorted(COMMANDS) == sorted(found)


def test_every_option_of_a_folder_reaches_it() -> None:
    assert {*Delivery._fields} <= {one.name for one in render.render.params}


@pytest.mark.parametrize("arguments", [["nosuch"], ["render", "--nosuch"], ["chart", "x", "y"], ["render", "-d"]])
def test_wrong_usage_is_exit_code_2(cli: Cli, arguments: list[str]) -> None:
    code, out, err = cli(*arguments)

    assert (2, "") == (code, out)
    assert "Error: " in err


def test_no_arguments_show_the_help(cli: Cli) -> None:
    code, out, err = cli()

    assert 2 == code
    assert "Examples:" in out + err


def program(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    command = [sys.executable, "-m", "dsgen", *arguments]
    return subprocess.run(command, text=True, capture_output="stdout" not in options, check=False, **options)  # type: ignore[call-overload]  # options of run


def test_module_and_program_are_the_same() -> None:
    assert f"dsgen, version {__version__}\n" == program("--version").stdout


def test_a_full_disk_is_exit_code_3() -> None:
    with Path("/dev/full").open("w") as full:
        done = program("render", str(EXAMPLES / "minimal.yaml"), stdout=full, stderr=subprocess.PIPE)

    assert (3, "dsgen: cannot write to standard output: No space left on device\n") == (done.returncode, done.stderr)


def test_a_closed_output_is_exit_code_3() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$0" -m dsgen render "$1" >&-', sys.executable, str(EXAMPLES / "minimal.yaml")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (3, "dsgen: cannot write to standard output: it is closed\n") == (done.returncode, done.stderr)


def test_bytes_that_are_no_text_are_wrong_usage(cli: Cli) -> None:
    code, out, err = cli("render", "cifar.yaml", "--set", "labels.a=\udcff")

    assert (2, "", "dsgen: --set 'labels.a=\\udcff': this is not UTF-8\n") == (code, out, err)


def test_a_reader_that_went_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = program("render", str(EXAMPLES / "minimal.yaml"), stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)

    assert (141, "") == (done.returncode, done.stderr)


def test_output_is_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    text = (EXAMPLES / "minimal.yaml").read_text().replace('"3"', '"\u00e9\u4e2d"')
    (tmp_path / "x.yaml").write_text(text)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "dsgen", "render", "x.yaml"]

    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr)
    assert "\u00e9\u4e2d" in done.stdout.decode()


# The signal comes while the fifth file is opened, which is one of those beside their targets.
STOPPED = """
import os, signal, sys
opened, number = [], getattr(signal, sys.argv.pop(1))
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background of a shell ignores
def stop(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".tmp"):
        opened.append(arguments[0])
        if len(opened) == 5:
            os.kill(os.getpid(), number)
sys.addaudithook(stop)
from dsgen.__main__ import main
main()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_leaves_the_folder_as_it_was(cli: Cli, folder: Path, name: str, code: int) -> None:
    cli("render", "cifar.yaml", "-d", "out")
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}

    command = [sys.executable, "-c", STOPPED, name, "render", "cifar.yaml", "--set", "run.id=2", "-d", "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (code, "", "") == (done.returncode, done.stdout, done.stderr.strip())
    assert before == {path.name: path.read_bytes() for path in (folder / "out").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["render", "cifar.yaml", "-d", ""], "the name of the folder, -d, is empty"),
        (["chart", "cifar.yaml", "-d", ""], "the name of the folder, -d, is empty"),
        (["chart", "", "-d", "out"], "the name of a FILE is empty"),
        (["render", ""], "the name of a FILE is empty"),
        (["validate", "cifar.yaml", "-f", ""], "the name of a FILE is empty"),
        (["init", ""], "the name of FILE is empty"),
    ],
)
def test_the_name_of_a_file_is_never_empty(cli: Cli, folder: Path, arguments: list[str], what: str) -> None:
    """As a variable of a pipeline that is not set; to the system it would be the current folder."""
    before = sorted(folder.iterdir())

    code, out, err = cli(*arguments)

    assert (2, "") == (code, out)
    assert err.startswith(f"dsgen: {what}: is a variable not set?")
    assert before == sorted(folder.iterdir())


def failing(error: BaseException) -> click.Command:
    """A command that ends in an error."""

    def body() -> None:
        raise error

    return click.Command("broken", callback=body)


def test_a_mistake_in_dsgen_is_a_sentence(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DSGEN_DEBUG", raising=False)

    assert 3 == main([], failing(ZeroDivisionError("oops")))
    err = capfd.readouterr().err
    assert "dsgen: internal error, please report it: ZeroDivisionError: oops (DSGEN_DEBUG=1 shows where)\n" == err


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyboardInterrupt(), 130), (PermissionError(13, "Permission denied", "x"), 3), (IsADirectoryError(21, "no"), 3)],
)
def test_other_ends_have_their_codes(capfd: pytest.CaptureFixture[str], error: BaseException, code: int) -> None:
    assert code == main([], failing(error))
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(("command", "collects"), [("validate", False), ("logs", True)])
def test_only_commands_that_may_run_for_hours_collect_garbage(cli: Cli, command: str, collects: bool) -> None:
    gc.disable()
    try:
        cli(command, "missing.yaml")
        assert collects is gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize(("word", "question"), [("rendr", "; did you mean render?"), ("xyzzy", ".")])
def test_an_unknown_command_names_the_closest(cli: Cli, word: str, question: str) -> None:
    code, out, err = cli(word, "cifar.yaml")

    assert (2, "") == (code, out)
    assert err.endswith(f"Error: No such command '{word}'{question}\n")


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_a_word_of_another_program_leads_to_a_command(cli: Cli, word: str) -> None:
    code, out, err = cli(word)

    assert (2, "") == (code, out)
    assert err.endswith(f"Error: No such command '{word}'; did you mean {OTHER_WORDS[word]}?\n")
    command, *options = OTHER_WORDS[word].split()
    assert 0 == cli(command, "--help").code
    assert all(option in cli(command, "--help").out for option in options)


def test_the_version_has_a_short_option(cli: Cli) -> None:
    assert cli("--version") == cli("-V") == (0, f"dsgen, version {__version__}\n", "")


def test_earlier_options_for_folders_and_formats_work_until_0_4(cli: Cli, folder: Path) -> None:
    told = "dsgen: -o DIR is now -d DIR, and goes in version 0.4\n"
    for number, command in enumerate(("render", "diff", "chart", "gitops --kind HelmRelease")):
        place, words = "old" if number < 2 else f"old{number}", [*command.split(), "cifar.yaml"]
        old, new = cli(*words, "-o", place), cli(*words, "-d", place)
        assert (old.code, old.err) == (0, told)
        assert new.err == ""
        assert (2, "") == cli(*words, "-o", place, "-d", "b")[:2]
        assert 2 == cli(*words, "-o", "yaml").code  # of a habit, not a folder
    assert not (folder / "yaml").exists()
    old, new = cli("validate", "cifar.yaml", "--format", "json"), cli("validate", "cifar.yaml", "-o", "json")
    assert (old.out, old.err) == (new.out, "dsgen: --format is now -o, and goes in version 0.4\n")
    assert "--format" not in cli("render", "--help").out


@pytest.mark.parametrize("command", ["apply", "render"])
def test_a_dry_run_with_a_value_says_what_to_do(cli: Cli, command: str) -> None:
    code, out, err = cli(command, "cifar.yaml", "--dry-run=client")

    assert (2, "") == (code, out)
    assert err.endswith("  hint: write --dry-run alone; `dsgen render` prints the objects without a cluster\n")
    assert "hint" not in cli("validate", "cifar.yaml", "--dry-run").err


@pytest.mark.parametrize("option", OTHER_OPTIONS)
def test_an_option_of_another_program_leads_to_one_that_exists(cli: Cli, option: str) -> None:
    for used, hint in OTHER_OPTIONS[option]:
        command = next(name for name in COMMANDS if f" {used} " in cli(name, "--help").out)
        assert f"No such option '{option}'.\n  hint: {hint}\n" in cli(command, option).err
    assert "hint" not in cli("completion", option).err
