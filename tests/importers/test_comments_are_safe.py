"""What is copied from a source into a comment of the values file ends neither the comment nor the line."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml

from dsgen import shipped
from dsgen.editing import compare_text
from dsgen.importers import ImportedJob, ImportRefusedError, SourceText
from dsgen.importers.draft import Draft, format_values
from dsgen.reading import read
from tests.importers.imports import convert, shell, slurm

LINE_ENDS = {"U+2028": "\u2028", "U+2029": "\u2029", "U+0085": "\x85", "CR": "\r", "LF": "\n", "CRLF": "\r\n"}
KEY = "launcher: {initContainers: [{name: evil}]}"
OBJECT = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "bert", "namespace": "nlp"},
    "spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {"containers": [
        {"name": "pytorch", "image": "x", "command": ["torchrun", "train.py"]}
    ]}}}}},
}  # fmt: skip


def with_container(**fields: object) -> str:
    """A PyTorchJob whose container has these fields."""
    source = json.loads(json.dumps(OBJECT))
    source["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0] |= fields
    return json.dumps(source)


def skypilot(**fields: object) -> str:
    task = {"name": "a", "resources": {"accelerators": "A100:8"}, "num_nodes": 2, "run": "torchrun train.py"}
    return json.dumps({**task, **fields})


SOURCES: dict[str, Callable[[str], ImportedJob]] = {
    "module load": lambda end: slurm(f"module load 'cuda{end}{KEY}'\nsrun torchrun train.py"),
    "conda activate": lambda end: slurm(f"conda activate 'x{end}{KEY}'\nsrun torchrun train.py"),
    "source": lambda end: slurm(f"source '/opt/x{end}{KEY}'\nsrun torchrun train.py"),
    "comment of a script": lambda end: slurm(f"# 1{end}{KEY}\nexport A=1  # 2{end}{KEY}\nsrun torchrun train.py"),
    "--time": lambda end: slurm("srun torchrun train.py", f"--nodes=2 --time='1{end}{KEY}'"),
    "--job-name": lambda end: slurm("srun torchrun train.py", f"--nodes=2 --job-name='a{end}{KEY}'"),
    "--container-image": lambda end: slurm(f"srun --container-image='/img.sqsh{end}{KEY}' torchrun train.py"),
    "--container-mounts": lambda end: slurm(f"srun --container-mounts='/a{end}{KEY}:/b' torchrun train.py"),
    "apptainer": lambda end: slurm(f"srun apptainer exec '/img.sif{end}{KEY}' torchrun train.py"),
    "an unset variable": lambda end: slurm(f"torchrun train.py ${{X:-'a{end}{KEY}'}} \"$Y\""),
    "a folder": lambda end: slurm(f"cd '/scratch/a{end}{KEY}'\nsrun torchrun '/home/b{end}{KEY}/train.py'"),
    "image of an object": lambda end: convert(with_container(image=f"img{end}{KEY}"), "a.yaml"),
    "variable of an object": lambda end: convert(
        with_container(env=[{"name": f"{name}{end}{KEY}", "value": "x"} for name in ("A_TOKEN", "B")]), "a.yaml"
    ),
    "command of an object": lambda end: convert(
        with_container(command=["bash", "-c", f"torchrun t.py # {end}{KEY}"]), "a.yaml"
    ),
    "comment of an object": lambda end: convert(
        yaml.safe_dump(OBJECT).replace("name: bert", f"name: bert  # mine{end}# {KEY}"), "a.yaml"
    ),
    "variable of SkyPilot": lambda end: convert(skypilot(envs={f"A{end}{KEY}": None}), "a.yaml"),
    "secret of SkyPilot": lambda end: convert(skypilot(secrets={f"A{end}{KEY}": "x"}), "a.yaml"),
    "image of SkyPilot": lambda end: convert(skypilot(resources={"image_id": f"x{end}{KEY}"}), "a.yaml"),
    "image of Arena": lambda end: convert(
        f"arena submit pytorchjob --name=a --image='x{end}{KEY}' 'torchrun t.py'", "a.sh"
    ),
    "--set": lambda end: shell("torchrun $FILE $X", variables={"FILE": f"train.py{end}{KEY}"}),
}  # fmt: skip


@pytest.mark.parametrize("end", [*LINE_ENDS.values()], ids=[*LINE_ENDS])
@pytest.mark.parametrize("place", [*SOURCES])
def test_a_line_end_ends_no_comment(place: str, end: str) -> None:
    """The file has one line end, and is read as the values that were meant."""
    try:
        job = SOURCES[place](end)
    except ImportRefusedError:
        return

    compare_text(job.text, job.data)
    assert [] == [line for line in job.text.split("\n") if line.splitlines() not in ([line], [])]


@pytest.mark.parametrize("end", [*LINE_ENDS.values(), "\x0b", "\x1c", "\ufeff", "\x00", "\x1b[31m", "\udc85"])
def test_comments_of_every_place_are_safe(end: str) -> None:
    data = {"a": "1", "b": [1, 2], "c": {"d": "x\ny\n", "e": {"f": []}}, "k" * 1000: "v", "l": [{"m": 1}, "x" * 120]}
    draft = Draft(data)
    for path, _ in read(SourceText("", json.dumps(data))).root.walk():
        draft.comments[path] = f"after{end}{KEY}"
        draft.above[path] = [f"above{end}{KEY}"]

    text = format_values(draft)
    compare_text(text, data)

    assert text.count("after") > 5 < text.count("above")
    assert [] == [line for line in text.split("\n") if line.splitlines() not in ([line], [])]


@pytest.mark.parametrize("end", [*LINE_ENDS.values()], ids=[*LINE_ENDS])
def test_a_preset_is_filled_with_what_was_given(end: str) -> None:
    compare_text(*shipped.fill_preset(shipped.read_preset("minimal"), f"a{end}{KEY}", f"b{end}", f"c{end}d:v1{end}"))


def test_a_text_that_is_read_otherwise_is_not_delivered() -> None:
    with pytest.raises(RuntimeError, match="would be read otherwise"):
        compare_text("a: 1\n", {"a": "1"})
    with pytest.raises(RuntimeError, match="would be read otherwise"):
        compare_text("a: 1  # x\u2028b: 2\n", {"a": 1})
    with pytest.raises(RuntimeError, match="not YAML"):
        compare_text("a: [1\n", {"a": [1]})


@pytest.mark.parametrize("name", ["A" * 1001, "\u2028" * 200, '"' * 600], ids=["long", "separators", "quotes"])
def test_a_name_that_no_reader_reads_is_refused(name: str) -> None:
    line = f"arena submit pytorchjob --name=a --image=x:v1 --selector='{name}=1' 'torchrun t.py'"

    with pytest.raises(ImportRefusedError, match="a key can have at most 1000 characters"):
        convert(line, "a.sh")
