"""The rows of the checks as templates: rows share their tags, and the files are readable."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from dsgen.checks import CHECKS, SUBJECTS, resize, training
from dsgen.checks.row import Check, Shared, Shortcut
from dsgen.compiler import CompileError, checks
from dsgen.compiler.chart import compile_templates
from dsgen.language.environment import make_environment


def row(id_: str, *given: str, when: str = "", inside: tuple[str, ...] = (), hint: str = "") -> Check:
    conditions = (" or ".join(f"values.{one}" for one in condition.split(" or ")) for condition in given)
    around = (*(f"if {condition}" for condition in conditions), *inside)
    return Check(id=id_, path="name", message=f"{id_} is wrong", when=when, hint=hint, inside=around)


def written(*rows: Check) -> str:
    return "\n".join(line for line, _ in checks._write_parts(checks._build_tree(rows).parts, "", checks._as_text))


def test_conditions_of_one_row_are_one_condition() -> None:
    expected = """\
<% if (values.a or values.b) and values.c and x %>
A is wrong [A]
  mend it
<% endif %>"""

    assert expected == written(row("A", "a or b", "c", when="x", hint="mend it"))


def test_a_row_for_python_gives_path_and_message() -> None:
    path = "<< role >>.tolerations[one].<< key >>"
    row = Check(id="DS1", path=path, message="<< key | quote >> is wrong")

    assert [
        '<< problem([role, "tolerations", index(one), key]) >><< key | quote >> is wrong',
    ] == [line for line, _ in checks._as_problem(row)]


def test_rows_of_one_id_have_names_of_their_own() -> None:
    assert ["a", "b", "a_2", "a_3"] == checks.name_rows([row("A"), row("B"), row("A"), row("A")])


def test_rows_share_loops_and_conditions_wherever_they_stand() -> None:
    loop = "for role in values.roles"
    expected = """\
<% if values.a %>
  <% for role in values.roles %>
    <% if x %>
A is wrong [A]
    <% endif %>

    <% set part = role %>
    <% if y %>
C is wrong [C]
    <% endif %>

    <% if z %>
D is wrong [D]
    <% endif %>
  <% endfor %>
<% endif %>

<% if values.b %>
B is wrong [B]
<% endif %>"""

    assert expected == written(
        row("A", "a", when="x", inside=(loop,)),
        row("B", "b"),
        row("C", "a", when="y", inside=(loop, "set part = role")),
        row("D", "a", when="z", inside=(loop, "set part = role")),
    )


def in_helpers(*rows: Check) -> str:
    tree = checks._build_tree([checks._place_in_helpers(row, "problems") for row in rows])
    lines = list(checks._write_parts(tree.parts, "", checks._as_text))
    for name, shared in {one.name: one for row in rows for one in row.shared if one.name}.items():
        lines += checks._write_helper(f"{name}_problems", shared, "problems", tree)
    return "\n".join(line for line, _ in lines)


def small(path: str, what: str, *inside: str, words: str = "is small") -> Check:
    shared = Shared(path, len(inside), "size", "a size, `size`", (("size", what),))
    return Check(id="A", path=path, when=f"{what} < 1", message=f"{path} {words}", inside=inside, shared=(shared,))


def test_rows_of_several_places_are_one_helper() -> None:
    loop = "for name, volume in values.storage | items"
    expected = """\
<< size_problems("a", values.a) >>

<% for name, volume in values.storage | items %>
  << size_problems(name ~ ".b", volume.b) >>
<% endfor %>

<# A message for each error in a size, `size`. Each begins with `where`, the place. #>
<% macro size_problems(where, size) %>
<% if size < 1 %>
<< where >> is small [A]
<% endif %>
<% endmacro %>"""

    assert expected == in_helpers(small("a", "values.a"), small("<< name >>.b", "volume.b", loop))


def test_a_row_beside_the_call_begins_like_those_in_the_helper() -> None:
    beside = Check(id="B", path="b", message="<< x >>.b is wrong", when="x", shared=(Shared("<< x >>.b", 0),))
    expected = """\
<% set where = x ~ ".b" %>
<< size_problems(where, x) >>

<% if x %>
<< where >> is wrong [B]
<% endif %>
"""

    assert in_helpers(small("<< x >>.b", "x"), beside).startswith(expected)


def test_a_helper_calls_another_one() -> None:
    outer = Shared("a", 0, "sizes", "`sizes`", (("sizes", "values.a"),))
    row = small("a.<< size >>", "size", "for size in values.a")._replace(id="C")
    expected = """\
<< sizes_problems("a", values.a) >>

