"""Users of other tools get a valid file by following the hints of two runs of `dsgen validate`."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import schema
from dsgen.schema import suggestions
from tests import hints

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "mistakes.yaml").read_text())
GIVEN = {"name": "cifar", "namespace": "training", "image": {"repository": "r/x", "tag": "v3"}}
WORDS = yaml.safe_load((Path(__file__).parents[1] / "cases" / "words.yaml").read_text())
MOST = 2


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, cases in CASES.items() for name in cases])
def test_hints_lead_to_what_is_meant(kind: str, name: str) -> None:
    case = CASES[kind][name]
    data, meant = copy.deepcopy(GIVEN | case["wrong"]), GIVEN | case["meant"]
    assert hints.problems(data)

    hints.runs(data, meant, MOST)

    assert meant == data
    assert [] == [problem for problem in hints.problems(data) if problem.severity == "error"]


def words() -> list[tuple[str, str, str]]:
    """Every word of the tables, with the section where it is written and the keys that it stands for."""
    keys_at_the_top = {key.lower() for key in schema.list_keys(schema.load())}
    named = [("", word, keys) for word, keys in suggestions.ANYWHERE.items() if word not in keys_at_the_top]
    return named + [(top, word, keys) for top, below in suggestions.IN_SECTION.items() for word, keys in below.items()]


@pytest.mark.parametrize(("section", "word", "keys"), words(), ids=lambda text: text)
def test_a_word_of_another_tool_leads_to_its_key(section: str, word: str, keys: str) -> None:
    key = keys.split()[0]
    wrong = _with(GIVEN, WORDS["beside"].get(key, {"training": {"python": "train.py"}}))
    meant = _with(wrong, _nested(key, WORDS["values"][key]))
    wrong = _with(wrong, {section: {word: WORDS["values"][key]}} if section else {word: WORDS["values"][key]})
    if section == "image":
        del wrong["image"][key.split(".")[1]]

    hints.runs(wrong, meant, 1)

    assert meant == wrong
    assert [] == [problem for problem in hints.problems(wrong) if problem.severity == "error"]


@pytest.mark.parametrize(("word", "value", "key", "meant"), WORDS["others"])
def test_a_word_with_other_values_leads_to_the_right_one(word: str, value: Any, key: str, meant: Any) -> None:
    data = _with(GIVEN, {"training": {"python": "train.py"}, word: value})

    hints.runs(data, {}, 1)

    assert meant == hints.get(data, tuple(key.split(".")))
    assert [] == hints.problems(data)


def test_every_word_with_other_values_has_a_case() -> None:
    in_jobs = {"containers", "hostfile", "numprocesses", "syncmode"}
    without_a_key = {
        word for word, text in suggestions.OTHER_VALUES.items() if not re.match(r"[\w.]+: ", text)
    } - in_jobs
    seen = {word.lower() for word, *_ in WORDS["others"]} | in_jobs

    assert {"cron", "s3", "vllm"} < without_a_key
    assert suggestions.OTHER_VALUES.keys() - without_a_key == seen - without_a_key


def _nested(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def _with(below: Any, above: Any) -> Any:
    """Maps merged, everything else replaced; a copy."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return copy.deepcopy(above)
    return {
        key: _with(below.get(key), above[key]) if key in above else copy.deepcopy(below[key]) for key in below | above
    }
