"""TensorBoard: to whom its objects belong, and its start; tests/cases/keys.yaml has what each key does."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.parity import dump
from tests.test_objects import documents, objects

JOB = {
    "name": "cifar",
    "namespace": "training",
    "image": {"repository": "registry.example.com/team/cifar", "tag": "v3", "pullSecrets": [{"name": "pull"}]},
    "training": {"python": "train.py"},
}
BOARD = {"enabled": True, "logDir": "/data/logs"}
LABELS = {"dsgen.dev/job": "cifar", "dsgen.dev/role": "tensorboard"}


def rendered(board: Any = BOARD, **values: Any) -> dict[str, Any]:
    """Kind/name -> object of the job with TensorBoard and these values."""
    monitoring = {"tensorboard": board} | values.pop("monitoring", {})
    return objects(dump(JOB | {"monitoring": monitoring} | values))


def pod(board: Any = BOARD, **values: Any) -> Any:
    """The spec of TensorBoard's pod."""
    return rendered(board, **values)["Deployment/cifar-tensorboard"]["spec"]["template"]["spec"]


def container(board: Any = BOARD, **values: Any) -> Any:
    (only,) = pod(board, **values)["containers"]
    return only


def test_it_belongs_to_the_job_and_no_new_run_touches_it() -> None:
    """One pod for all runs, byte for byte the same, that no selector of a run matches."""
    values = JOB | {"monitoring": {"tensorboard": BOARD, "podMonitor": {"enabled": True}}}
    first, second = (
        {document.template: document for document in documents(dump(values | {"run": {"id": run}}))}
        for run in ("1", "2")
    )
    made = [name for name in first if name.startswith("monitoring/")]

    assert 4 == len(made)
    assert {"name"} == {first[name].scope for name in made}
    assert [first[name].text for name in made] == [second[name].text for name in made]


def test_no_selector_of_a_run_matches_its_pod() -> None:
    things = rendered()
    deployment, service = things["Deployment/cifar-tensorboard"], things["Service/cifar-tensorboard"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert LABELS == labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    for selector in (
        things["Service/cifar-1"]["spec"]["selector"],
        things["NetworkPolicy/cifar-1"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert not selector.items() <= labels.items()


# -- how it starts ----------------------------------------------------------------------------------------------------


def start(folder: Path, board: Any, programs: dict[str, str], **training: Any) -> subprocess.CompletedProcess[str]:
    """Run the container's command where only these programs are (name -> text)."""
    main = container(board, training=JOB["training"] | training)
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environment = {entry["name"]: entry["value"].replace("$$", "$") for entry in main["env"]}
    arguments = [text.replace("$$", "$") for text in main["args"]]  # as the kubelet does
    return subprocess.run(
        ["/bin/sh", *main["command"][1:], *arguments],
        env={**environment, "PATH": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def python(has_tensorboard: bool) -> str:
    """An interpreter that says how it is called, with or without the package."""
    answer = "0" if has_tensorboard else "1"
    return f'#!/bin/sh\nif [ "$1" = -c ]; then exit {answer}; fi\nprintf "%s|" "$0" "$@"\n'


EXECUTABLE = '#!/bin/sh\nprintf "%s|" "$0" "$@"\n'


@pytest.mark.parametrize(
    ("programs", "python_command", "expected"),
    [
        ({"python3": python(True)}, "python3", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(True), "tensorboard": EXECUTABLE}, "python3", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(False), "tensorboard": EXECUTABLE}, "python3", ["tensorboard"]),
        ({"tensorboard": EXECUTABLE}, "python3", ["tensorboard"]),
        ({"python3": python(True), "py": python(True)}, "py", ["py", "-m", "tensorboard.main"]),
        ({"python3": python(True), "py": python(False)}, "py", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(True)}, "/opt/none/python", ["python3", "-m", "tensorboard.main"]),
    ],
)
def test_it_is_found_as_package_or_program(
    programs: dict[str, str], python_command: str, expected: list[str], tmp_path: Path
) -> None:
    """In the training's interpreter, in another one, or as a program alone; and a folder's name arrives as written."""
    board = BOARD | {"logDir": "/data/it's $HOME $(A) *"}

    done = start(tmp_path, board, programs, pythonCommand=python_command)

    program = str(tmp_path / expected[0])
    options = ["--logdir=/data/it's $HOME $(A) *", "--host=0.0.0.0", "--port=6006"]
    assert (0, [program, *expected[1:], *options, ""]) == (done.returncode, done.stdout.split("|")), done.stderr


def test_an_image_without_it_says_so(tmp_path: Path) -> None:
    done = start(tmp_path, BOARD, {"python3": python(False)})

    assert (1, "") == (done.returncode, done.stdout)
    assert "monitoring.tensorboard.image" in done.stderr
