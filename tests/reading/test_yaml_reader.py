"""The reader: the same data as Helm, with the place of every value."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.problems import Position
from dsgen.reading.nodes import SourceText, Tree
from dsgen.reading.yaml_reader import read
from tests.fuzz.reading import helms, same
from tests.helm import MAJORS

CORPUS = json.loads((Path(__file__).parent.parent / "data" / "helm_yaml_corpus.json").read_text(encoding="utf-8"))


def tree(text: str) -> Tree:
    return read(SourceText("v.yaml", text))


def problems_of(text: str) -> list[tuple[str, int, int]]:
    """Id, line and column of everything that is said about the text."""
    return [(one.id, one.position.line, one.position.column) for one in tree(text).diagnostics if one.position]


@pytest.mark.parametrize("entry", CORPUS, ids=lambda entry: entry["name"])
def test_what_is_accepted_is_what_both_helm_majors_read(entry: dict[str, Any]) -> None:
    data = entry["yaml"].encode() if "yaml" in entry else base64.b64decode(entry["b64"])
    got = read(SourceText.from_bytes("v.yaml", data))
    if any(one.severity == "error" for one in got.diagnostics):
        return  # refusing is not disagreeing; the next test counts how often
    value = got.root.as_data()
    value.pop("global", None)  # Helm's own

    for answer in (entry["helm4"], entry.get("helm3_17", entry["helm4"])):
        assert same(answer.get("value"), value), answer


def test_few_files_that_helm_reads_are_refused() -> None:
    texts = [(entry["yaml"], entry["helm4"]) for entry in CORPUS if "yaml" in entry]
    refused = [
        text for text, answer in texts if "value" in answer and not all(one[0] == "DS050" for one in problems_of(text))
    ]

    assert 40 >= len(refused)


def test_the_parser_without_c_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: [1, {b: 'c'}]\nd: &x {e: yes}\nf: {<<: *x}\n"
    fast = tree(text)
    monkeypatch.delattr(yaml, "CBaseLoader", raising=False)

    assert fast == tree(text)


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("name",), 1, 7),
        (("workers", "tolerations", 0, "key"), 4, 12),
        (("workers", "tolerations", 1), 5, 7),
        (("training", "args", 1), 6, 29),
        (("launcher", "nodeSelector", "pool"), 8, 18),  # through an alias: where it is written
        (("launcher", "nodeSelector"), 9, 27),
        (("labels", "pool"), 8, 18),  # through a merge
        (("labels", "größe"), 10, 28),
    ],
)
def test_every_value_has_its_place(path: tuple[str | int, ...], line: int, column: int) -> None:
    text = (
        "name: cifar\n"
        "workers:\n"
        "  tolerations:\n"
        "    - key: gpu\n"
        "    - {operator: Exists}\n"
        "training: {args: [--epochs, '3']}\n"
        "pools: &pool\n"
        "  {a: 'é', pool: fast}\n"
        "launcher: {nodeSelector:  *pool}\n"
        "labels: {<<: *pool, größe: x}\n"
    )
    node, whole = tree(text).root.find(path)

    assert (path, Position("v.yaml", line, column)) == (whole, node.position)


def test_every_key_has_its_place() -> None:
    root = tree("a: 1\nb:\n  'c d': {e: 2}\n").root

    assert [(1, 1), (2, 1), (3, 3), (3, 11)] == [
        (node.key.line, node.key.column) for _, node in root.walk() if node.key is not None
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", [("DS004", 3, 1)]),
        ("a: {b: 1, c: 2, b: 3}\n", [("DS004", 1, 17)]),
        ("1: a\n'1': b\n", [("DS004", 2, 1)]),
        ("a: &x {b: 1}\nc: {b: 2, <<: *x}\n", [("DS005", 2, 11)]),
        ("a: {<<: 1}\n", [("DS005", 1, 5)]),
        ("a: 1\n---\nb: 2\n", [("DS006", 2, 1)]),
        ("# x\n\n%YAML 1.1\n---\na: 1\n", [("DS006", 3, 1)]),
        ("a: !!int '1'\nb: !x {c: 1}\n", [("DS007", 1, 4), ("DS007", 2, 4)]),
        ("a: 9007199254740993\nb: [-.inf, .NaN]\n", [("DS008", 1, 4), ("DS008", 2, 5), ("DS008", 2, 12)]),
        ("a: 0x1FFFFFFFFFFFFF1\n", [("DS008", 1, 4)]),
        ("a: &x [*x]\n", [("DS009", 1, 8)]),
        ("a: *x\n", [("DS009", 1, 4)]),
        ("? {a: 1}\n: 2\n", [("DS010", 1, 3)]),
        ("null: 1\n1.5: 2\n", [("DS010", 1, 1), ("DS010", 2, 1)]),
        (f"? {'k' * 1001}\n: 1\n", [("DS010", 1, 3)]),
        ("a: &x 1\n*x : 2\n", [("DS010", 2, 1)]),
        (f"a: {'[' * 200}{']' * 200}\n", [("DS011", 1, 104)]),
        ("a: |\n  text", [("DS012", 1, 4)]),
        ('a: "x\\/y"\n', [("DS013", 1, 4)]),
        ("a: [b, http://x/?c=d, 'e?', f ? g]\nh?: i?\n", [("DS014", 1, 8), ("DS014", 1, 29)]),
        ("a: {b?: 1}\n", [("DS014", 1, 5)]),
        ("---\na: 1\n---b: 2\n", [("DS015", 3, 1)]),
        ("--- {a: 1}\n", [("DS015", 1, 1)]),
        ("a: 'b\n---c'\n", [("DS015", 2, 1)]),
        ("a: b\n\ufeffc: d\n", [("DS002", 2, 1)]),
        ("- a\n", [("DS003", 1, 1)]),
        ("just text\n", [("DS003", 1, 1)]),
        ("a: \x07\nb: \x7f\n", [("DS002", 1, 4), ("DS002", 2, 4)]),
        ("a: yes\nb: 010\non: 1\n", [("DS050", 1, 4), ("DS050", 2, 4), ("DS050", 3, 1)]),
        ("a: [1\n", [("DS001", 1, 4)]),
        ("a: 1\n  b: 2\n", [("DS001", 2, 4)]),
    ],
)
def test_what_is_dangerous_is_refused_at_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert expected == problems_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "---\n",
        "\ufeffa: 1\n",
        "a: &x {b: 1}\nc: {<<: *x, b: 2}\n",
        "a: &x {b: 1}\nd: &y {c: 1}\ne: {<<: [*x, *y]}\n",
        "a: |-\n  text",
        "a: >-\n  text",
        "a: 'text'",
        "a: |\n  % text\n",
        'a: "x\\\\/y"\n',
        "a: !!str 1\nb: ! 2\n",
        "a: 1e3\nb: 0x10\nc: 1_000\n",
        "a: 1\n...\n",
    ],
)
def test_what_is_harmless_is_accepted(text: str) -> None:
    assert [] == problems_of(text)


def test_one_run_tells_everything_up_to_a_syntax_error() -> None:
    text = "a: 1\na: 2\nb: !x 1\nc: 12345678901234567890\nd: [\n"

    assert ["DS004", "DS007", "DS008", "DS001"] == [id_ for id_, _, _ in problems_of(text)]


def test_an_alias_bomb_is_refused_before_it_explodes() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 20)]

    assert [("DS009", 3)] == [(id_, line) for id_, line, _ in problems_of("\n".join(lines) + "\n")]


def test_bytes_that_are_no_text_have_a_place() -> None:
    source = SourceText.from_bytes("v.yaml", "name: é\nx: ".encode() + b"\xff\xfe\n")

    assert [(2, 4), (2, 5)] == [
        (one.position.line, one.position.column) for one in read(source).diagnostics if one.position
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_of_another_encoding_is_one_problem(encoding: str) -> None:
    source = SourceText.from_bytes("v.yaml", "# values\nname: cifar\n".encode(encoding))

    assert ["the file is UTF-16"] == [one.message for one in read(source).diagnostics]


def test_few_values_may_come_from_aliases_and_many_among_others() -> None:
    few = f"a: &a [{', '.join('x' * 20)}]\nb: [{', '.join(['*a'] * 14)}]\n"
    others = f"a: &a [{', '.join('x' * 40)}]\nb: [{', '.join(['*a'] * 25)}]\nc: [{', '.join('x' * 10)}]\n"

    assert [] == problems_of(few) == problems_of(others)
    assert all(answer is not None for major in MAJORS for answer in helms(major, [few, others]))


def test_mostly_aliases_are_refused_before_helm_does_so() -> None:
    texts = [
        f"a: &a [x,x,x]\nb: &b [{','.join(['*a'] * 9)}]\nc: &c [{','.join(['*b'] * 9)}]\nd: [{','.join(['*c'] * n)}]\n"
        for n in range(1, 10)
    ]
    accepted = [not problems_of(text) for text in texts]

    for major in MAJORS:
        assert all(answer is not None for answer, ours in zip(helms(major, texts), accepted, strict=True) if ours)
        assert None in helms(major, texts)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('a: "b\nc: 1\nd: 2\n', 1, 4, "the string that begins with this quote has no end"),
        ("a: 'b\nc: 'd'\n", 1, 4, "the string that begins with this quote continues to line 2"),
        ("a: 'b\nc: ''\n", 1, 4, "the string that begins with this quote has no end"),
        ('a: "b\nc: 1\nd: ""\n', 1, 4, "the string that begins with this quote continues to line 3"),
        ("a: {b: 1\nc: 2\n", 1, 4, "this bracket is not closed"),
        ("a: {\nc: 2\nd: 3\n", 1, 4, "this bracket is not closed"),
        ("a: [\n  b: {c: 1,\n  d: 2]\n  ]\n", 2, 6, "this bracket is not closed"),
        ("a: {b: 1,\n    c: 2]\n", 2, 9, "while parsing a flow mapping did not find expected ',' or '}'"),
        ("a b\nc: 2\n", 1, 1, "this key has no colon"),
        ("a:\n  b 1\n  c: 2\n", 2, 3, "this key has no colon"),
        ("a: 1\n  b: 2\n", 2, 4, "mapping values are not allowed in this context"),
        ("a:\n  b: 1\nc:\n d: 1\n  e: 2\n", 4, 2, "this line does not begin in the column of those below"),
        ("a:\n  b: 1\nc:\n    d: 1\n  e: 2\n", 4, 5, "this line does not begin in the column of those below"),
        ("a:\n  b: 1\nc:\n  d: 1\n e: 2\n", 5, 2, "the lines of one level must begin in the same column"),
        ("a: {}\n  b: 1\n  c: 2\n", 1, 1, "this key has a value, and more lines below it"),
        ("  a: 1\nb: 2\n", 1, 3, "this line is indented more than those below"),
        ("a: 1\n...\nb: 2\n", 2, 1, "the document ends here, and more follows"),
        ("a: 1\n%YAML 1.2\nc: 2\n", 2, 1, "the document ends here, and more follows"),
        ("- a: 1\nb: 2\n", 1, 1, "this dash begins a list, but keys of a map follow"),
        ("a:\n  b: 1\n \tc: 2\n", 3, 2, "a tab cannot indent"),
        ("a:\n\tb: 1\n", 2, 1, "a tab cannot indent"),
        ("a:\n  -\tb: 1\n  -\tc: 1\n", 2, 4, "a tab cannot indent"),
        ("a: {b: @x}\n", 1, 8, "a value that begins with @ must be in quotes"),
        ("a: `x`\n", 1, 4, "a value that begins with ` must be in quotes"),
        ("a:\n- b\n- c\n e: 1\n", 4, 3, "mapping values are not allowed in this context"),
    ],
)
def test_a_syntax_error_is_told_where_it_was_made(text: str, line: int, column: int, message: str) -> None:
    (one,) = tree(text).diagnostics

    assert ("DS001", f"this is not YAML: {message}") == (one.id, one.message)
    assert Position("v.yaml", line, column) == one.position


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: A\n  namespace: b\n", [("DS001", 2, 12)]),
        ("workers:\n---\nslots: 1\n", [("DS006", 2, 1)]),
        ("name: A\nworkers: 1\n---\n", [("DS104", 1, 7), ("DS102", 2, 10), ("DS006", 3, 1)]),
    ],
)
def test_what_reading_stopped_in_is_not_looked_at(text: str, expected: list[tuple[str, int, int]]) -> None:
    problems = values.load([SourceText("v.yaml", text)]).diagnostics

    assert expected == [(one.id, one.position.line, one.position.column) for one in problems if one.position]
