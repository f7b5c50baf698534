"""Writes build/docs, the Markdown of the site (`make docs`): docs/, the README, and pages that GitHub's view needs not.

A link to a file outside docs/ leads to a page with this file, so the site is complete without the repository. Each
problem and each reason has a page, with the text of `dsgen explain`.
"""

import os
import re
import shutil
import textwrap
from pathlib import Path

from dsgen import api, explain
from dsgen.cluster.reasons import explain_reason, list_reasons
from dsgen.reports import RULES
from tools import checks, docs

ROOT = Path(__file__).parent.parent
SITE = ROOT / "build" / "docs"
FILES = Path("files")
"""Where the pages of files outside docs/ are."""
LINK = re.compile(r"\[(?P<words>[^][]*)\]\((?P<path>[^()#\s:]+)(?P<anchor>#[^()\s]*)?\)")
ID = re.compile(r"^```.*?^```|`[^`]*`|\[[^][]*\]\([^)]*\)|\b(?P<id>DS[0-9]{3})\b", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- file (\S+) -->\n```(\w+)$", re.MULTILINE)
LATER = "---\nsearch: {boost: 0.5}\n---\n\n"
"""For pages that a search shows below those with the same words."""
KEYS = Path("options.md")
STACKED = """

<style>
@media (max-width: 60em) {
  .md-typeset :is(table:not([class]), tbody, tr, td), .md-typeset__table { display: block }
  .md-typeset thead { display: none }
  .md-typeset table:not([class]) td { border: 0; padding: 0.2em 1em }
  .md-typeset table:not([class]) td:first-child { border-top: 1px solid; font-weight: bold }
}
</style>

"""
"""On a phone, the cells of a key of the values stand below each other."""
LANGUAGES = {"": "text", ".cfg": "ini", ".yml": "yaml", ".md": "markdown", ".py": "python"}


def pages() -> dict[Path, str]:
    """Path in the site -> Markdown, of all pages."""
    found = {**_problems(), **_reasons(), **_written()}
    return found | {KEYS: found[KEYS].replace("\n\n", STACKED, 1)}


def _written() -> dict[Path, str]:
    """README.md, the pages of docs/, and whatever they link to."""
    found: dict[Path, str] = {}
    waiting = [Path("README.md"), *(path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md")))]
    while waiting:
        source = waiting.pop()
        if (place := _place(source)) not in found:
            found[place] = _text(source)
            waiting += (target for target in _targets(source, found[place]) if target.suffix != ".svg")
            found[place] = _with_problems(_linked(source, found[place], place), place)
    return found


def _place(source: Path) -> Path:
    """Where a file or folder of the repository is in the site."""
    if source == Path("README.md"):
        return Path("index.md")
    if source.parts[0] == "docs":
        return Path(*source.parts[1:]) if source.suffix else Path(*source.parts[1:], "README.md")
    parts = [part.lstrip(".") for part in source.parts]  # no server need show hidden files
    if (ROOT / source).is_dir():
        return Path(FILES, *parts, "README.md")
    return Path(FILES, *parts) if source.suffix == ".md" else Path(FILES, *parts[:-1], f"{parts[-1]}.md")


def _text(source: Path) -> str:
    path = ROOT / source
    if path.is_dir():
        lines = [f"- [{each.name}]({each.name})" for each in sorted(path.iterdir()) if each.is_file()]
        return "\n".join([f"# {source.as_posix()}", "", *lines, ""])
    text = path.read_text(encoding="utf-8")
    if source.suffix == ".md":
        return FILE.sub(r'```\2 title="\1"', text)
    language = LANGUAGES.get(source.suffix, source.suffix.removeprefix("."))
    return f"{LATER}# {source.as_posix()}\n\n````{language}\n{text}````\n"


def _targets(source: Path, text: str) -> list[Path]:
    """The files and folders of the repository to which a page links."""
    return [target for match in LINK.finditer(text) if (target := _target(source, match["path"]))]


def _target(source: Path, link: str) -> Path | None:
    """A linked file of the repository; None for any other text that looks like a link."""
    folder = ROOT / source if (ROOT / source).is_dir() else (ROOT / source).parent
    path = (folder / link).resolve()
    return path.relative_to(ROOT) if path.exists() and path.is_relative_to(ROOT) else None


def _linked(source: Path, text: str, here: Path) -> str:
    """A text of a file as a page of the site at `here`: its links lead to pages, and say their titles."""

    def link(match: re.Match[str]) -> str:
        target = _target(source, match["path"])
        if not target:
            return match[0]
        words = _title(target) if match["words"] == match["path"] and target.suffix == ".md" else match["words"]
        return f"[{words}]({_way(here, _place(target))}{match['anchor'] or ''})"

    return LINK.sub(link, text)


def _way(here: Path, there: Path) -> str:
    """The link from a page of the site to another."""
    return Path(os.path.relpath(there, here.parent)).as_posix()


def _with_problems(text: str, here: Path) -> str:
    """A page whose ids of problems are links to their pages, except in code and in other links."""

    def link(match: re.Match[str]) -> str:
        if match["id"] not in RULES:
            return match[0]
        return f"[{match['id']}]({_way(here, Path('problems', match['id'] + '.md'))})"

    return ID.sub(link, text)


def _title(page: Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


# ---- what dsgen explain says ----


def _problems() -> dict[Path, str]:
    known = checks.list_severities()
    rows = [
        f"| [{rule.id}]({rule.id}.md) | {_plain(rule.title)} | {words} | {'yes' if in_chart else ''} |\n"
        for rule in RULES.values()
        for words, in_chart in [known.get(rule.id, ("", False))]
    ]
    head = "| id | title | | in the chart |\n|---|---|---|---|\n"
    index = "".join(["# Problems\n\nEach is also explained by `dsgen explain ID`.\n\n", head, *rows])
    return {Path("problems/README.md"): index} | {Path(f"problems/{id_}.md"): _problem(id_) for id_ in RULES}


def _problem(id_: str) -> str:
    """The page of a problem: its text has an example in an indented block."""
    heading, *paragraphs = explain.explain_word(id_).rstrip("\n").split("\n\n")
    body = [_fenced(each) if each.startswith("    ") else _plain(each) for each in paragraphs]
    command = f"The same in a terminal: `dsgen explain {id_}`."
    return "\n\n".join([f"# {_plain(heading)}", *body, *_said(RULES[id_].example), command, ""])


def _said(example: str) -> list[str]:
    """What `dsgen validate` says about a values file; nothing without one."""
    if not example:
        return []
    job = api.load(api.SourceText("values.yaml", example))
    return ["What `dsgen validate` says:", f"```text\n{api.as_text(api.validate(job), job.sources)}```"]


def _fenced(block: str) -> str:
    return f"```yaml\n{textwrap.dedent(block)}\n```"


def _reasons() -> dict[Path, str]:
    rows = "".join(f"- [{name}]({name}.md)\n" for name in list_reasons())
    index = f"# Reasons\n\nOf the phase of a run, in its record or from `dsgen why`.\n\n{rows}"
    pages = {Path(f"reasons/{name}.md"): _reason(name) for name in list_reasons()}
    written = Path("docs/causes.md")  # its table has the same texts
    return {place: _linked(written, text, place) for place, text in pages.items()} | {Path("reasons/README.md"): index}


def _reason(name: str) -> str:
    lines = map(_prose, explain_reason(name)[2:])
    command = f"The same in a terminal: `dsgen explain {name}`."
    return "\n".join([f"# {name}", "", *(f"{line}\n" for line in lines), command, ""])


def _plain(text: str) -> str:
    """Text as Markdown that shows it as it is, except code in backticks: characters become entities of HTML."""
    return _escaped(text, r"[&<>\\*_\[\]|#]")


def _prose(line: str) -> str:
    """The same for a line that may have links."""
    return _escaped(line, "[&<>*_|]")


def _escaped(text: str, characters: str) -> str:
    def shown(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith("`") else f"&#{ord(match[0])};"

    return re.sub(f"`[^`]*`|{characters}", shown, text)


# ---- the folder ----


def main() -> None:
    """Write build/docs anew."""
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "pictures", SITE / "pictures")
    shutil.copy(ROOT / "docs" / "site.css", SITE)
    for place, text in pages().items():
        docs.write(SITE / place, text)


if __name__ == "__main__":
    main()
