"""`dsgen graph` draws what the objects contain."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dsgen import api, graph
from dsgen.cli import main
from dsgen.graph import svg
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
    assert "dsgen: give a values file, as in: dsgen graph cifar.yaml > cifar.svg\n" == capfd.readouterr().err


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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_boxes_stand_apart_and_inside_the_picture(path: Path) -> None:
    root = ElementTree.fromstring(graph.as_svg(graph.read_graph(texts(path)), "a & <b>"))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    boxes = [
        tuple(float(each.attrib[name]) for name in ("x", "y", "width", "height"))
        for each in root.iter("{http://www.w3.org/2000/svg}rect")
        if "rx" in each.attrib
    ]

    assert len(boxes) > 5
    assert [] == [box for box in boxes if box[0] + box[2] > width or box[1] + box[3] > height]
    assert [] == [(a, b) for a in boxes for b in boxes if a < b and cross(a, b)]


SVG = "{http://www.w3.org/2000/svg}"
LONG = """\
name: llama
namespace: research
image: {repository: registry.example.com/team/llama, tag: v3}
workers: {replicas: 4, slots: 8}
training: {python: train.py, env: {HF_TOKEN: {valueFrom: {secretKeyRef: {name: hub, key: token}}}}}
monitoring: {tensorboard: {enabled: true, logDir: /mnt/shared/experiments/llama/runs}, podMonitor: {enabled: true}}
storage:
  checkpoints: {mountPath: /mnt/shared/research/experiments/llama-3.1-70b-instruct/checkpoints, create: {}}
  runs: {mountPath: /mnt/shared/experiments/llama/runs, create: {}}
  data: {mountPath: /data, existingClaim: datasets}
  word: {mountPath: /a-folder-with-a-name-that-is-longer-than-the-longest-text-of-an-arrow, existingClaim: word}
"""


@pytest.fixture
def long() -> Graph:
    """A job with TensorBoard, and with long paths of mounts."""
    return graph.read_graph(document.text for document in api.render(api.load(api.SourceText("long.yaml", LONG))))


def extent(text: ElementTree.Element) -> tuple[float, float, float, float]:
    """The place and size of a text: 6.7 pixels for each letter."""
    width = len("".join(text.itertext())) * 6.7
    left = float(text.attrib["x"]) - (width / 2 if text.attrib.get("text-anchor") == "middle" else 0)
    return left, float(text.attrib["y"]) - 9, width, 10


def drawn(of: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(graph.as_svg(of, "A job"))


def assert_readable(of: Graph) -> None:
    root = drawn(of)
    size = (0.0, 0.0, float(root.attrib["width"]), float(root.attrib["height"]))
    boxes = [each for each in root.iter(f"{SVG}rect") if "rx" in each.attrib]
    shapes = [tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height")) for box in boxes]
    words = [extent(each) for each in root.iter(f"{SVG}text")]
    apart = [(a, b) for a in words for b in words if a < b and not (a[1] >= b[1] + b[3] or b[1] >= a[1] + a[3])]

    assert [] == [word for word in words if cross(word, size) or word[0] < 0]
    assert [] == [(word, shape) for word in words for shape in shapes if cross(word, shape)]
    assert [] == [(a, b) for a, b in apart if not (a[0] >= b[0] + b[2] or b[0] >= a[0] + a[2])]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_text_is_cut_or_covered(path: Path) -> None:
    assert_readable(graph.read_graph(texts(path)))


def test_long_paths_are_shown_with_their_end(long: Graph) -> None:
    assert_readable(long)
    words = {"".join(each.itertext()) for each in drawn(long).iter(f"{SVG}text")}
    assert "mounts at .../llama-3.1-70b-instruct/checkpoints" in words
    assert "mounts at /mnt/shared/experiments/llama/runs" in words
    assert max(map(len, words)) <= svg.MOST_LETTERS
    assert any(word.startswith("mounts at .../") and word.endswith("-the-longest-text-of-an-arrow") for word in words)


def test_the_arrows_of_tensorboard_have_their_own_lanes(long: Graph) -> None:
    paths = [each.attrib["d"] for each in drawn(long).iter(f"{SVG}path")]
    turns = [match.groups() for path in paths if (match := re.fullmatch(r"M(\S+) (\S+) H(\S+) V(\S+) H(\S+)", path))]

    assert len(turns) == 6
    assert len({x for _, _, x, _, _ in turns}) == len(turns)
    rows = [row for _, start, _, end, _ in turns for row in (start, end)]
    assert len(set(rows)) == len(rows)
    assert not any(" C" in path for path in paths)


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


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_librsvg_draws_the_light_picture(path: Path) -> None:
    if not shutil.which("rsvg-convert"):
        pytest.skip("rsvg-convert missing: install librsvg2-bin")
    command = ["rsvg-convert", "--format", "svg"]

    flat = subprocess.run(
        command, input=path.read_text(encoding="utf-8"), capture_output=True, text=True, check=True
    ).stdout

    colours = set(re.findall(r"rgb\([^)]*\)", flat.replace(" ", "")))
    assert "rgb(100%,100%,100%)" in colours
    assert "rgb(0%,0%,0%)" not in colours


def cross(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two boxes overlap, neither within the other."""
    apart = a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] or a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1]
    inside = [
        x[0] <= y[0] and x[1] <= y[1] and x[0] + x[2] >= y[0] + y[2] and x[1] + x[3] >= y[1] + y[3]
        for x, y in ((a, b), (b, a))
    ]
    return not apart and not any(inside)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_arrow_of_mermaid_has_both_ends(path: Path) -> None:
    text = graph.as_mermaid(graph.read_graph(texts(path)), "A job")
    drawn = set(re.findall(r"^ +(?:subgraph )?(n\w+)[\[({]", text, re.MULTILINE))
    ends = {end for pair in re.findall(r'^  (n\w+) <?-->\|"[^"]*"\| (n\w+)$', text, re.MULTILINE) for end in pair}

    assert len(ends) > 5
    assert set() == ends - drawn
