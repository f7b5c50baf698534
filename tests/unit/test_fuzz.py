"""Whatever is in a values file: an answer, never a traceback; and nothing wrong gets as far as the manifests."""

import base64
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsgen import values
from dsgen.diagnostics import as_text, has_errors
from dsgen.errors import DsgenError
from dsgen.nodes import SourceText
from dsgen.render import render
from dsgen.set_values import Override
from dsgen.source import read
from dsgen.values import Release
from tests.helm import helm, helm_template

ROOT = Path(__file__).parent.parent.parent
CASES = [
    *sorted((ROOT / "tests" / "cases" / "invalid").glob("*.yaml")),
    *sorted((ROOT / "values-examples").glob("*.yaml")),
]
TEXTS = [path.read_text(encoding="utf-8", errors="surrogateescape") for path in CASES]
PIECES = [
    *(
        "yes",
        "~",
        "null",
        "010",
        "1.5",
        ".inf",
        "[]",
        "{}",
        "[a, b]",
        "{a: 1}",
        "'x'",
        '"',
        "|",
        ">-",
        "&x",
        "*x",
        "<<: *x",
    ),
    *(
        "!!int",
        "!x",
        "- ",
        "? ",
        ": ",
        "#",
        "%",
        "---",
        "...",
        "\t",
        "\x00",
        "\u2028",
        "é",
        "日本",
        "9007199254740993",
        "\udcff",
    ),
    *(
        "create: {}",
        "mountPath: /job",
        "name: ",
        "workers:",
        "storage: ",
        "training: {env: {A: ",
        "<< x >>",
        "{{",
        "\n",
        "  ",
    ),
]
pieces = st.sampled_from(PIECES) | st.text(max_size=3)
edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), pieces), min_size=1, max_size=4)


def mutated(text: str, changes: list[tuple[float, int, str]]) -> str:
    """The text with pieces put over it at relative places."""
    for place, length, piece in changes:
        start = int(place * len(text))
        text = text[:start] + piece + text[start + length :]
    return text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(TEXTS), edits)
def test_a_mutated_file_gets_an_answer(text: str, changes: list[tuple[float, int, str]]) -> None:
    source = SourceText("v.yaml", mutated(text, changes))
    loaded = values.load([source])
    found = loaded.diagnostics
    if loaded.values:
        found = [*found, *values.check(loaded, Release("cifar", "training"))]

    assert bool(loaded.values) != has_errors(loaded.diagnostics)
    assert as_text(found, loaded.sources).replace("\n", "").isprintable()
    assert all(one.position for one in found)
    if loaded.values and not has_errors(found):
        assert render(loaded.values.data, Release("cifar", "training"))


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["--set", "--set-string", "--set-json"]),
    st.text(alphabet="ab.[]{}=,\\0123 \"':nule-é", max_size=12),
)
def test_any_override_gets_an_answer(flag: str, text: str) -> None:
    try:
        loaded = values.load([SourceText("v.yaml", "name: a\n")], [Override(flag, text)])
    except DsgenError as error:
        loaded, said = None, str(error)

    assert said.startswith(flag) if loaded is None else bool(loaded.values) != has_errors(loaded.diagnostics)


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_cut_anywhere_gets_an_answer(text: str) -> None:
    for end in range(0, len(text), 7):
        assert values.load([SourceText("v.yaml", text[:end])]) is not None


def test_what_is_accepted_is_what_helm_reads(tmp_path: Path) -> None:
    """500 mutated files, all read by one run of Helm."""
    rng = random.Random(1)
    texts = [_random_text(rng) for _ in range(500)]
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: read\nversion: 0.1.0\n")
    for folder in ("templates", "files"):
        (tmp_path / folder).mkdir()
    line = "# {{ base $path }} {{ fromYaml (toString $text) | toJson | b64enc }}"
    (tmp_path / "templates" / "x.yaml").write_text(
        f'{{{{ range $path, $text := .Files.Glob "files/*" }}}}\n{line}\n{{{{ end }}}}\n'
    )
    for number, text in enumerate(texts):
        (tmp_path / "files" / f"{number:03}").write_text(text, encoding="utf-8", newline="")

    printed = helm_template(helm(4), tmp_path).split("\n")
    answers = {int(line[2:5]): json.loads(base64.b64decode(line[6:])) for line in printed if re.match("# [0-9]{3} ", line)}
    trees = {number: read(SourceText("v.yaml", text)) for number, text in enumerate(texts)}
    accepted = {number: tree for number, tree in trees.items() if not has_errors(tree.diagnostics)}

    assert len(texts) == len(answers)
    assert len(accepted) > 100
    assert {} == {
        number: texts[number]
        for number, tree in accepted.items()
        if json.dumps(answers[number]) != _as_helm(tree.root.data())
    }


def _random_text(rng: random.Random) -> str:
    lines = rng.choice([text for text in TEXTS if text.isascii() and "\x07" not in text]).split("\n")
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(lines))
        key, colon, _ = lines[place].partition(": ")
        piece = rng.choice([piece for piece in PIECES if piece.isprintable()])
        lines[place : place + 1] = rng.choice(
            [[key + colon + piece], [lines[place] + " " + piece], [lines[place], piece], []]
        )
        lines = lines or [""]
    return "\n".join(lines) + "\n"


def _as_helm(data: object) -> str:
    # Go's toJson sorts keys and has no 1.0; it writes < > & as escapes, which reading undoes.
    return json.dumps(json.loads(json.dumps(data, sort_keys=True)))
