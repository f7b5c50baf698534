"""The rows of the checks as templates: rows share their tags, and the files are readable."""

import re

from dsgen.checks import CHECKS, SUBJECTS
from dsgen.checks.row import Check
from dsgen.compiler import checks
from dsgen.compiler.chart.package import compiled_templates


def row(id_: str, *given: str, when: str = "", inside: tuple[str, ...] = (), hint: str = "") -> Check:
    conditions = (" or ".join(f"values.{one}" for one in condition.split(" or ")) for condition in given)
    around = (*(f"if {condition}" for condition in conditions), *inside)
    return Check(id=id_, path="name", message=f"{id_} is wrong", when=when, hint=hint, inside=around)


def written(*rows: Check) -> str:
    return "\n".join(line for line, _ in checks._parts(checks._tree(rows).parts, "", checks._as_text))


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
    assert ["a", "b", "a_2", "a_3"] == checks.row_names([row("A"), row("B"), row("A"), row("A")])


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


def files() -> dict[str, str]:
    return {path: text for path, text in compiled_templates().items() if path.startswith("checks/")}


def test_every_subject_has_a_file() -> None:
    names = {subject.__name__.rpartition(".")[2] for subject in SUBJECTS if hasattr(subject, "ROWS")}

    assert names | {"all", "conditions", "patterns", "quantities"} == {
        path[8:-4] for path in files() if path.startswith("checks/_")
    }


def test_every_row_stands_in_the_chart_once() -> None:
    ids = re.findall(r" \[(DS\d+)\]$", "".join(files().values()), re.MULTILINE)

    assert sorted(row.id for row in CHECKS if row.worlds == "both") == sorted(ids)


def test_no_condition_stands_directly_inside_itself() -> None:
    for path, text in files().items():
        for outer, inner in re.findall(r"^ *{{- if (.*) }}\n *{{- if (.*) }}$", text, re.MULTILINE):
            assert f"and {outer} " not in f"and {inner} ", path


def test_the_template_that_fails_lies_deepest() -> None:
    """Helm renders the path with the most parts first."""
    depths = {path: path.count("/") for path in compiled_templates()}

    assert [checks.TEMPLATE] == [path for path, depth in depths.items() if depth == max(depths.values())]
