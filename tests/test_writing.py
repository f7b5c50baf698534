"""Files for people: the values are read as they were meant, and no comment is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dsgen.editing import LONGEST, compare_text, format_flow, set_value, write_values
from dsgen.problems import KeyPath
from dsgen.reading import read
from dsgen.reading.nodes import SourceText

FILES = sorted((Path(__file__).parent / "cases/valid").glob("*.yaml"))
NESTED: dict[str, Any] = {
    "a": [[{"b": [{"c": 1, "d": {}}, []]}, "x"], {"e": {"f": "1\n2\n", "g": "x" * 200}}, "1\n2"],
    "yes": {"k" * 200: None, "é\u2028": "no", "h": 1e20, "i": -0.0, "j": True},
    "l": ["--a", "b c", "null", "1", "- x", "x:", "#"] * 9,
}


def walk(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from walk(child, (*path, key))


def values_of(path: Path) -> Any:
    return read(SourceText("", path.read_text(encoding="utf-8"))).root.as_data()


@pytest.mark.parametrize("data", [NESTED, *map(values_of, FILES)], ids=["nested", *(one.stem for one in FILES)])
def test_comments_change_no_value_and_none_is_lost(data: Any) -> None:
    numbers = {path: number for number, path in enumerate(walk(data))}
    above = {path: [f"above-{number}-", "second"] for path, number in numbers.items()}
    for is_short in (True, False):
        text = write_values(data, lambda path: f"beside-{numbers[path]}- # x", above, is_short)

        compare_text(text, data)
        assert [] == [number for number in numbers.values() if f"beside-{number}-" not in text]
        assert [] == [number for number in numbers.values() if f"above-{number}-" not in text]
        assert [] == [line for line in text.split("\n") if line != line.rstrip()]


def test_short_values_are_on_one_line() -> None:
    data = {"image": {"repository": "r/a", "tag": "v1"}, "args": [f"--option-{number}" for number in range(30)]}
    first, *rest = write_values(data, lambda path: "x" * 100 if path == ("image",) else "", {}).splitlines()[1:]

    assert "image: {repository: r/a, tag: v1}" == first
    assert 3 < len(rest) < 9
    assert LONGEST > max(map(len, rest))


@pytest.mark.parametrize(
    ("value", "expected"),
    [({"a": [{"b": "1"}, None]}, '{a: [{b: "1"}, null]}'), ("a b", "a b"), ("", '""'), (1.5, "1.5"), ([], "[]")],
)
def test_a_value_on_one_line(value: Any, expected: str) -> None:
    assert expected == format_flow(value)


def test_an_empty_value_is_written_after_its_key() -> None:
    assert "k: 7  # c: d\nl: 1\n" == set_value("k:  # c: d\nl: 1\n", ("k",), 7)
    assert "k:\n- 7\n- 1\n" == set_value("k:\n-\n- 1\n", ("k", 0), 7)
