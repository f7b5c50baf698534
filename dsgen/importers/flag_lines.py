"""Command lines that submit a job to another system: their words, and what becomes of each flag by a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dsgen.importers.conversion import Conversion
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.reader import list_arguments
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.shell.substitutions import substitute_command
from dsgen.importers.shell.syntax import Script, parse, walk_nodes
from dsgen.importers.texts import Text
from dsgen.reading.nodes import SourceText

PROMPT = re.compile("^\\s*(?:[$#%>\u276f\u279c]+\\s+|\u279c\\s*)(?=\\w)")


@dataclass(frozen=True)
class Flag:
    """One flag of a line: its name without dashes, the words of it, and its value (empty for a switch)."""

    name: str
    words: list[Text]
    value: Text


ConvertPart = Callable[[Conversion, Flag], None]


@dataclass(frozen=True)
class FlagRow:
    """What becomes of a flag. is_switch: it has no value in the next word."""

    convert_part: ConvertPart
    is_switch: bool = False


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


def read_flags(words: list[Text], table: Mapping[str, FlagRow]) -> Iterator[Flag]:
    """The flags of a line, and its other words as flags without a name."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        if not word.chars.startswith("-") or word.chars in ("-", "--"):
            yield Flag("", [word], word)
            continue
        row = table.get(name.chars.lstrip("-"))
        parts = [word]
        takes = row is None or not row.is_switch
        if not has_value and takes and rest and not rest[0].chars.startswith("--"):
            value = rest.pop(0)
            parts.append(value)
        yield Flag(name.chars.lstrip("-"), parts, value if has_value or len(parts) > 1 else Text())


def write_flag(conversion: Conversion, flag: Flag, table: Mapping[str, FlagRow]) -> None:
    """Do what the table says about a flag; one that it does not name is lost."""
    row = table.get(flag.name)
    if row is None:
        for word in flag.words:
            conversion.lose(word, "dsgen knows no equivalent of this flag")
    else:
        row.convert_part(conversion, flag)


def to(key: str, read: Callable[[str], object | None] = lambda text: text or None) -> FlagRow:
    """The value of a key."""

    def convert_part(conversion: Conversion, flag: Flag) -> None:
        value = read(conversion.atlas.format_text(flag.value)) if flag.value.is_known else None
        if value is None:
            for word in flag.words:
                conversion.lose(word, "its value cannot be used", f"set {key}")
            return
        name = conversion.draft.set(key, value)
        for word in flag.words:
            conversion.map(word, name)

    return FlagRow(convert_part)


def drop(why: str, is_switch: bool = False) -> FlagRow:
    """dsgen does it itself."""

    def convert_part(conversion: Conversion, flag: Flag) -> None:
        for word in flag.words:
            conversion.drop(word, why)

    return FlagRow(convert_part, is_switch)


def lose(why: str, hint: str = "", is_switch: bool = False) -> FlagRow:
    """There is no equivalent."""

    def convert_part(conversion: Conversion, flag: Flag) -> None:
        for word in flag.words:
            conversion.lose(word, why, hint)

    return FlagRow(convert_part, is_switch)


def map_flag(conversion: Conversion, flag: Flag, to_key: str) -> None:
    """The words of a flag became a key."""
    for word in flag.words:
        conversion.map(word, to_key)


def as_count(text: str) -> int | None:
    """A whole number of at least 1."""
    return int(text) if re.fullmatch("[1-9][0-9]{0,5}", text) else None
