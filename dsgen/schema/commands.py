"""Commands as lists: the words of a command line, or a shell that reads it, in the form that hints use.

dsgen runs a list of words without a shell, like the kernel; `&&`, `$NAME` and the like would be ordinary arguments.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dsgen.language.functions import read_json
from dsgen.language.text import format_item

SHELL = "(.* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c "
"""Words that start a shell with a script, up to the script."""
_LITERAL = r"'[^']*'|\\."
_QUOTED = rf'{_LITERAL}|"[^"]*"'
_EXPANDED = r"[$][A-Za-z_{(]|`"
_SYNTAX = r"[|<>*]|&&|&(\s|$)|;(\s|$)|(^|\s)~/|\S[^\S\n]*\n\s*[^\s-]"
_STARTS_SHELL = r"[A-Za-z_]\w*=|(cd|source|export|ulimit|eval|exec|set|module|[.]) "
_OPERATOR = r"&&|\|\|?|;|&|<|&?>>?\S*|\d>\S*|>&\d"
_PARENTHESES = r"[$][(]([A-Z][A-Z0-9_]*)[)](?=(\w?))"
_VARIABLE = r"[$][({]?[A-Z]"
_NEEDS_QUOTES = r"[\s|&;<>*?()\"'`~#]"
_PIPE = r"(?<![|>])[|](?![|])"
_END = r"\s*(&&|[|;<\n]|\d?>|&|$)"
_PREPARES = r"\s*(cd|source|export|ulimit|set|module|mkdir|echo|pip|[.]) [^|;<>&\n]*(&&|[;\n])"


class Wrapper(NamedTuple):
    """What a program that starts another one takes before it.

    valued: its options that take a value in the next word. skipped: words after the options and before the program.
    verbs: the words after its name, such as exec of `singularity exec`. asks: options with which it starts nothing.
    """

    valued: frozenset[str] = frozenset()
    skipped: int = 0
    verbs: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


def make_wrappers(names: str, valued: str = "", **fields: Any) -> dict[str, Wrapper]:
    """The same wrapper for each of the names, which are separated by spaces, as `valued` is."""
    return dict.fromkeys(names.split(), Wrapper(frozenset(valued.split()), **fields))


_OF_NUMACTL = "-i --interleave -p --preferred -m --membind -N --cpunodebind -C --physcpubind -w --weighted-interleave"
WRAPPERS: Mapping[str, Wrapper] = {
    **make_wrappers("nohup setsid builtin eval tini dumb-init"),
    **make_wrappers("command", asks=("-v", "-V")),
    **make_wrappers("exec", "-a"),
    **make_wrappers("time", "-f -o --format --output"),
    **make_wrappers("nice", "-n --adjustment"),
    **make_wrappers("ionice", "-c -n --class --classdata"),
    **make_wrappers("stdbuf", "-i -o -e --input --output --error"),
    **make_wrappers("env", "-u -C --unset --chdir"),
    **make_wrappers("sudo", "-u -g -h -p -C -D -R -T -r -t -U --user --group --host --prompt --chdir --role"),
    **make_wrappers("gosu su-exec taskset chrt", skipped=1),
    **make_wrappers("timeout", "-s -k --signal --kill-after", skipped=1),
    **make_wrappers("numactl", _OF_NUMACTL),
    **make_wrappers("xargs", "-I -n -P -L -a -d -s -E"),
    **make_wrappers("strace", "-o -e -p -s -a -b -E -I -O -S -u"),
    **make_wrappers("nsys", "-o -t -s -c -x -w -f -y -d -n -e -b --output --trace", verbs=("profile", "launch")),
    **make_wrappers("ncu", "-o -k -c -s --export --kernel-name --launch-count --launch-skip --set --section"),
    **make_wrappers("py-spy", "-o -r -d -f --output --rate --duration --format", verbs=("record",)),
    **{
        name: Wrapper(frozenset(row["valued"]), row["skipped"], tuple(row["verbs"]))
        for names, row in read_json("scripts/slurm/rules.json")["wrappers"].items()
        for name in names.split()
    },
    **make_wrappers(
        "uv poetry pipenv pixi hatch", "--extra --group --python -p --with --project --directory --env-file --index -C"
        " -e --environment --manifest-path", verbs=("run",)),
}  # fmt: skip
"""Programs whose arguments are another program with its arguments."""
_MOST_PROGRAMS, _MOST_LEVELS, _LONGEST_SCRIPT = 1000, 10, 100_000
"""How many programs of a command are found, one started by another, and in how many characters."""
ALL_FURTHER = '"$@"'
"""What follows the script, in a script."""


def needs_shell(line: str) -> bool:
    """Whether only a shell runs this command line as it is meant: with variables, several commands, pipes or files."""
    line = _join(line)
    if re.match(_STARTS_SHELL, line) or re.search(_EXPANDED, _mask(_LITERAL, line)):
        return True
    return re.search(_SYNTAX, _mask(_QUOTED, line)) is not None


def split_words(line: str) -> list[str]:
    """The words of a command line, split as by a shell; the whole line if a quote is not closed."""
    try:
        words = shlex.split(_join(line))
    except ValueError:
        words = [line]
    return words or [line]


def format_command(line: str) -> str:
    """A command line as a YAML list: its words, or a shell that reads the line."""
    words = split_words(line)
    return wrap_in_shell(_join(line)) if needs_shell(line) and not is_shell(words) else format_list(words)


def is_shell(words: Sequence[str]) -> bool:
    """Whether the words start a shell that reads a script from one of them."""
    return re.match(f"{SHELL}.", " ".join(words), re.DOTALL) is not None


def list_programs(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The programs that a command starts, each with its arguments: also those in the script of a shell."""
    return itertools.islice(_walk_programs(words, 1), _MOST_PROGRAMS)


