"""The values.yaml of a chart has comments, and dsgen and Helm read the values that were written."""

import itertools

import pytest
import yaml

from dsgen import schema
from dsgen.compiler.chart import format_values_file
from tests.generated_values import valid_texts
from tests.parity import load, problems


def lines_about(text: str, key: str) -> str:
    """The lines of values.yaml from this key to the next one of its level."""
    lines = format_values_file(load(text)).split("\n")
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith(f"{key}:"))
    inside = lines[start].partition(key)[0] + " "
    after = (number for number, line in enumerate(lines) if number > start and line and not line.startswith(inside))
    return "\n".join(line.removeprefix(inside[:-1]) for line in lines[start : next(after)]).rstrip()


def test_defaults_are_those_of_the_schema() -> None:
    assert load("{}") == load(format_values_file())


def test_read_back() -> None:
    """Generated values files without problems; tests/test_parity.py has the same for files with Helm."""
    texts = [text for text in valid_texts(30, 4000) if not problems(text)]

    assert len(texts) >= 4
    for text in texts:
        assert load(text) == load(format_values_file(load(text)))


def test_every_key_has_its_comment() -> None:
    text = format_values_file()

    missing = [path for path, part in schema.walk_keys() if "*" not in path and part["description"][:40] not in text]
    assert [] == missing


def test_a_volume_is_shown_that_can_be_uncommented() -> None:
    lines = format_values_file().split("\n")
    example = itertools.takewhile(lambda line: line != "#", lines[lines.index("# storage:") :])
    text = "\n".join(line.removeprefix("# ") for line in example)

    assert {"storage": schema.load()["properties"]["storage"]["examples"][0]} == yaml.safe_load(text)
    assert [] == problems(f"image: {{repository: a}}\ntraining: {{python: a}}\n{text}")


def test_every_key_of_a_volume_is_described() -> None:
    text = " ".join(format_values_file().replace("#", " ").split())

    rows = [(path[2:], part) for path, part in schema.walk_keys() if path[:2] == ("storage", "*")]
    assert [] == [path for path, part in rows if f"{'.'.join(path)} {part['description']}" not in text]
    assert len(rows) > 15


@pytest.mark.parametrize(
    ("given", "key", "expected"),
    [
        ("{labels: {team: a, x: 'on', 'y': '1'}}", "labels", 'labels:\n  team: a\n  x: "on"\n  "y": "1"'),
        ("{workers: {accelerator: {count: 0}}}", "count", "count: 0"),
        ("{storage: {a: {create: {}}}}", "storage", "storage:\n  a:\n    create: {}"),
        ("{storage: {a: {existingClaim: c, readOnly: false}}}", "storage", "storage:\n  a:\n    existingClaim: c"),
        ("{workers: {tolerations: [{key: a, operator: Exists}, {}]}}", "tolerations",
         "tolerations:\n  - key: a\n    operator: Exists\n  - {}"),
        ('{training: {setup: "pip install x\\n\\ny\\n"}}', "setup", "setup: |\n  pip install x\n\n  y"),
        ('{training: {setup: " a\\nb\\n"}}', "setup", 'setup: " a\\nb\\n"'),
        ('{training: {setup: "a \\nb\\n"}}', "setup", 'setup: "a \\nb\\n"'),
        ('{training: {setup: "a\\nb"}}', "setup", "setup: |-\n  a\n  b"),
    ],
)  # fmt: skip
def test_how_values_look(given: str, key: str, expected: str) -> None:
    """Plain words stand plain, programs as blocks; what the templates fill by themselves is left out."""
    assert expected == lines_about(given, key)
