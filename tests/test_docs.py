"""The documentation shows the real output of its commands."""

import re
import textwrap
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from dsgen import api, explain, schema
from dsgen.cli import COMMANDS, dsgen
from dsgen.language.text import scalar
from dsgen.reports import RULES
from tools import docs

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(params=docs.pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def page(request: pytest.FixtureRequest) -> Path:
    """One page of the documentation."""
    path: Path = request.param
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which a page's commands run."""
    docs.make_folder(tmp_path)
    return tmp_path


def test_shown_output_is_what_is_printed(page: Path, folder: Path) -> None:
    assert docs.refreshed(page.read_text(), folder) == page.read_text()


def test_every_dsgen_command_of_a_page_runs(page: Path, folder: Path) -> None:
    for block in docs.BLOCK.finditer(page.read_text()):
        if block["file"]:
            docs.write(folder / block["file"], block["body"])
        for line in block["body"].splitlines() if block["language"] == "sh" else ():
            if line.startswith("dsgen "):
                done = docs.run(line.partition(" | kubectl")[0], folder)
                assert done.returncode == 0, f"{line}\n{done.stdout}"


def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text()) if "://" not in target]

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_a_file_of_dsgen_that_is_named_exists(page: Path) -> None:
    """Words in capitals stand for any name."""
    named = re.findall(r"`(dsgen/[a-z_./-]+\.[a-z0-9]+)`", page.read_text())

    assert [] == [name for name in named if not (ROOT / name).exists()]


