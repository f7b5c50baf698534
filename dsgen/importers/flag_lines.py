"""Command lines that submit a job to another system: their words, and what becomes of each flag by a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Action, Option, Row, lose
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.reader import list_arguments
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.shell.substitutions import substitute_command
from dsgen.importers.shell.syntax import Script, parse, walk_nodes
from dsgen.importers.texts import Text
from dsgen.reading.nodes import SourceText

PROMPT = re.compile("^\\s*(?:[$#%>\u276f\u279c]+\\s+|\u279c\\s*)(?=\\w)")


UNKNOWN = lose("dsgen knows no equivalent of this flag")


def join_lines(source: SourceText) -> str:
    """The text of a pasted line, as long as the source: without its prompt, its lines joined where a shell needs it."""
    lines = source.text.split("\n")
    joined, quote = list[str](), ""
    for number, line in enumerate(lines):
        match = PROMPT.match(line)
        line = " " * match.end() + line[match.end() :] if match else line
        follows = number + 1 < len(lines) and re.match(r"\s*(-|\"|')", lines[number + 1])
        quote = _find_open_quote(line, quote)
        is_end = quote or not follows or line.rstrip().endswith("\\") or not line.strip()
        joined.append(line + ("\n" if is_end else " "))
    return "".join(joined)[: len(source.text)]


def _find_open_quote(line: str, quote: str) -> str:
    """The quote that is open at the end of a line."""
    escaped = False
    for char in line:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote and char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
    return quote


def find_command(conversion: Conversion, text: Text, program: str) -> list[Text]:
    """The words of the one command of a program in a text. Raises ImportRefusedError if there is none, or several."""
    script = parse(text, conversion.atlas)
    scope = ShellScope(conversion.atlas, given=conversion.read_variables())
    found = []
    for node in walk_nodes(script.root):
        if node.type == "command":
            words = _make_expansion(script, scope).expand_words(list_arguments(node))
            if words and words[0].chars.rpartition("/")[2] == program:
                found.append(words)
    at = conversion.atlas.resolve_place(text.places[0])
    if not found:
        raise ImportRefusedError(f"there is no command {program}", at)
    if len(found) > 1:
        other = conversion.atlas.locate(found[1][0]) or at
        raise ImportRefusedError(f"there are several commands {program}", other, "import them one by one")
    return found[0]


def _make_expansion(script: Script, scope: ShellScope) -> Expansion:
    expansion = Expansion(script, scope, lambda node, _: substitute_command(node, expansion, None))
    return expansion


def read_options(conversion: Conversion, words: Sequence[Text], table: Mapping[str, Action]) -> list[Text]:
    """Do with each option of a line what the table says; one that it does not name is lost. Returns the other words."""
    rest, others = list(words), list[Text]()
    while rest:
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        if not word.chars.startswith("-") or word.chars in ("-", "--"):
            others.append(word)
            continue
        bare, parts = name.chars.lstrip("-"), [word]
        row = table.get(bare, UNKNOWN)
        if not has_value and (not isinstance(row, Row) or row.values) and rest and not rest[0].chars.startswith("--"):
            value = rest.pop(0)
            parts.append(value)
        option = Option(conversion, bare, parts, value if has_value or len(parts) > 1 else Text())
        row(option)
    return others
