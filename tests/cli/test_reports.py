"""`dsgen validate -o`, `--for` and `--strict`: all formats report the same problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsgen import reports
from dsgen.problems import Diagnostic, Position
from dsgen.reports import RULES
from tests import sarif
from tests.cli.conftest import Cli

CASES = sorted((Path(__file__).parents[1] / "cases" / "invalid").glob("*.yaml"))
BROKEN = "name: cifar\nimage: {repositry: r}\ntraining: {args: [a]}\n"


@pytest.fixture
def broken(folder: Path) -> Path:
    """A file with an error."""
    path = folder / "broken.yaml"
    path.write_text(BROKEN)
    return path


def one(**fields: Any) -> Diagnostic:
    """A diagnostic that is ordinary but for these fields."""
    return Diagnostic(**{"id": "DS101", "message": "m", "position": Position("a.yaml", 2, 3), **fields})


# ---- JSON ----


def test_json_has_every_field_of_every_problem(cli: Cli, broken: Path) -> None:
    code, out, err = cli("validate", "-f", broken.name, "--set", "workers.replicas=0", "-o", "json")

    report = json.loads(out)
    assert (1, "") == (code, err)
    assert (1, ["version", "diagnostics"]) == (report["version"], list(report))
    assert {
        "id": "DS105",
        "severity": "error",
        "message": "workers.replicas must be at least 1, not 0",
        "file": "--set",
        "line": 1,
        "column": 18,
        "path": "workers.replicas",
        "hint": "",
    } == report["diagnostics"][0]
    assert ["DS105", "DS901", "DS101", "DS202"] == [problem["id"] for problem in report["diagnostics"]]


def test_json_of_a_problem_without_a_place() -> None:
    problem = reports.as_json([one(position=None)])["diagnostics"][0]

    assert (None, None, None, "", "") == tuple(problem[key] for key in ("file", "line", "column", "path", "hint"))


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_good_file_is_an_empty_report(cli: Cli, form: str) -> None:
    code, out, err = cli("validate", "cifar.yaml", "mnist.yaml", "-o", form)

    report = json.loads(out)
    assert (0, "") == (code, err)
    assert [] == (report["diagnostics"] if form == "json" else report["runs"][0]["results"])


@pytest.mark.needs("npm")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_all_forms_tell_the_same_problems(cli: Cli, path: Path) -> None:
    text, told, log, lines = (cli("validate", path, "-o", form) for form in ("text", "json", "sarif", "github"))

    ids = [problem["id"] for problem in json.loads(told.out)["diagnostics"]]
    assert [1] * 4 == [text.code, told.code, log.code, lines.code]
    assert ids == [result["ruleId"] for result in json.loads(log.out)["runs"][0]["results"]]
    assert ids == [line.partition("]::")[0][-5:] for line in lines.out.splitlines()]
    assert len(ids) == sum(line.endswith(f"[{id_}]") for id_ in set(ids) for line in text.err.splitlines())
    assert [] == sarif.problems(json.loads(log.out))


# ---- SARIF ----


def test_sarif_has_rules_with_titles_and_results_with_places(cli: Cli, broken: Path) -> None:
    run = json.loads(cli("validate", broken.name, "-n", "x", "-o", "sarif").out)["runs"][0]

    driver = run["tool"]["driver"]
    assert ["DS101", "DS202"] == [rule["id"] for rule in driver["rules"]]
    assert {"text": RULES["DS101"].title} == driver["rules"][0]["shortDescription"]
    assert {
        "ruleId": "DS101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": '"repositry" is not a key of image\ndid you mean repository?'},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "broken.yaml"},
                    "region": {"startLine": 2, "startColumn": 9},
                },
                "logicalLocations": [{"fullyQualifiedName": "image.repositry", "kind": "property"}],
            }
        ],
    } == run["results"][0]


@pytest.mark.needs("npm")
@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/c#1.yaml", "a%20b/c%231.yaml"),
        ("./é.yaml", "%C3%A9.yaml"),
        ("../x:y.yaml", "../x%3Ay.yaml"),
        ("/data/x.yaml", "file:///data/x.yaml"),
        ("\udcff.yaml", "%FF.yaml"),
    ],
)
def test_sarif_names_files_by_uri(file: str, uri: str) -> None:
    log = reports.as_sarif([one(position=Position(file, 1, 1))])

    result = log["runs"][0]["results"][0]
    assert uri == result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert [] == sarif.problems(log)


@pytest.mark.needs("npm")
@pytest.mark.parametrize("place", [None, Position("<stdin>", 1, 1), Position("--set-json", 1, 1)])
def test_sarif_has_no_file_where_none_is(place: Position | None) -> None:
    log = reports.as_sarif([one(position=place), one(position=place, path=("workers",))])

    bare, with_path = log["runs"][0]["results"]
    assert "locations" not in bare
    assert [{"logicalLocations": [{"fullyQualifiedName": "workers", "kind": "property"}]}] == with_path["locations"]
    assert [] == sarif.problems(log)


# ---- GitHub ----


def test_github_annotates_lines(cli: Cli, broken: Path) -> None:
    code, out, err = cli("validate", broken.name, "-n", "x", "-o", "github")

    expected = (
        "::error file=broken.yaml,line=2,col=9,title=An unknown key [DS101]::"
        '"repositry" is not a key of image%0Ahint: did you mean repository?'
    )
    assert (1, "") == (code, err)
    assert expected == out.splitlines()[0]


def test_github_escapes_what_would_end_a_field_or_a_line() -> None:
    place = Position("a,b:100%\n.yaml", 1, 2)
    problem = one(id="DS108", position=place, message="100%\r\n::error::x", hint="a\nb", severity="warning")

    expected = (
        "::warning file=a%2Cb%3A100%25\\n.yaml,line=1,col=2,title=Too few%2C too many or conflicting entries [DS108]::"
        "100%25\\r\\n::error::x%0Ahint: a%0Ahint: b\n"
    )
    assert expected == reports.as_github([problem])


def test_github_names_no_file_for_a_flag() -> None:
    assert "::error title=An unknown key [DS101]::m\n" == reports.as_github([one(position=Position("--set", 1, 1))])


# ---- --strict ----

NO_TAG = ("--set", "image.tag=")


@pytest.mark.parametrize(
    "command",
    [["validate"], ["render"], ["render", "-d", "out"], ["chart", "-d", "out"], ["validate", "--for", "chart"]],
)
def test_strict_makes_an_error_of_a_warning(cli: Cli, folder: Path, command: list[str]) -> None:
    code, out, err = cli(*command, "cifar.yaml", *NO_TAG, "--strict")

    assert (1, "") == (code, out)
    assert "error: the image has no fixed version [DS250]" in err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(("flags", "expected"), [([], (0, "warning")), (["--strict"], (1, "error"))])
def test_reports_say_how_strict_it_was(cli: Cli, flags: list[str], expected: tuple[int, str]) -> None:
    code, out, _ = cli("validate", "cifar.yaml", *NO_TAG, "-o", "json", *flags)

    assert expected == (code, json.loads(out)["diagnostics"][0]["severity"])


def test_strict_changes_nothing_where_nothing_is_wrong(cli: Cli) -> None:
    assert cli("render", "cifar.yaml") == cli("render", "cifar.yaml", "--strict")


# ---- --for chart ----


def test_a_chart_needs_no_names(cli: Cli, folder: Path) -> None:
    text = (folder / "cifar.yaml").read_text().replace("name: cifar\n", "").replace("namespace: training\n", "")
    (folder / "bare.yaml").write_text(text)

    assert 1 == cli("validate", "bare.yaml").code
    assert (0, "bare.yaml: ok, chart\n", "") == cli("validate", "bare.yaml", "--for", "chart")
    assert (0, "cifar.yaml: ok, chart cifar\n", "") == cli("validate", "cifar.yaml", "--for", "chart")


def test_a_chart_is_checked_as_far_as_it_goes(cli: Cli) -> None:
    assert 1 == cli("validate", "cifar.yaml", "--for", "chart", "--set", "workers.slots=0").code
