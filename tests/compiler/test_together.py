"""Several charts of dsgen in one parent chart, which share one namespace of defines."""

import json
import re
from pathlib import Path

import pytest

from dsgen.compiler import make_chart_files
from tests.helm import MAJORS
from tests.parity import Objects, helm_run, load, objects, write_chart

JOB = "image: {repository: r/x, tag: v1}\ntraining: {python: train.py}\nname: "


def of_each(major: int, folder: Path, changed: str = "") -> dict[str, Objects]:
    """The objects of the charts cifar and bert in one parent; `changed` has another version of a helper."""
    parent = {"apiVersion": "v2", "name": "parent", "version": "1.0.0"}
    write_chart(folder, {"Chart.yaml": json.dumps(parent)})
    for name in ("cifar", "bert"):
        files = make_chart_files(load(JOB + name), name)
        if name == changed:
            files["templates/_metadata.tpl"] = files["templates/_metadata.tpl"].replace("by: dsgen", "by: another")
        write_chart(folder / "charts" / name, files)
    result = helm_run(major, folder)
    assert result.returncode == 0, result.stderr
    parts = re.split(r"^# Source: parent/charts/(\w+)/\S+\n", result.stdout, flags=re.MULTILINE)
    texts: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        texts[name] = texts.get(name, "") + text.removesuffix("---\n") + "\n---\n"
    return {name: objects(text) for name, text in texts.items()}


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(("changed", "other"), [("cifar", "bert"), ("bert", "cifar")])
def test_a_chart_keeps_its_helpers_beside_another(major: int, changed: str, other: str, tmp_path: Path) -> None:
    before = of_each(major, tmp_path / "before")
    after = of_each(major, tmp_path / "after", changed)

    assert {"cifar", "bert"} == before.keys()
    assert before[other] == after[other]
    assert before[changed].keys() == after[changed].keys()
    assert all("another" in text for text in after[changed].values())


def test_every_define_begins_with_the_name_of_its_chart() -> None:
    text = "".join(text for path, text in make_chart_files(name="cifar").items() if path.startswith("templates/"))
    names = re.findall(r'(?:define|include|template) "([^"]*)"', text)

    assert {"cifar.jobName", "cifar.yaml", "cifar.plainJson"} <= set(names)
    assert [] == [name for name in names if not name.startswith("cifar.")]
