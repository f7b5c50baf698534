"""Every problem that dsgen can report has one rule, and every rule belongs to a problem."""

import re
from collections import Counter
from pathlib import Path

import pytest

from dsgen.compiler import rules
from dsgen.compiler.frontend import CompileError
from dsgen.reports import RULES
from tools.checks import severities

PACKAGE = Path(__file__).parent.parent.parent / "dsgen"
BLOCKS = rules.read_rule_blocks()
OF_CHARTS = {"DS372"}
"""A chart's own rule about names, in compiler/chart/release.yaml."""


def test_every_id_that_is_used_has_a_rule_and_the_other_way_round() -> None:
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.glob("compiler/chart/*.yaml")]
    texts = [path.read_text(encoding="utf-8") for path in files if path != PACKAGE / "generated" / "rules.py"]
    used = {id_ for text in texts for id_ in re.findall(r"\bDS\d{3}\b", text)}

    assert used == RULES.keys()


def test_a_rule_of_the_checks_stands_in_one_module() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (PACKAGE / "checks").glob("*.py")]
    used = Counter(id_ for text in texts for id_ in set(re.findall(r"\bDS\d{3}\b", text)))

    assert {} == {id_: count for id_, count in used.items() if count > 1}


@pytest.mark.parametrize("path", rules.list_rule_files(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_file_has_the_rules_of_its_neighbour_in_order(path: Path) -> None:
    ids = re.findall(r"^(\S+):$", path.read_text(encoding="utf-8"), re.MULTILINE)
    neighbours = [path.with_suffix(".py")] if path.stem != "rules" else sorted(path.parent.glob("*.py"))
    used = re.findall(r"\bDS\d{3}\b", "".join(one.read_text(encoding="utf-8") for one in neighbours))

    assert sorted(set(ids)) == ids
    assert {*ids} - OF_CHARTS <= {*used}


@pytest.mark.parametrize("id_", [id_ for id_ in RULES if "DS200" < id_ < "DS900"])
def test_an_explanation_says_whether_the_problem_is_a_warning(id_: str) -> None:
    found = severities(id_, BLOCKS[id_])

    assert not found or (found == {"warning"}) == RULES[id_].when.startswith("A warning") or id_ == "DS263"


@pytest.mark.parametrize("id_", RULES)
def test_a_rule_is_complete(id_: str) -> None:
    rule = RULES[id_]

    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.when.endswith(".")
    assert rule.remedy.endswith(".")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DS999:\n  title: a\n  when: b.\n", "x.yaml:1: DS999: missing 1 required positional argument: 'remedy'"),
        (
            "# A.\nDS999: {titel: a, when: b., remedy: c.}\n",
            "x.yaml:2: DS999: got an unexpected keyword argument 'titel'",
        ),
        ("DS999: a\n", "x.yaml:1: DS999: a rule is a map"),
        ("DS999: {title: a, when: b., remedy: c., wrong: 1}\n", "x.yaml:1: DS999: wrong is not a list of cases"),
        ("DS201: {title: a, when: b., remedy: c.}\n" * 2, 'x.yaml:2: duplicate key "DS201"'),
        ("a: [\n", "x.yaml:2: "),
    ],
)
def test_a_mistake_in_a_file_of_rules_is_reported_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(text)
    monkeypatch.setattr(rules, "PACKAGE", tmp_path / "dsgen")
    monkeypatch.setattr(rules, "list_rule_files", lambda: [file])

    with pytest.raises(CompileError) as error:
        rules.read_rule_blocks()

    assert str(error.value).startswith(message)


def test_one_id_in_two_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "list_rule_files", lambda: [PACKAGE / "values.yaml"] * 2)

    with pytest.raises(CompileError, match=r"^dsgen/values\.yaml:\d+: there is another rule DS113$"):
        rules.read_rule_blocks()
