"""`dsgen values` prints the values of a job, and `dsgen schema` the possible ones."""

import json
from pathlib import Path

import pytest

from dsgen import values
from dsgen.cli.values import write_merged
from tests.cli.conftest import Cli
from tests.generated_values import valid_texts

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "values-examples").glob("*.yaml"))


def test_every_key_says_what_set_it(cli: Cli) -> None:
    arguments = ("-f", "prod.yaml", "--set", "workers.slots=8", "--set-string", "labels.team=a")
    code, out, err = cli("values", "cifar.yaml", *arguments)

    expected = [
        "name: cifar  # cifar.yaml:2",
        "  team: a  # --set-string",
        "  replicas: 4  # prod.yaml:1",
        "  slots: 8  # --set",
        "  resources:  # default",
        "      cpu: auto  # default",
        "    mountPath: /checkpoints  # cifar.yaml:11",
        "    mountIn: auto  # default",
    ]
    lines = out.splitlines()
    assert (0, "") == (code, err)
    assert [] == [line for line in expected if line not in lines]
    assert [] == [line for line in lines if " # " not in line and not line.lstrip().startswith("- ")]


def test_names_of_the_command_line_are_among_them(cli: Cli, folder: Path) -> None:
    text = (folder / "cifar.yaml").read_text().replace("name: cifar\n", "").replace("namespace: training\n", "")
    (folder / "bare.yaml").write_text(text)

    lines = cli("values", "bare.yaml", "--name", "c", "-n", "t").out.splitlines()

    assert ["name: c  # --name", "namespace: t  # -n"] == lines[:2]


def test_the_output_renders_the_same(cli: Cli, folder: Path) -> None:
    flags = ("-f", "prod.yaml", "--set", "training.env.A=x")
    (folder / "merged.yaml").write_text(cli("values", "cifar.yaml", *flags).out)

    assert cli("render", "cifar.yaml", *flags) == cli("render", "merged.yaml")


def test_several_jobs_are_several_documents(cli: Cli) -> None:
    yaml, told = (cli("values", "cifar.yaml", "mnist.yaml", "-o", form).out for form in ("yaml", "json"))

    decoder = json.JSONDecoder()
    first, end = decoder.raw_decode(told)
    second, _ = decoder.raw_decode(told[end:].lstrip())
    assert ["cifar", "mnist"] == [first["name"], second["name"]]
    assert 1 == yaml.count("\n---\nname: mnist  # mnist.yaml:2\n")


def test_what_does_not_fit_the_schema_is_not_printed(cli: Cli) -> None:
    code, out, err = cli("values", "cifar.yaml", "--set", "workers.slots=x")

    assert (1, "") == (code, out)
    assert "error: workers.slots must be a whole number" in err


def test_other_problems_do_not_hide_the_values(cli: Cli) -> None:
    assert (0, "") == cli("values", "cifar.yaml", "--set", "image.repository=", "-o", "json")[::2]


def again(loaded: values.Job) -> str:
    """The values as JSON, which tells 1, 1.0, "1" and true apart, after they were printed and read."""
    text = write_merged(loaded)
    read = values.load([values.SourceText("again.yaml", text)])
    assert read.values, (read.diagnostics, text)
    assert [] == read.diagnostics
    return json.dumps(read.data, sort_keys=True)


@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_was_read_is_read_back(count: int) -> None:
    for text in valid_texts(count):
        loaded = values.load([values.SourceText("values.yaml", text)])
        assert json.dumps(loaded.data, sort_keys=True) == again(loaded)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("pip install .", "pip install ."),
        ("registry.example.com:5000/a", "registry.example.com:5000/a"),
        ("yes", '"yes"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("10", '"10"'),
        ("a:", '"a:"'),
        ("a\nb", "|-\n    a\n    b"),
        ("a\n\n  b\n", "|\n    a\n\n      b"),
        ("a\nb\n\n", r'"a\nb\n\n"'),
        (" a\nb", r'" a\nb"'),
        ("\ta\nb", r'"\ta\nb"'),
    ],
)
def test_how_texts_are_written(text: str, written: str) -> None:
    loaded = values.load([], [values.Override("--set-json", f"training.setup={json.dumps(text)}")])

    shown = write_merged(loaded).partition("\n  setup: ")[2].partition("\n  files:")[0]
    head, _, rest = written.partition("\n")
    assert f"{head}  # --set-json{rest and chr(10)}{rest}" == shown


def test_the_schema_is_that_of_the_editors(cli: Cli) -> None:
    assert (0, (ROOT / "schemas" / "values.schema.json").read_text(), "") == cli("schema")
