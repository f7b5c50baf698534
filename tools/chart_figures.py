"""Prints how the templates of the chart read: actions for each line, long lines, and contexts that are written out.

    python -m tools.chart_figures

An action is `{{ ... }}` except a comment; a line is one that is not empty. Well-kept charts have 0.46 actions for each
line of object templates, and about 0.60 for helpers; a statement that refuses values adds three. A message is one line.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tools.docs import ROOT

TEMPLATES = ROOT / "charts" / "deepspeed-job" / "templates"
LONGEST = 130
_ACTION = re.compile(r"\{\{-?\s*(?!-?\s*/\*).*?\}\}", re.DOTALL)
_WRITTEN_OUT = re.compile(r'\(dict\s+"(?:Values|Release)"')
_CONSTANT = re.compile(r'\{\{-? *(?:"[^"]*"|`[^`]*`|[0-9]+) *-?\}\}')


@dataclass(frozen=True)
class Figures:
    """Of some files. long: the lines that are too long. written_out: maps of Values and arguments. constants: actions
    that print a constant.
    """

    files: int
    lines: int
    actions: int
    long: int
    written_out: int
    constants: int

    @property
    def density(self) -> float:
        """Actions for each line."""
        return self.actions / self.lines


def kind(path: Path) -> str:
    """What a file of the templates has: objects, helpers, or the notes."""
    return {".yaml": "objects", ".tpl": "helpers"}.get(path.suffix, "notes")


def figures(kind_: str) -> Figures:
    """The figures of all files of a kind."""
    texts = [path.read_text() for path in sorted(TEMPLATES.rglob("*.*")) if path.is_file() and kind(path) == kind_]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    return Figures(
        len(texts),
        len(lines),
        sum(len(_ACTION.findall(text)) for text in texts),
        sum(len(line) > LONGEST for line in lines if line.startswith(("{{-", " "))),
        sum(len(_WRITTEN_OUT.findall(text)) for text in texts),
        sum(len(_CONSTANT.findall(text)) for text in texts),
    )


def main() -> None:
    """Print a line for each kind."""
    for name in ("objects", "helpers", "notes"):
        found = figures(name)
        print(
            f"{name:8} {found.files:3} files {found.lines:5} lines {found.density:.2f} actions for each line, "
            f"{found.long} lines over {LONGEST}, {found.written_out} contexts written out, {found.constants} constants"
        )


if __name__ == "__main__":
    main()
