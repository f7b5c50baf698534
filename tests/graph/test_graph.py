"""`dsgen graph` draws what the objects contain."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dsgen import api, graph
from dsgen.cli import main
from dsgen.graph.model import Arrow, Graph, Key
from tests.parity import parsed

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "values-examples").glob("*.yaml"))
LAUNCHER, WORKER = Key("Job", "cifar-1-launcher"), Key("Job", "cifar-1-worker")
SECRET, RECORD = Key("Secret", "cifar-ssh"), Key("ConfigMap", "cifar-status")


def texts(path: Path) -> list[str]:
    return [document.text for document in api.render(api.load(path))]


def graph_of(name: str) -> Graph:
    return graph.read_graph(texts(ROOT / "values-examples" / f"{name}.yaml"))


@pytest.mark.parametrize(
    "arrow",
    [
        Arrow(LAUNCHER, WORKER, "ssh, port 2222", "launcher", is_traffic=True),
        Arrow(WORKER, WORKER, "collectives", is_traffic=True),
        Arrow(LAUNCHER, SECRET, "makes the key", "status"),
        Arrow(LAUNCHER, RECORD, "writes the record", "status"),
        Arrow(LAUNCHER, WORKER, "watches", "status"),
        Arrow(WORKER, RECORD, "mounts"),
        Arrow(WORKER, Key("PersistentVolumeClaim", "cifar-checkpoints"), "mounts at /checkpoints"),
        Arrow(Key("Service", "cifar-1"), WORKER, "names"),
        Arrow(Key("NetworkPolicy", "cifar-1"), LAUNCHER, "guards"),
        Arrow(Key("RoleBinding", "cifar.launcher"), Key("Role", "cifar.launcher"), "grants"),
    ],
)
def test_who_talks_to_whom(arrow: Arrow) -> None:
    assert arrow in graph_of("minimal").arrows


def test_workers_without_ssh_meet_at_their_port() -> None:
    arrows = [arrow.text for arrow in graph_of("torchrun").arrows if arrow.is_traffic]

    assert ["collectives, meet at port 29500"] == arrows


def test_what_is_there_already_is_drawn_too() -> None:
    others = {node.key for node in graph_of("existing-claims").nodes if not node.is_made}

    assert {Key("Secret", "team-ssh"), Key("PersistentVolumeClaim", "team-data"), Key("Secret", "tracker")} <= others


def test_a_picture_is_of_one_job(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert 2 == main(["graph"])
    assert "dsgen: give a values file, as in: dsgen graph cifar.yaml > cifar.mmd\n" == capfd.readouterr().err


def test_svg_of_objects_is_refused_with_what_to_write(capfd: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["graph", str(ROOT / "values-examples" / "minimal.yaml"), "-o", "svg"])
    assert (
        "dsgen: objects are drawn as Mermaid: leave out -o; for SVG, use mermaid-cli: mmdc -i cifar.mmd\n"
        == capfd.readouterr().err
    )


def names(value: object) -> Iterator[str]:
    """All texts in an object."""
    if isinstance(value, dict):
        for each in value.values():
            yield from names(each)
    elif isinstance(value, list):
        for each in value:
            yield from names(each)
    elif isinstance(value, str):
        yield value


REFERRED = ("ConfigMap", "Secret", "PersistentVolumeClaim", "ServiceAccount")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_object_that_pods_name_has_an_arrow(path: Path) -> None:
    """Found in another way: the names of objects among the texts of pod templates."""
    objects = [parsed(text) for text in texts(path)]
    drawn = graph.read_graph(texts(path))
    known = {(each["kind"], each["metadata"]["name"]) for each in objects}
    assert known <= {node.key for node in drawn.nodes}
    for each in objects:
        if each["kind"] in ("Job", "Deployment"):
            source = (each["kind"], each["metadata"]["name"])
            used = {*names(each["spec"]["template"]["spec"].get("volumes", []))}
            reached = {arrow.target for arrow in drawn.arrows if arrow.source == source}
            assert set() == {key for key in known if key[0] in REFERRED and key[1] in used} - reached


SVG = "{http://www.w3.org/2000/svg}"

PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_colours_need_no_style_sheet(path: Path) -> None:
    """A sanitiser may remove the style sheet; it is only for dark mode, in which every class has its colours."""
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    sheet = "".join(each.text or "" for each in root.iter(f"{SVG}style"))
    shapes = [each for name in ("rect", "path", "text") for each in root.iter(f"{SVG}{name}")]

    assert len(shapes) > 5
    assert [] == [each.attrib for each in shapes if "fill" not in each.attrib]
    assert set() == {each.attrib["class"] for each in shapes} - set(re.findall(r"[.]([a-z-]+) {", sheet))
    assert sheet.startswith("@media (prefers-color-scheme: dark) {")
    assert [] == re.findall(r"var\(|<script|foreignObject|href|url\((?!#)|style=|@import| on\w+=", text)


@pytest.mark.needs("rsvg-convert")
@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_librsvg_draws_the_light_picture(path: Path) -> None:
    command = ["rsvg-convert", "--format", "svg"]

    flat = subprocess.run(
        command, input=path.read_text(encoding="utf-8"), capture_output=True, text=True, check=True
    ).stdout

    colours = set(re.findall(r"rgb\([^)]*\)", flat.replace(" ", "")))
    assert "rgb(100%,100%,100%)" in colours
    assert "rgb(0%,0%,0%)" not in colours


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_arrow_of_mermaid_has_both_ends(path: Path) -> None:
    text = graph.as_mermaid(graph.read_graph(texts(path)), "A job")
    drawn = set(re.findall(r"^ +(?:subgraph )?(n\w+)[\[({]", text, re.MULTILINE))
    ends = {end for pair in re.findall(r'^  (n\w+) <?[-=]{2}>\|"[^"]*"\| (n\w+)$', text, re.MULTILINE) for end in pair}

    assert len(ends) > 5
    assert set() == ends - drawn


def test_traffic_has_thick_arrows() -> None:
    lines = graph.as_mermaid(graph_of("minimal"), "A job").splitlines()

    assert {'"ssh, port 2222"', '"collectives"'} == {line.split("|")[1] for line in lines if "==>" in line}


@pytest.mark.parametrize("text", ["<img src=x>", "#lt;", "`code`", "%%{init: {}}%%", "&lt;", 'a"b'])
def test_a_text_is_no_part_of_the_drawing(text: str) -> None:
    node = graph.model.Node(RECORD, text)
    drawn = graph.as_mermaid(Graph([node], []), "x")

    assert text not in drawn
    assert not set("<>`%&") & set(drawn.partition("flowchart")[2].replace("<br/>", ""))