def test_links_to_a_heading_lead_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([^):#]*)#([^)]+)\)", page.read_text())

    assert [] == [
        (file, anchor) for file, anchor in links if anchor not in anchors(page.parent / file if file else page)
    ]


def anchors(page: Path) -> list[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    words = re.findall("^#+ (.*)", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", word).lower().replace(" ", "-") for word in words]


def test_a_heading_follows_an_empty_line(page: Path) -> None:
    assert [] == re.findall(r"(?<!\n)\n(#+ .*)", docs.BLOCK.sub("", page.read_text()))


def test_the_command_that_contributors_copy_works(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall("```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    copied: dict[str, Any] = {}
    exec(textwrap.dedent(next(block for block in blocks if "dsgen images" in block)), copied)

    assert 0 == copied["command"].main([str(folder / "cifar.yaml")], standalone_mode=False)
    assert "registry.example.com/team/cifar\n" == capsys.readouterr().out


def test_twelve_commands_lead_to_a_repository_of_two_teams() -> None:
    """Those of the table are those of the page."""
    page = (ROOT / "docs" / "repository.md").read_text()
    table = re.search(r"^\| commands \|.*?\n\n", page, re.DOTALL | re.MULTILINE)
    assert table
    commands = [
        each
        for line in table[0].strip().splitlines()
        for each in re.findall("`([a-z][^`]+ [^`]+)`", line.split("|")[1])
    ]
    shown = [line.removeprefix("$ ") for block in docs.BLOCK.finditer(page) for line in block["body"].splitlines()]

    assert 12 == len(commands)
    assert [] == [each for each in commands[1:] if not any(line.startswith(each) for line in shown)]


def test_the_readme_leads_to_every_page() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text()))

    assert set() == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - linked


def test_the_navigation_of_the_site_has_every_page() -> None:
    text = (ROOT / "mkdocs.yml").read_text()
    listed = re.findall(r"^ +- ([\w-]+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)

    assert sorted(["index.md", *(path.name for path in (ROOT / "docs").glob("*.md"))]) == sorted(listed)


def test_the_readmes_job_is_the_smallest_example() -> None:
    shown = {block["file"]: block["body"] for block in docs.BLOCK.finditer((ROOT / "README.md").read_text())}
    example = (ROOT / "values-examples" / "minimal.yaml").read_text()

    assert example.partition("\n")[2] == shown["cifar.yaml"]
    assert 10 == len(shown["cifar.yaml"].splitlines())


def test_the_settings_of_yamllint_are_those_that_are_shown() -> None:
    shown = {block["file"]: block["body"] for block in docs.BLOCK.finditer((ROOT / "docs" / "ci.md").read_text())}

    assert (ROOT / ".yamllint").read_text() == shown[".yamllint"]


def test_every_command_has_its_help_in_the_manual() -> None:
    manual = (ROOT / "docs" / "commands.md").read_text()

    assert [] == [name for name in COMMANDS if f"$ dsgen {name} --help\nUsage: dsgen {name}" not in manual]
    assert [] == [name for name in COMMANDS if f"[`dsgen {name}`](#dsgen-{name})" not in manual]


OPTIONS = {
    name: {"--help"} | {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    for name in COMMANDS
    if (command := dsgen.get_command(click.Context(dsgen), name))
}
OTHERS = "bind-to build-arg build-opt deepspeed force-confold map-by min-nodes nodes recursive server-side wait"
"""Options of other programs that sentences name alone; those with underscores need not be here."""


def test_every_option_that_is_named_exists(page: Path) -> None:
    """Also in blocks and sentences whose commands are not run."""
    named = re.findall(r"(?:^|[`$ (|;&])dsgen ([a-z]+)\b([^`\n|;)\"]*)", page.read_text(), re.MULTILINE)

    assert [] == [
        f"dsgen {name} {option}"
        for name, rest in named
        for option in re.findall(r"(?<=\s)(--[a-z][\w-]*)", rest.partition(" -- ")[0])
        if option not in OPTIONS.get(name, {option})
    ]


def test_an_option_that_is_named_alone_exists(page: Path) -> None:
    """Except in pages about other systems, and about earlier versions."""
    known = {f"--{name}" for name in OTHERS.split()}.union(*OPTIONS.values())
    alone = set(re.findall(r"`(--[a-z][a-z-]+)\b(?!_)", docs.BLOCK.sub("", page.read_text())))

    assert (
        page.stem in ("CHANGELOG", "import", "launch-methods", "programs", "side-by-side")
        or page.parent.name == "import"
        or set() == alone - known
    )


def test_every_phase_and_reason_of_the_record_is_explained() -> None:
    source = (ROOT / "dsgen" / "scripts" / "shared/record.py").read_text()
    words = {word for row in re.findall(r'Row\("(\w+)", "(\w*)"', source) for word in row if word}
    pages = "".join((ROOT / "docs" / name).read_text() for name in ("running.md", "causes.md"))
    explained = set(re.findall(r"`(\w+)`", pages))

    assert len(words) > 15
    assert set() == words - explained


TOP = schema.load()["properties"].keys()
KEY = re.compile(r'`([a-z][A-Za-z]+(?:\.[A-Za-z]+|\[\d*\]|\["[^"]+"\])+)`')
SNIPPET = re.compile(r"`([a-z][A-Za-z.]*): ([^`]+)`")
PROGRAMS = {"launcher.py", "launcher.json"}
"""Files whose names look like keys."""


def test_every_key_that_is_named_exists(page: Path) -> None:
    named = {key for key in KEY.findall(page.read_text()) if re.split(r"\W", key)[0] in TOP} - PROGRAMS

    assert [] == [key for key in sorted(named) if not explain.explain_word(key)]


def test_values_in_the_text_fit_the_schema(page: Path) -> None:
    for path, text in SNIPPET.findall(page.read_text()):
        value = yaml.safe_load(text) if path.split(".")[0] in TOP and "..." not in text else None
        for key in reversed(path.split(".")) if value is not None else ():
            value = {key: value}
        problems = api.validate(api.load(value)) if value is not None else []
        assert [] == [problem.message for problem in problems if problem.id.startswith("DS1")]


CHOICES = {".".join(path): set(map(scalar, rule["enum"])) for path, rule in schema.walk_keys() if rule.get("enum")}
WORDS = {word for path, _ in schema.walk_keys() for word in path}.union(*CHOICES.values())
CHOSEN = re.compile(r"\b(?:leave|set|is|to|value) `([a-z][\w-]*)`")
"""A word that a sentence gives a key, such as "leave `none`"."""


def test_a_choice_that_is_named_is_one_of_its_key(page: Path) -> None:
    """In `KEY: WORD`, with a key or its last part, and in a sentence or a row of a table that names the whole key."""
    wrong = []
    for sentence in re.split(r"\n\n|\n(?=[|-] )|(?<=[.;]) ", docs.BLOCK.sub("", page.read_text())):
        snippets = SNIPPET.findall(sentence)
        for key, choices in CHOICES.items():
            given = {word for name, word in snippets if f".{key}".endswith(f".{name}") and re.fullmatch("[a-z]+", word)}
            named = set(CHOSEN.findall(sentence)) - WORDS if f"`{key}`" in sentence else set()
            wrong += [(key, word) for word in (given - choices) | named]

    assert [] == wrong


def test_an_id_that_is_named_exists(page: Path) -> None:
    assert set() == set(re.findall(r"\bDS[0-9]{3}\b", page.read_text())) - RULES.keys()


# ---- the tool itself ----