<# A message for each error in `sizes`. Each begins with `where`, the place. #>
<% macro sizes_problems(where, sizes) %>
<% for size in sizes %>
  << size_problems(where ~ "." ~ size, size) >>
<% endfor %>
<% endmacro %>
"""

    assert in_helpers(row._replace(shared=(outer, *row.shared))).startswith(expected)


def test_the_chart_has_no_shortcuts() -> None:
    loop = "for one in values.list"
    expected = """\
<% for one in values.list %>
  << size_problems("a", one) >>
<% endfor %>
"""

    assert in_helpers(small("a", "one", Shortcut("if values.list"), loop)).startswith(expected)


def test_rows_that_differ_from_place_to_place_are_refused() -> None:
    with pytest.raises(CompileError, match="the rows of size_problems differ from place to place"):
        in_helpers(small("a", "values.a"), small("b", "values.b", words="is tiny"))


def place_of(subject: ModuleType, id_: str, text: str = "") -> str:
    """The place of the row with this id that has the text."""
    source = Path(str(subject.__file__)).read_text()
    start = f'id="{id_}"'
    before, _ = source[: source.index(text)].rsplit(start, 1) if text else source.split(start, 1)
    return f"dsgen/checks/{Path(str(subject.__file__)).name}:{before.count(chr(10)) + 1}: {id_}: "


def test_a_mistake_in_a_row_is_reported_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Check(id="DS221", path="name", message="is wrong", when="% values.name")
    monkeypatch.setattr(checks, "CHECKS", (wrong,))

    with pytest.raises(CompileError) as error:
        checks.make_row_units()[checks.ROWS].parse(make_environment())
    assert place_of(training, "DS221") + "unexpected '%'" == str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "training.deepspeed.resize needs a DeepSpeed configuration",
        'values.training.deepspeed.autotuning != "none"',
        "not values.training.deepspeed.configFile is starting(",
        'set path = values.training.deepspeed.configFile or "/job/ds_config.json"',
    ],
)
def test_of_several_rows_with_one_id_the_place_is_that_of_the_line(text: str) -> None:
    unit = checks.make_row_units()[checks.ROWS]
    errors = [str(unit.make_error(number, "words")) for number, line in enumerate(unit.lines, 1) if text in line]

    assert place_of(resize, "DS376", text) + "words" in errors


def files() -> dict[str, str]:
    return {path: text for path, text in compile_templates().items() if path.startswith("checks/")}


def test_every_subject_has_a_file() -> None:
    names = {subject.__name__.rpartition(".")[2] for subject in SUBJECTS if hasattr(subject, "ROWS")}

    assert names | {"all", "conditions", "patterns", "quantities"} == {
        path[8:-4] for path in files() if path.startswith("checks/_")
    }


def test_every_row_stands_in_the_chart_once() -> None:
    """Rows in helpers that several places share are one there."""
    ids = re.findall(r" \[(DS\d+)\]$", "".join(files().values()), re.MULTILINE)
    rows = {_in_chart(row, number) for number, row in enumerate(CHECKS) if row.worlds == "both"}

    assert sorted(id_ for id_, *_ in rows) == sorted(ids)


def _in_chart(row: Check, number: int) -> tuple[object, ...]:
    """What is equal for rows that the chart has once."""
    placed = checks._place_in_helpers(row, row.severity)
    calls = [at for at, tag in enumerate(placed.inside) if tag.startswith(checks.CALL)]
    return (row.id, placed.message, *placed.inside[calls[-1] + 1 :]) if calls else (row.id, number)


def test_no_condition_stands_directly_inside_itself() -> None:
    for path, text in files().items():
        for outer, inner in re.findall(r"^ *{{- if (.*) }}\n *{{- if (.*) }}$", text, re.MULTILINE):
            assert f"and {outer} " not in f"and {inner} ", path


def test_the_template_that_fails_lies_deepest() -> None:
    """Helm renders the path with the most parts first."""
    depths = {path: path.count("/") for path in compile_templates()}

    assert [checks.TEMPLATE] == [path for path, depth in depths.items() if depth == max(depths.values())]


def test_a_part_of_a_message_is_an_argument() -> None:
    shared = Shared("a", 0, "wait", "`pod`", (("pod", "values.a"), ("who", '"the workers wait"')))
    row = Check(id="A", path="a", when="values.a.b", message="a.b: the workers wait forever", shared=(shared,))

    assert in_helpers(row).startswith('<< wait_problems("a", values.a, "the workers wait") >>\n')
    assert "<% if pod.b %>\n<< where >>.b: << who >> forever [A]" in in_helpers(row)
