"""`dsgen init`: presets, names, and files that exist already."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from dsgen import shipped
from tests.cli.conftest import Cli
from tests.parity import documents

ROOT = Path(__file__).parents[2]
EXAMPLES = dict(sorted((path.stem, path.read_text()) for path in (ROOT / "values-examples").glob("*.yaml")))

FORM = "beginning with a letter and not ending with a hyphen, at most 63 characters"
NAME = f"Expected: lower-case letters, digits and hyphens, {FORM}"
ENDS = "beginning and ending with a letter or digit, at most 63 characters"
NAMESPACE = f"Expected: lower-case letters, digits and hyphens, {ENDS}"
REPOSITORY = "expected: an image such as registry.example.com/team/cifar; set tag and digest with their own keys"
IMAGE = "set it to the image of the training, such as registry.example.com/team/cifar"

every_preset = pytest.mark.parametrize("preset", EXAMPLES)


def test_the_package_carries_the_examples() -> None:
    """A wheel has them where `shipped` looks for them; .ci/run tries it with an installed one."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert "dsgen/examples" == build["force-include"]["values-examples"]


@every_preset
def test_a_preset_is_written_as_it_is(cli: Cli, folder: Path, preset: str) -> None:
    code, out, err = cli("init", "new.yaml", "--preset", preset)

    assert (0, f"new.yaml: written from preset {preset}. Edit it, then: dsgen validate new.yaml\n", "") == (
        code,
        out,
        err,
    )
    assert EXAMPLES[preset] == (folder / "new.yaml").read_text()


@every_preset
def test_a_preset_with_other_names_renders(cli: Cli, preset: str) -> None:
    """Nothing else in a preset knows its names: with others it has the same objects under these."""
    assert 0 == cli("init", "new.yaml", "--preset", preset, "--name", "bert", "-n", "research").code
    code, out, err = cli("render", "new.yaml", "--strict")

    assert (0, "") == (code, err)
    objects = documents(out)
    assert {"bert"} == {thing["metadata"]["labels"]["dsgen.dev/job"] for thing in objects}
    assert {"research", None} >= {thing["metadata"].get("namespace") for thing in objects}


@every_preset
def test_filling_in_changes_nothing_else(preset: str) -> None:
    """Comments, quotes and layout survive; the same names give the same bytes."""
    values = yaml.safe_load(EXAMPLES[preset])

    assert EXAMPLES[preset] == shipped.fill_preset(EXAMPLES[preset], values["name"], values["namespace"])[0]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("team/bert:v1", {"repository": "team/bert", "tag": "v1"}),
        ("localhost:5000/bert:1.10", {"repository": "localhost:5000/bert", "tag": "1.10"}),
        ("bert:2025_01", {"repository": "bert", "tag": "2025_01"}),
        ("bert:yes", {"repository": "bert", "tag": "yes"}),
        ("bert:12345678901234567890", {"repository": "bert", "tag": "12345678901234567890"}),
        ("localhost:5000/bert", {"repository": "localhost:5000/bert"}),
        (f"bert@sha256:{'0' * 64}", {"repository": "bert", "digest": f"sha256:{'0' * 64}"}),
        (f"r/bert:v1@sha256:{'0' * 64}", {"repository": "r/bert", "tag": "v1", "digest": f"sha256:{'0' * 64}"}),
    ],
)
def test_an_image_is_taken_apart(cli: Cli, folder: Path, image: str, expected: dict[str, str]) -> None:
    code, out, err = cli("init", "-", "--image", image)

    assert (0, "") == (code, err)
    (folder / "new.yaml").write_text(out)
    assert expected == {
        key: value
        for key, value in json.loads(cli("values", "new.yaml", "-o", "json").out)["image"].items()
        if key in ("repository", "tag", "digest") and value
    }


@pytest.mark.parametrize("name", ["y", "no", "on", "off", "null", "e1", "nan"])
def test_names_that_read_as_something_else_are_quoted(cli: Cli, name: str) -> None:
    assert 0 == cli("init", "new.yaml", "--name", name, "-n", name).code
    values = json.loads(cli("values", "new.yaml", "-o", "json").out)

    assert (name, name) == (values["name"], values["namespace"])


