"""Every place that lists launch methods has all of methods.json, and the places agree."""

import re
from pathlib import Path

import pytest
import yaml

from dsgen import schema
from dsgen.generated import helpers
from dsgen.schema import Schema
from shared.methods import METHODS

ROOT = Path(__file__).parents[1]

RULE: Schema = schema.find_part(("launch", "method")) or {}
every_method = pytest.mark.parametrize("method", RULE["enum"])


@every_method
def test_templates_and_scripts_agree(method: str) -> None:
    values = {"launch": {"method": method}}

    assert METHODS[method].ssh == bool(helpers.uses_ssh(values))
    assert METHODS[method].whole == bool(helpers.runs_command(values))
    assert METHODS[method].ranks or METHODS[method].whole, "dsgen why waits for the connections of its ranks"


@every_method
def test_the_description_of_local_rank_names_the_methods_that_pass_it(method: str) -> None:
    part = schema.find_part(("training", "deepspeed", "localRank")) or {}

    assert METHODS[method].local_rank == (method in part["description"].split())


@every_method
def test_a_method_is_documented(method: str) -> None:
    page = (ROOT / "docs" / "launch-methods.md").read_text()

    assert re.search(rf"^\| \|.* `{method}` \|", page, re.MULTILINE), "no column in the table"
    assert re.search(rf"^\| [^|]+ \| `{method}`[,| ]", page, re.MULTILINE), "no row that says when to choose it"
    for tool in METHODS[method].tools:
        assert re.search(rf"^\|.* `{tool}`", (ROOT / "docs" / "image.md").read_text(), re.MULTILINE), tool


@every_method
def test_a_method_has_a_case(method: str) -> None:
    files = [*(ROOT / "tests" / "cases" / "valid").glob("*.yaml"), *(ROOT / "values-examples").glob("*.yaml")]
    used = [yaml.safe_load(file.read_text()).get("launch", {}).get("method", RULE["default"]) for file in files]

    assert method in used
