"""The Markdown of the site; tests/site looks at the pages in a browser."""

import os
import re
from pathlib import Path

import pytest

from dsgen.cluster.reasons import list_reasons
from dsgen.reports import RULES
from tools import docs, site


@pytest.fixture(scope="module")
def pages() -> dict[Path, str]:
    """All pages."""
    return site.pages()


def test_every_problem_and_every_reason_has_a_page(pages: dict[Path, str]) -> None:
    wanted = {*(Path(f"problems/{id_}.md") for id_ in RULES), *(Path(f"reasons/{name}.md") for name in list_reasons())}

    assert set() == wanted - pages.keys()


def test_every_page_of_the_documentation_is_there(pages: dict[Path, str]) -> None:
    folder = docs.ROOT / "docs"

    assert set() == {path.relative_to(folder) for path in folder.rglob("*.md")} - pages.keys()


def test_links_lead_to_pages_and_pictures_of_the_site(pages: dict[Path, str]) -> None:
    links = [
        (place, Path(os.path.normpath(place.parent / match["path"])))
        for place, text in pages.items()
        for match in site.LINK.finditer(re.sub(r"^(`{3,}).*?^\1$|`[^`]*`", "", text, flags=re.MULTILINE | re.DOTALL))
    ]

    assert len(links) > 500
    assert [] == [
        (place, target)
        for place, target in links
        if target not in pages and not (docs.ROOT / "docs" / target).is_file()
    ]


def test_the_page_of_a_problem_shows_what_validate_prints(pages: dict[Path, str]) -> None:
    shown = [id_ for id_, rule in RULES.items() if rule.example]

    assert [] == [id_ for id_ in shown if f"[{id_}]\n" not in pages[Path(f"problems/{id_}.md")]]


def test_text_with_a_meaning_in_markdown_is_shown_as_it_is(pages: dict[Path, str]) -> None:
    text = pages[Path("problems/DS366.md")]

    assert '&#91;python, train.py, "&#38;&#38;", echo, done&#93;' in text
    assert "|" not in text.partition("A values file")[0]


def test_a_file_outside_the_documentation_is_a_page(pages: dict[Path, str]) -> None:
    preset = (docs.ROOT / "values-examples" / "minimal.yaml").read_text()

    assert (
        f"# values-examples/minimal.yaml\n\n````yaml\n{preset}````\n"
        in pages[Path("files/values-examples/minimal.yaml.md")]
    )
    assert "[A first training on a laptop](first-training.md)" in pages[Path("index.md")]


def test_ids_lead_to_their_pages(pages: dict[Path, str]) -> None:
    assert "([DS381](problems/DS381.md))" in pages[Path("jobs.md")]
    assert "[DS3" not in re.sub(r"\[DS\d+\]\(\.\./problems/", "", pages[Path("files/CHANGELOG.md")])
