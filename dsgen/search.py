"""Searches keys, ids of problems, reasons, presets and pages, for `dsgen explain --search`."""

from collections.abc import Iterator
from typing import NamedTuple

from dsgen import pages, presets, schema
from dsgen.cluster.reasons import explain_reason, list_reasons
from dsgen.rules import RULES


class Entry(NamedTuple):
    """Something to search. text: searched in addition to the name; line: shown after the name."""

    heading: str
    name: str
    text: str
    line: str


REFERENCES = {"options", "commands", "causes"}
"""Pages whose content has entries of its own."""
MOST_PAGES = 5


def matches(words: str) -> Iterator[str]:
    """The entries that contain all of these words, ignoring case, as lines below headings."""
    wanted = words.lower().split()
    entries = [one for one in _entries() if all(word in f"{one.name} {one.text}".lower() for word in wanted)]
    entries += _pages(wanted)
    width = max((len(one.name) for one in entries), default=0) + 2
    heading = ""
    for one in entries:
        if one.heading != heading:
            yield from ([""] if heading else [])
            yield (heading := one.heading)
        yield f"  {one.name:<{width}}{one.line}"


def _entries() -> Iterator[Entry]:
    for path, rule in schema.records():
        name, text = ".".join("NAME" if part == "*" else part for part in path), str(rule.get("description", ""))
        yield Entry("Keys, for dsgen explain KEY:", name, text, _sentence(text))
    for one in RULES.values():
        yield Entry("Problems, for dsgen explain ID:", one.id, f"{one.title} {one.when} {one.remedy}", one.title)
    for reason in list_reasons():
        lines = explain_reason(reason)[2:]
        yield Entry("Reasons of a run's phase, for dsgen explain REASON:", reason, " ".join(lines), _sentence(lines[0]))
    for name in presets.names():
        summary = presets.summary(name)
        yield Entry("Presets, for dsgen init --preset NAME:", name, summary, summary)


def _pages(wanted: list[str]) -> Iterator[Entry]:
    """The pages that contain all words, at most a few: those that have them in the title, then most often."""
    found = []
    for name in pages.names():
        title, text = pages.title(name), pages.text(name).lower()
        if name not in REFERENCES and all(word in text for word in wanted):
            in_title = sum(word in f"{name} {title}".lower() for word in wanted)
            found.append(
                (-in_title, -sum(map(text.count, wanted)), Entry("Pages, for dsgen help PAGE:", name, "", title))
            )
    yield from (one for *_, one in sorted(found)[:MOST_PAGES])


def _sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")
