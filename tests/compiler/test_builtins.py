"""Every row of the table has the same result in Jinja2 and in the real Helm."""

from pathlib import Path
from typing import Any

import pytest

from dsgen.language.environment import BUILTINS
from dsgen.language.functions import overlay
from tests.compiler.worlds import Worlds
from tests.helm import MAJORS

NASTY = (
    *("{{ .Values.x }}", "<< x >>", "${X}", "$$", 'a"b', "it's", "`b`", "a\nb", "a\n\n  b\n\n", "\ta", "a\r\nb", "\\"),
    *("😀 é", "\u2028\u2029", "yes", "null", "1e3", "007", " lead", "trail ", "a: b", "- x", "---", "<>&", "\x00\x01"),
    *("\x7f\x80\x85\x9f", "\ufffe\uffff", "\u00ad\u200b\ufeff", "\u0378", "\U0001fae8", "\ue000", "\U000e0001", ""),
)
NUMBERS = (
    *(0, 1, -1, 5e8, 1.0, 1e-5, 3e-7, 1e21, -0.0, 2**53, 1.5, 1e22, 123456789, 0.1, 1e-6, 9.5e-7, 1e20, 4.35, 1e16),
    *(123456789012345680000.0, 5e-324, 1.7976931348623157e308, 1 / 3, 2.5e-5, 12345678.9, 1000000, 2592000),
)
VALUES: dict[str, Any] = {
    "text": "a $b\n\x7f",
    "name": "job-1",
    "path": "/x",
    "mode": "b",
    "count": 3,
    "big": 12345678,
    "flag": True,
    "id": 12345678,
    "texts": list(NASTY),
    "none": [],
    "numbers": [1, 1000000, 12345678],
    "labels": {"b": "1", "a": "x: y", "items": "z", "é": "{{", "Z": ""},
    "limits": {"cpu": 1, "memory": "2Gi", "x": 12345678},
    "env": {
        "A": "text $x",
        "B": {"valueFrom": {"x": [1, 1.5]}},
        **dict(zip("CDEFGH", ("$(D)$(E) $(X)", "$(E)$$(G)", "$(N)", "$(G)", "$(F) $(A)", "$(F)"), strict=True)),
        **dict(zip("IJKLMNO", ("$(I)", "$a$(K)", "$$$(L)", "$(a $(M)", "$(M", "", "$(A)$(B)$(C)"), strict=True)),
    },
    "free": {
        "empty": {},
        "none": [],
        "off": False,
        "deep": {"deeper": {"x": 1e6}, "kept": 1},
        "list": [{"a": {}}, [], [[1], "x"], {"b": "c", "a": ["\n"]}],
        "mixed": [1, True, {"no": 1}, ["no"], "a", "b", {"a": "b"}],
        "texts": dict(zip(NASTY, NASTY, strict=True)),
        "numbers": list(NUMBERS),
    },
    "other": {"deep": {"deeper": {"y": 2}, "list": []}, "off": True, "text": ""},
    "record": {"inner": "", "left": {}, "right": {"x": "y"}},
    "storage": {"items": {}, "b": {"readOnly": True, "count": 1000000, "create": {}, "modes": []}},
}
FILLED = {
    **VALUES,
    "storage": {
        "items": {"path": "/data", "readOnly": False, "count": 2, "modes": ["x"]},
        "b": {"path": "/data", "readOnly": True, "count": 1000000, "modes": [], "create": {"size": "1Gi"}},
    },
}
# A template for each row of the table and for what else is compared; `_h.j2` has the helpers that they call.
CASES = {path.name: path.read_text() for path in sorted(Path(__file__).with_name("both").glob("*.yaml"))}
HELPERS = Path(__file__).with_name("both").joinpath("_h.j2").read_text()


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    """All cases as one chart, so that one run of Helm answers for all."""
    return Worlds(tmp_path_factory.mktemp("builtins"), CASES, HELPERS, VALUES)


@pytest.fixture(scope="module")
def jinja(worlds: Worlds) -> dict[str, str]:
    return worlds.jinja(FILLED)


@pytest.fixture(scope="module")
def texts(worlds: Worlds) -> tuple[dict[str, str], dict[str, str]]:
    """What Jinja2 writes, and what Python does."""
    return worlds.jinja_texts(FILLED), worlds.python_texts(FILLED)


@pytest.fixture(scope="module", params=MAJORS)
def charts(worlds: Worlds, request: pytest.FixtureRequest) -> dict[str, str]:
    return worlds.helm(request.param)


@pytest.mark.parametrize("case", CASES)
def test_both_worlds_agree(case: str, jinja: dict[str, str], charts: dict[str, str]) -> None:
    assert jinja[case] == charts[case]


@pytest.mark.parametrize("case", CASES)
def test_python_writes_what_jinja_does(case: str, texts: tuple[dict[str, str], dict[str, str]]) -> None:
    jinja, python = texts

    assert jinja[case] == python[case]


def test_every_row_has_a_case() -> None:
    names = {f"{row.name.replace(' ', '-')}.yaml" for row in BUILTINS}

    assert names <= CASES.keys()


def test_cases_say_something(jinja: dict[str, str]) -> None:
    """A case whose document is empty compares nothing."""
    assert [] == [name for name, document in jinja.items() if document in ("null", "{}")]


def test_other_maps_stay_as_they_are() -> None:
    """`overlay` copies: Sprig's mergeOverwrite would change its first argument for all later templates."""
    below = {"a": {"b": 1}}

    assert {"a": {"b": 2, "c": 3}} == overlay(below, {"a": {"b": 2}}, {"a": {"c": 3}})
    assert {"a": {"b": 1}} == below
