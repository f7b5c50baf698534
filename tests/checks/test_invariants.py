"""What would make a wrong object is refused by dsgen, by templates in Python and Jinja2, and by both majors of Helm."""

import re
from pathlib import Path

import jsonschema
import pytest

from dsgen import checks, values
from dsgen.catalogue import TEMPLATES
from dsgen.compiler.chart import conditions
from dsgen.compiler.programs import INVARIANTS, read_template_units
from dsgen.compiler.rules import Case
from dsgen.generated import manifests
from dsgen.language.environment import make_environment
from dsgen.language.functions import TemplateError
from dsgen.schema import export
from tests.base import RIGHT, WRONG, job, parameters
from tests.helm import MAJORS
from tests.parity import RELEASE, bare_chart, batch_refusals, batch_run, dump, helm_run, telling_chart

UNITS = read_template_units()
HELPERS = set(re.findall(r"<# (DS\d+): .*?#>\n<% (?:def|macro) (\w+)", UNITS[INVARIANTS].text))
IDS = sorted({id_ for id_, _ in HELPERS})
REFUSALS = {
    (id_, macro) for unit in UNITS.values() for id_, macro in re.findall(r'<% refuse "(DS\d+)", (\w+)\(', unit.text)
}


def errors(case: Case) -> set[str]:
    """The errors that dsgen reports."""
    return {one.id for one in values.check(job(case), RELEASE) if one.severity == "error"}


REFUSED = [(id_, case) for id_, case in WRONG if id_ in IDS and id_ in errors(case)]
ACCEPTED = [(id_, case) for id_, case in RIGHT if id_ in IDS]
BY_SCHEMA = [(id_, case) for id_, case in WRONG if id_ in conditions.IDS and id_ in errors(case)]


def test_there_are_at_most_40_invariants() -> None:
    assert 30 < len(IDS) <= 40


def test_a_template_refuses_by_each_invariant() -> None:
    assert HELPERS == REFUSALS


def test_the_rule_of_each_invariant_uses_it() -> None:
    text = "".join(path.read_text() for path in Path(str(checks.__file__)).parent.glob("*.py"))
    found = {
        (id_, macro)
        for part in re.split(r"^(?=@?(?:error|warning)\()", text, flags=re.MULTILINE)
        for id_ in re.findall(r'\A@?error\(\s*(?:\*\()?"(DS\d+)"', part)
        for macro in re.findall(r"\bhelpers\.(\w+)", part)
    }

    assert REFUSALS <= found


def render_all(templates: str, case: Case) -> str:
    """The message with which the templates refuse a case; empty if they render it."""
    data, names = job(case).data, RELEASE._asdict()
    try:
        for template in TEMPLATES:
            if templates == "python":
                manifests.TEMPLATES[template.path](data, names)
            else:
                make_environment().get_template(template.path).render(values=data, release=names)
    except TemplateError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("templates", ["python", "jinja2"])
def test_templates_refuse_the_wrong_cases(templates: str) -> None:
    said = [(id_, case, render_all(templates, case)) for id_, case in REFUSED]

    assert [] == [one for one in said if not one[2].endswith(f"[{one[0]}]")]
    assert set(IDS) - {"DS205"} == {id_ for id_, _, _ in said}


@pytest.mark.parametrize("templates", ["python", "jinja2"])
def test_templates_accept_the_right_cases(templates: str) -> None:
    said = [(id_, case, render_all(templates, case)) for id_, case in ACCEPTED]

    assert [] == [one for one in said if one[2].endswith(f"[{one[0]}]")]


@pytest.mark.parametrize("name", ["Cifar", "cifar-", "cifar.x"])
def test_templates_refuse_the_name_of_a_release(name: str) -> None:
    with pytest.raises(TemplateError, match=r"is not a valid job name \[DS205\]"):
        manifests.TEMPLATES["workers/job.yaml"](job({"name": ""}).data, {"name": name, "namespace": "x"})


@pytest.mark.parametrize("major", MAJORS)
def test_helm_refuses_the_wrong_cases(major: int, tmp_path: Path) -> None:
    files = telling_chart()
    del files["values.schema.json"]  # for time; it does not hold for all of these cases
    result = batch_run(major, tmp_path, [dump(job(case).data) for _, case in REFUSED], files)

    assert result.returncode == 0, result.stderr[:2000]
    said = batch_refusals(result.stdout)
    missing = [
        (id_, case, said[number])
        for number, (id_, case) in enumerate(REFUSED)
        if not any(one.endswith(f"[{id_}]") for one in said[number])
    ]
    assert [] == missing


@pytest.mark.parametrize("major", MAJORS)
def test_helm_fails_with_the_message_of_an_invariant(major: int) -> None:
    result = helm_run(major, bare_chart(), "--set", "training.python=a")

    assert "image.repository is required [DS201]" in result.stderr


SCHEMA = jsonschema.Draft7Validator(export.make_chart_schema() | {"allOf": [*conditions.list_conditions()]})


@pytest.mark.parametrize(("id_", "case"), parameters(BY_SCHEMA))
def test_the_schema_of_the_chart_refuses_exclusive_keys(id_: str, case: Case) -> None:
    assert not SCHEMA.is_valid(job(case).data), id_


def test_each_condition_of_the_schema_has_a_case() -> None:
    assert conditions.IDS == {id_ for id_, _ in BY_SCHEMA}


@pytest.mark.parametrize(("id_", "case"), parameters([one for one in RIGHT if one[0] in conditions.IDS]))
def test_the_schema_of_the_chart_accepts_what_dsgen_accepts(id_: str, case: Case) -> None:
    others = errors(case) & conditions.IDS

    assert bool(others) != SCHEMA.is_valid(job(case).data), id_