def _walk_programs(words: Sequence[str], level: int) -> Iterator[Sequence[str]]:
    yield words
    if level == _MOST_LEVELS:
        return
    if words and is_shell([*words[:-1], "x"]) and len(words) > 2:
        from dsgen.schema.scripts import read_commands  # imported late: few commands start a shell

        for command in read_commands(_join(words[-1][:_LONGEST_SCRIPT])):
            yield from _walk_programs(command.words, level + 1)
    elif words and (wrapper := WRAPPERS.get(words[0].rpartition("/")[2])):
        count = count_wrapper_words(wrapper, words)
        if 0 < count < len(words):
            yield from _walk_programs(words[count:], level + 1)


def count_wrapper_words(wrapper: Wrapper, words: Sequence[str]) -> int:
    """How many words stand before the program that a wrapper starts, its own name included; 0 if it starts nothing."""
    verbs = (index for index, word in enumerate(words[:4]) if index and word in wrapper.verbs)
    index = next(verbs, 0) + 1 if wrapper.verbs else 1
    if wrapper.verbs and index == 1:
        return 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        word = words[index]
        if word in wrapper.asks:
            return 0
        index += 1
        if word == "--":
            break
        if word in wrapper.valued:
            index += 1
    while index < len(words) and re.match(r"[A-Za-z_]\w*=", words[index]):
        index += 1
    return min(index + wrapper.skipped, len(words))


def wrap_in_shell(script: str) -> str:
    """A YAML list with a shell that runs a script; if there is a pipe, it fails if any of its programs fails."""
    options = ["-o", "pipefail"] if re.search(_PIPE, _mask(_QUOTED, script)) else []
    return format_list(["bash", *options, "-c", script, *(["bash"] if ALL_FURTHER in script else [])])


def format_list(words: Iterable[str]) -> str:
    return f"[{', '.join(map(format_item, words))}]"


def join_script(words: Sequence[str], further: bool) -> str:
    """The line for a shell that does what the words mean; further: it also passes on what follows the script.

    The kubelet's $(NAME) becomes $NAME, which a shell replaces by the value.
    """
    parts = [word if re.fullmatch(_OPERATOR, word) or word.endswith(";") else _quote_for_shell(word) for word in words]
    if len(words) == 1:
        parts = [replace_variables(words[0])]  # a whole command line
    script = " ".join(parts)
    return pass_further(script) if further else script


def pass_further(script: str) -> str:
    """A script whose first program, after commands that prepare it, gets what follows the script."""
    masked, start = _mask(_QUOTED, script), 0
    while match := re.match(_PREPARES, masked[start:]):
        start += match.end()
    end = re.search(_END, masked[start:])
    at = start + end.start() if end else len(script)
    return f"{script[:at]} {ALL_FURTHER}{script[at:]}"


def replace_variables(script: str) -> str:
    """A script in which $(NAME), which a shell would run as a command, is $NAME."""
    return re.sub(_PARENTHESES, lambda match: f"${{{match[1]}}}" if match[2] else f"${match[1]}", script)


def find_name(script: str) -> str:
    """The first $(NAME) of a script, and what to write in its place."""
    match = re.search(_PARENTHESES, script)
    return f"write {replace_variables(match[0])} in place of {match[0]}" if match else ""


def _quote_for_shell(word: str) -> str:
    word = replace_variables(word)
    if not re.search(_VARIABLE, word):
        return shlex.quote(word) if not re.match(r"[A-Za-z_]\w*=[\w./:,@%+-]*$", word) else word
    if not re.search(_NEEDS_QUOTES, word):
        return word
    return '"' + re.sub(r'(["\\`])', r"\\\1", word) + '"'


def _mask(pattern: str, line: str) -> str:
    """A line of the same length in which quoted parts have no syntax."""
    return re.sub(pattern, lambda match: "x" * len(match[0]), line, flags=re.DOTALL)


def _join(line: str) -> str:
    """A command line without line ends that do not end a command: after a backslash, or before an option."""
    return re.sub(r"\\\n|(?<=\S)[^\S\n]*\n\s*(?=-)", " ", line).strip()
