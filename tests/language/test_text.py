"""Quoting, JSON, numbers and YAML are written as Go writes them, compared with the real Helm character by character."""

import json
import random
import re
import struct
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from dsgen.compiler.chart import STATIC
from dsgen.language.text import format_number, quote, scalar, to_json, to_plain_json, to_yaml
from tests.helm import MAJORS, helm, helm_template
from tests.parity import write_chart

TEMPLATE = """\
{{- range .Files.Lines "characters.txt" }}
quote: {{ . | quote }}
json: {{ . | toRawJson | quote }}
plain: {{ include "<CHARTNAME>.plainJson" . }}
{{- end }}
numbers: {{ .Files.Get "numbers.json" | fromJsonArray | toRawJson }}
objects: |
  {{- include "<CHARTNAME>.yaml" (.Files.Get "objects.json" | fromJsonArray) | nindent 2 }}
"""
OBJECTS: list[Any] = [
    {"b": [], "a": {}, "": "", "nested": [{"x": [1, [2, {"y": None}]], "w": "a\nb"}, [], [[]], 1e6, True, None]},
    "alone",
    [["deep", ["deeper"]]],
    {"a": {"b": {"c": {"é": "\x7f"}}}},
]


def characters() -> Iterator[str]:
    """What Unicode 3.2 has: a fixed set, however new the Python; a line of them each, without line ends."""
    assigned = [chr(code) for code in range(0x110000) if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Cs")]
    kept = [character for character in assigned if character not in "\n\r"]
    for start in range(0, len(kept), 100):
        yield "".join(kept[start : start + 100])


def numbers() -> list[float]:
    """Doubles of every size, and the borders of where the notation changes."""
    chance = random.Random(1)
    doubles = [struct.unpack("d", chance.randbytes(8))[0] for _ in range(3000)]
    doubles += [chance.uniform(-1, 1) * 10.0 ** chance.randint(-9, 24) for _ in range(3000)]
    doubles += [float(f"{digits}e{exponent}") for digits in (1, -1, 9.5, 123) for exponent in range(-10, 25)]
    return [one for one in doubles if one == one and abs(one) != float("inf")]


@pytest.fixture(scope="module", params=MAJORS)
def go(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What Helm writes, by the first word of its lines."""
    files = {
        "Chart.yaml": "apiVersion: v2\nname: text\nversion: 1.0.0\n",
        "templates/text.txt": TEMPLATE,
        "templates/_yaml.tpl": STATIC.joinpath("templates/_yaml.tpl").read_text(),
        "characters.txt": "\n".join(characters()),
        "numbers.json": json.dumps(numbers()),
        "objects.json": json.dumps(OBJECTS),
    }
    chart = write_chart(tmp_path_factory.mktemp("text"), files)
    text = helm_template(helm(request.param), chart)
    lines: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(quote|json|plain|numbers): (.*)$", text, re.MULTILINE):
        lines.setdefault(key, []).append(value)
    lines["objects"] = [line.removeprefix("  ") for line in text.partition("objects: |\n")[2].rstrip("\n").split("\n")]
    return lines


def test_every_text_and_number_is_written_as_go_writes_it(go: dict[str, list[str]]) -> None:
    assert [quote(line) for line in characters()] == go["quote"]
    assert [quote(to_json(line)) for line in characters()] == go["json"]
    assert [to_plain_json(line) for line in characters()] == go["plain"]
    assert [f"[{','.join(map(format_number, numbers()))}]"] == go["numbers"]
    assert to_yaml(OBJECTS).split("\n") == go["objects"]


def test_plain_json_in_a_block_is_read_as_it_was() -> None:
    everything = list(characters())
    block = "".join(f"  {to_plain_json(line)}\n" for line in everything)

    read = yaml.load(f"block: |\n{block}", yaml.CSafeLoader)["block"]

    assert everything == [json.loads(line) for line in read.splitlines()]


def test_yaml_is_read_as_it_was() -> None:
    everything = {**{line: line for line in characters()}, "objects": OBJECTS}

    assert everything == yaml.load(to_yaml(everything), yaml.CSafeLoader)


@pytest.mark.parametrize("value", [None, 1.5, [], {}, float("inf")])
def test_not_a_scalar(value: Any) -> None:
    """Nothing is printed that Go would print in another way."""
    with pytest.raises(TypeError, match="cannot print"):
        scalar(value)
