"""--set and similar flags are read as the real Helm reads them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from dsgen.errors import UsageError
from dsgen.problems import Position
from dsgen.reading.nodes import Node, SourceText, build_nodes
from dsgen.reading.set_values import Override, apply_overrides
from dsgen.reading.yaml_reader import read
from tests.fuzz.reading import without_null
from tests.helm import MAJORS, helm, run_helm

START = {"base": {"x": 1}, "items": [{"a": 1}, "b"]}
SET = [
    *("a=1", "a=", "a=1,b=2", "a={}", "a={,}", "a={x,1,true,null}", "a={x},b=2", "a=\\{x\\}", "a={ x, y }"),
    *("a[0]=x", "a[1]=x", "a[0].b=c", "a[0][1]=c", "a[2].b=1,a[0]=z", "a[0]=1,a[0]=2", "a.b.c=1", "a\\.b=c", "a=x\\,y"),
    *(
        "base.x=null",
        "base=null",
        "base.y=2",
        "items[0].a=2",
        "items[0].c=2",
        "items[1].c=2",
        "items[3]=q",
        "items={z}",
    ),
    *("a=0777", "a=yes", "a=TRUE", "a=False", "a=Null,b=1", "a=-5", "a=+5", "a=0", "a=-0", "a=00", "a=1.5", "a=1e3"),
    *(
        "a=9007199254740993",
        "a=9223372036854775808",
        "a= b",
        "a=b=c",
        "=x",
        ".a=1",
        "a[0].=1",
        "a=x\\",
        "a=größe 日本",
        'a="q"',
    ),
    *("a[0][0].b[1]=c", "a.b[0].c=1,a.b[0].d=2", "base.x=1,base.x=2"),
]
WRONG_SET = [
    *("a", "a=1,b", "a,b=1", "a={x}y", "a..b=1", "a.=1", "a[x]=1", "a[-1]=1", "a[]=1", "a[0]x=1", "a={x", "a[99999]=1"),
    *("base.x.y=1", "base[0]=1", "items.a=1", ".".join("k" * 40) + "=1"),
]
JSON = [
    *('a={"b":1}', 'a=[1,2],b="x"', "a= 1 , b = 2", "a=1.5", 'a[0]={"b":1}', 'a[0]=1,a[1]="k"', 'base={"z":1}'),
    *("a=1.0", "a=[1.0,1e3]", 'a={"b":null}', 'a="é\\u00e9"', 'a={"b":1,"b":2}'),
]
WRONG_JSON = ["a=x", "a=1 2", "a=1e400", "a={", "a=[1", "a=NaN", "a=Infinity"]


def ours(flag: str, text: str) -> dict[str, Any]:
    """The values after the flag, null taken away as Helm does where there is a default."""
    root, _ = apply_overrides(build_nodes(START, Position("v.yaml", 1, 1)), [Override(flag, text)])
    return without_null(root.as_data())


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart that prints its values."""
    folder = tmp_path_factory.mktemp("chart")
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: values\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("{}\n")
    (folder / "start.yaml").write_text(json.dumps(START))
    (folder / "templates" / "values.yaml").write_text("# {{ .Values | toRawJson | b64enc }}\n")
    return folder


def helms(major: int, chart: Path, flag: str, text: str) -> dict[str, Any] | None:
    """What Helm makes of it, None when it refuses."""
    result = run_helm(helm(major), "template", chart, "-f", chart / "start.yaml", flag, text)
    if result.returncode:
        return None
    values = json.loads(base64.b64decode(result.stdout.rpartition("# ")[2]))
    values.pop("global", None)
    return without_null(values)


CASES = [
    *(("--set", text) for text in SET),
    *(("--set-string", text) for text in ("a=1", "a={1,2}", "a=null", "a=true,b=0")),
    *(("--set-json", text) for text in JSON),
]


@pytest.mark.parametrize(("flag", "text"), CASES)
def test_it_is_what_helm_makes_of_it(flag: str, text: str, chart: Path) -> None:
    expected = json.dumps(ours(flag, text), sort_keys=True)

    assert expected == json.dumps(helms(4, chart, flag, text), sort_keys=True)


@pytest.mark.parametrize(("flag", "text"), CASES[::6])
def test_the_other_major_does_the_same(flag: str, text: str, chart: Path) -> None:
    assert helms(3, chart, flag, text) == helms(4, chart, flag, text)


@pytest.mark.parametrize(
    ("flag", "text"),
    [*(("--set", text) for text in WRONG_SET), *(("--set-json", text) for text in WRONG_JSON)],
)
def test_what_helm_cannot_read_is_refused_with_the_reason(flag: str, text: str, chart: Path) -> None:
    with pytest.raises(UsageError) as raised:
        ours(flag, text)

    assert str(raised.value).startswith(f"{flag} {text}: ")
    assert helms(4, chart, flag, text) is None


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a={path}", 'pip install .\r\n\techo "{{ x }}"\n\n'),
        ("a={path}", "no newline at the end, true"),
        ("a={path}", ""),
        ("a={path}", "true"),
        ("a={path}", "\ufeffé 😀\x1b\x85\u2028"),
        ("items[0].a={path},items[2]={path}", "1"),
        ("base.x={path},b=\\{path}", "x, y"),
        ("a={{{path},{path}}}", "0"),
    ],
)
def test_a_file_is_taken_as_helm_takes_it(text: str, content: str, major: int, chart: Path, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content.encode())
    override = text.format(path=path)

    assert ours("--set-file", override) == helms(major, chart, "--set-file", override)


def test_a_whole_object_of_json_is_merged() -> None:
    assert {"base": {"x": 1, "y": 2}, "items": []} == ours("--set-json", '{"base": {"y": 2}, "items": []}')


def test_helms_order_counts_and_not_the_command_lines() -> None:
    overrides = [Override("--set-string", "a=1"), Override("--set", "a=2"), Override("--set-json", "a=3")]

    assert {"a": "1"} == apply_overrides(Node({}, Position("v", 1, 1)), overrides)[0].as_data()


def test_positions_say_which_flag_and_which_column() -> None:
    overrides = [Override("--set", "a.b=1,c={x,y}"), Override("--set", "d[0].e=2")]
    root, texts = apply_overrides(Node({}, Position("v", 1, 1)), overrides)

    assert {"--set": "a.b=1,c={x,y}\nd[0].e=2"} == texts
    assert [Position("--set", 1, 5), Position("--set", 1, 12), Position("--set", 2, 8)] == [
        root.find(path)[0].position for path in (("a", "b"), ("c", 1), ("d", 0, "e"))
    ]


def test_an_alias_in_the_file_is_changed_in_one_place_only() -> None:
    root = read(SourceText("v", "a: &x {b: 1}\nc: *x\n")).root

    assert {"a": {"b": 2}, "c": {"b": 1}} == apply_overrides(root, [Override("--set", "a.b=2")])[0].as_data()
