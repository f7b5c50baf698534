"""Where the two worlds differ, and that the language does not let it through.

Each row is one difference: a template of the language, which both worlds render alike, and what a person would write
in Go for it, which the real Helm renders otherwise (or not at all) for the same values. Not here: what cannot be
written at all (test_refused.py), checks that come first (tests/test_parity.py), helpers of several files
(test_environment.py), what the schema refuses (null below keys of the user's) and keys that dsgen writes itself (both
among the tests of schema and checks).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.worlds import RELEASE, SCHEMA, Worlds, canonical
from tests.helm import MAJORS, helm, run_helm
from tests.parity import dump, write_chart

UNPRINTABLE = [chr(code) for code in (0x7F, 0x80, 0x84, 0x86, 0x9F, 0xFFFE, 0xFFFF)]


@dataclass(frozen=True)
class Difference:
    """`values` show the difference; `go` is the obvious Go, empty where Jinja2 is the one that would go wrong."""

    name: str
    values: dict[str, Any]
    jinja: str
    go: str


LISTED = "a:\n  << values.texts | yaml | indent(2) >>\n"
TO_YAML = "a:\n  {{- toYaml .Values.texts | nindent 2 }}\n"
DIFFERENCES = [
    *(
        Difference(f"toYaml loses all for U+{ord(text):04X}", {"texts": ["x", text]}, LISTED, TO_YAML)
        for text in UNPRINTABLE
    ),
    Difference("toYaml turns U+0085 into a blank", {"texts": ["a\x85b"]}, LISTED, TO_YAML),
    Difference(
        "JSON without quotes breaks at U+0085",
        {"texts": ["a\x85b"]},
        "a: |\n  << values.texts | plain_json >>\nb: << values.texts | json | quote >>\n",
        "a: |\n  {{ .Values.texts | toRawJson }}\nb: {{ .Values.texts | toRawJson | quote }}\n",
    ),
    Difference("lines with U+2028", {"texts": ["a\n b\u2028c\nd\u2029\n"]}, LISTED, TO_YAML),
    Difference("two newlines at the end", {"texts": ["a\n\n"]}, LISTED, TO_YAML),
    Difference(
        "an empty record is true in one world",
        {"storage": {"a": {"create": {}}, "b": {"path": "/b"}}},
        "<% for n, v in values.storage | items %>\n<< n >>: << v.create is none >>\n<% endfor %>\n",
        "{{- range $n, $v := .Values.storage }}\n{{ $n }}: {{ not $v.create }}\n{{- end }}\n",
    ),
    Difference(
        "mergeOverwrite changes its first argument",
        {"free": {"a": {"x": 1}}, "other": {"a": {"x": 2}}},
        "a: << overlay(values.free, values.other) | json | quote >>\nb: << values.free | json | quote >>\n",
        "a: {{ mergeOverwrite .Values.free .Values.other | toRawJson | quote }}\n"
        "b: {{ .Values.free | toRawJson | quote }}\n",
    ),
    Difference(
        "empty values replace, maps merge",
        {
            "free": {"flag": True, "number": 1, "text": "x", "list": [1], "map": {"x": 1}, "was": {"x": 1}},
            "other": {"flag": False, "number": 0, "text": "", "list": [], "map": {}, "was": "text", "new": {}},
        },
        "a: << overlay(values.free, values.other) | json | quote >>\n",
        "a: {{ merge (deepCopy .Values.other) .Values.free | toRawJson | quote }}\n",
    ),
    Difference(
        "quote of a number", {"big": 1000000}, "a: << values.big | quote >>\n", "a: {{ .Values.big | quote }}\n"
    ),
    Difference("a bare number", {"big": 12345678}, "a: << values.big >>\n", "a: {{ .Values.big }}\n"),
    Difference(
        "a comparison of a number",
        {"count": 1},
        "a: x\n<% if values.count == 1 %>\nb: y\n<% endif %>\n",
        "a: x\n{{- if eq .Values.count 1 }}\nb: y\n{{- end }}\n",
    ),
    Difference(
        "keys that are methods of a dict",
        {"labels": {"items": "1", "keys": "2"}, "free": {"values": "3", "get": {"pop": "4"}}},
        'a: << get(values.labels, "items", "") | quote >>\n'
        'b: << values.free["values"] | json | quote >>\nc: << get(values.free, "get", "pop", "") | json | quote >>\n',
        "",
    ),
    Difference(
        "false below a key of the user's",
        {"storage": {"a": {"readOnly": False}, "b": {"readOnly": True}, "c": {"count": 0}}},
        "<% for n, v in values.storage | items %>\n<< n >>: [<< v.readOnly >>, << v.count >>]\n<% endfor %>\n",
        "{{- range $n, $v := .Values.storage }}\n"
        "{{ $n }}: [{{ $v.readOnly }}, {{ $v.count | default 2 }}]\n{{- end }}\n",
    ),
    Difference(
        "large and small numbers",
        {"free": {"a": [123456789012345680000.0, 1e21, 1e-7, -0.0, 5e8, 1.0, 1e-6]}},
        "a: << values.free | json | quote >>\n",
        "a: {{ .Values.free.a | join `,` | quote }}\n",
    ),
    Difference(
        "the end of what a helper gives",
        {"text": "x\n\n"},
        "a: << line(values) | quote >>\n",
        "a: {{ include `line` . | quote }}\n{{- define `line` }}\n{{ .Values.text }}\n{{- end }}\n",
    ),
    Difference(
        "an empty term stays",
        {"free": {"terms": [{}, {"a": {}}]}},
        "a:\n  << values.free | yaml | indent(2) >>\n",
        "a:\n  terms:\n    {{- range .Values.free.terms }}\n    {{- with . }}\n"
        "    - {{ toRawJson . }}\n    {{- end }}\n    {{- end }}\n",
    ),
]
HELPERS = "<# A line. #>\n<% macro line(values) %>\n<< values.text >>\n<% endmacro %>\n"


def filled(tree: dict[str, Any]) -> dict[str, Any]:
    """The values with the defaults of SCHEMA that Helm has from values.yaml, and those that it cannot have."""
    whole = {key: part["default"] for key, part in SCHEMA["properties"].items() if "default" in part} | tree
    volume = {"path": "/data", "readOnly": False, "count": 2, "modes": ["x"]}
    return whole | {"storage": {name: volume | given for name, given in whole["storage"].items()}}


def written_by_hand(source: str, tree: dict[str, Any], major: int, folder: Path) -> str:
    """What Helm makes of a template, or its complaint."""
    chart = {"Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "values.yaml": dump(tree)}
    write_chart(folder, {**chart, "templates/t.yaml": source})
    result = run_helm(helm(major), "template", RELEASE["name"], folder)
    return canonical(result.stdout) if result.returncode == 0 else result.stderr


@pytest.mark.parametrize("difference", DIFFERENCES, ids=[difference.name for difference in DIFFERENCES])
def test_both_worlds_agree(difference: Difference, tmp_path: Path) -> None:
    """The obvious Go would have been another thing."""
    worlds = Worlds(tmp_path / "worlds", {"t.yaml": difference.jinja}, HELPERS, difference.values)
    expected = worlds.jinja(filled(difference.values))

    for major in MAJORS:
        assert expected == worlds.helm(major)
        if difference.go:
            written = written_by_hand(difference.go, difference.values, major, tmp_path / f"hand{major}")
            assert expected["t.yaml"] != written