def test_one_line_for_each_preset(cli: Cli) -> None:
    code, out, err = cli("init", "--list")

    assert (0, "") == (code, err)
    assert list(EXAMPLES) == [line.split()[0] for line in out.splitlines()]
    assert [] == [line for line in out.splitlines() if len(line) > 100 or not line.endswith(".")]


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["--name", "Bert"], [f'--name: name cannot be "Bert"; did you mean bert? {NAME}']),
        (
            ["-n", "kube_system", "--name", "a.b"],
            [
                f'--name: name cannot be "a.b"; did you mean a-b? {NAME}',
                f'-n: namespace cannot be "kube_system"; did you mean kube-system? {NAMESPACE}',
            ],
        ),
        (["--image", "a b"], [f'--image: image.repository cannot be "a b"; {REPOSITORY}']),
        (["--image", ":v1"], [f"--image: image.repository is required; {IMAGE}"]),
    ],
)
def test_names_that_cannot_be_are_wrong_usage(
    cli: Cli, folder: Path, arguments: list[str], messages: list[str]
) -> None:
    """With the flag and the rule."""
    code, out, err = cli("init", "new.yaml", *arguments)

    assert (2, "") == (code, out)
    assert messages == err.removeprefix("dsgen: ").splitlines()
    assert not (folder / "new.yaml").exists()


@pytest.mark.parametrize(
    ("preset", "close"),
    [
        ("Singlenode", "did you mean single-node? dsgen init --list shows them all"),
        ("eks", "did you mean aws-efa? dsgen init --list shows them all"),
        ("gpu", f"there are {', '.join(shipped.list_presets())}"),
        ("zzz", f"there are {', '.join(shipped.list_presets())}"),
    ],
)
def test_an_unknown_preset_names_the_closest_and_the_way_to_all(
    cli: Cli, folder: Path, preset: str, close: str
) -> None:
    message = f"--preset {preset}: no such preset; {close}"

    assert (2, "", f"dsgen: {message}\n") == cli("init", "--preset", preset)
    assert not (folder / "values.yaml").exists()


@pytest.mark.parametrize("more", [["new.yaml"], ["--name", "x"], ["--preset", "torchrun"]], ids=" ".join)
def test_the_list_writes_no_file(cli: Cli, folder: Path, more: list[str]) -> None:
    code, out, err = cli("init", "--list", *more)

    assert (2, "") == (code, out)
    assert "--list writes no file" in err
    assert not (folder / "new.yaml").exists()


def test_the_file_is_values_yaml_unless_it_is_named(cli: Cli, folder: Path) -> None:
    assert 0 == cli("init").code
    assert EXAMPLES["minimal"] == (folder / "values.yaml").read_text()


def test_folders_are_made(cli: Cli, folder: Path) -> None:
    assert 0 == cli("init", "jobs/bert/values.yaml").code
    assert (folder / "jobs" / "bert" / "values.yaml").exists()


@pytest.mark.parametrize(
    "make",
    [Path.mkdir, lambda path: path.write_text("mine\n"), lambda path: path.symlink_to("nowhere")],
    ids=["folder", "file", "dangling link"],
)
def test_what_is_there_is_never_overwritten(cli: Cli, folder: Path, make) -> None:
    make(folder / "new.yaml")
    before = sorted(path.name for path in folder.iterdir())

    code, out, err = cli("init", "new.yaml")

    assert (1, "") == (code, out)
    assert "dsgen: new.yaml exists already, and is not overwritten: choose another name, or delete it\n" == err
    assert before == sorted(path.name for path in folder.iterdir())
    assert not (folder / "new.yaml").is_file() or (folder / "new.yaml").read_text() == "mine\n"


def test_of_several_at_once_one_writes(folder: Path) -> None:
    command = [sys.executable, "-m", "dsgen", "init", "new.yaml", "--preset"]
    running = {
        name: subprocess.Popen([*command, name], stdout=-3, stderr=-3, cwd=folder) for name in list(EXAMPLES)[:4]
    }
    codes = {name: process.wait() for name, process in running.items()}

    assert [0, 1, 1, 1] == sorted(codes.values())
    assert [EXAMPLES[name] for name, code in codes.items() if code == 0] == [(folder / "new.yaml").read_text()]


def test_a_file_in_the_place_of_the_folder_is_in_the_way(cli: Cli, folder: Path) -> None:
    (folder / "file").write_text("")

    code, out, err = cli("init", "file/new.yaml")

    assert (1, "") == (code, out)
    assert "dsgen: file is in the way: it is a file, not a folder. Move it, or choose another folder\n" == err


def test_a_folder_that_cannot_be_written_is_exit_code_3(cli: Cli) -> None:
    code, out, err = cli("init", "/proc/self/folder/new.yaml")

    assert (3, "") == (code, out)
    assert err.startswith("dsgen: cannot write into /proc/self: ")
