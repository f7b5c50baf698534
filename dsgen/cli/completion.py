"""`dsgen completion`: print the completion script of a shell; and the completions of arguments and options.

What completions need is imported late, because the modules of all commands import this one.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import click

from dsgen.cli._console import write
from dsgen.errors import EXIT_OK

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DSGEN_COMPLETE"
"""If this variable is set, dsgen prints completions; click derives its name from that of the program."""


OPEN = {
    "bash": (
        "            COMPREPLY+=($value)\n",
        "            COMPREPLY+=($value)\n            [[ $value != *[=.] ]] || compopt -o nospace\n",
    ),
    "zsh": (
        "completions_with_descriptions -U\n",
        "completions_with_descriptions -U ${${(M)response:#*[=.]}:+-S} ${${(M)response:#*[=.]}:+''}\n",
    ),
}
"""Replacements in click's scripts, so that no space follows an incomplete word; fish needs none."""


@click.command("completion")
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script that lets bash, zsh or fish complete dsgen.

    It completes commands, options and their values, files and folders, presets, the keys of `--set`, the keys, ids
    and reasons of `dsgen explain`, and the topics of `dsgen help`. The script asks the installed dsgen, so an upgrade
    of dsgen needs no new script. bash must be 4.4 or later. For zsh, add `source ~/.config/dsgen.zsh` to ~/.zshrc,
    after compinit.

    \b
    Examples:
      dsgen completion bash > ~/.local/share/bash-completion/completions/dsgen
      dsgen completion zsh > ~/.config/dsgen.zsh
      dsgen completion fish > ~/.config/fish/completions/dsgen.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind, "click supports these three shells"
    source = kind(click.get_current_context().find_root().command, {}, "dsgen", VARIABLE).source()
    old, new = OPEN.get(shell, ("", ""))
    assert old in source, "the script of click has changed"
    write(source.replace(old, new))
    return EXIT_OK


# click calls completions with the context, the parameter and the typed text.


def _make_item(word: str, **rest: str) -> Any:
    from click.shell_completion import CompletionItem

    return CompletionItem(word, **rest)


def _leave_to_shell(kind: str, _: Any, __: Any, typed: str) -> list[Any]:
    """Completion of files or folders by the shell itself."""
    return [_make_item(typed, type=kind)]


def _complete(words: Callable[[str], Iterable[tuple[str, str]]], _: Any, __: Any, typed: str) -> list[Any]:
    """Completion from words with help texts: those that begin with the typed text."""
    return [_make_item(word, help=text) for word, text in words(typed) if word.startswith(typed)]


def _list_presets(_: str) -> Iterable[tuple[str, str]]:
    from dsgen import shipped

    return ((name, shipped.read_preset_summary(name)) for name in shipped.list_presets())


def _list_explained(typed: str) -> Iterable[tuple[str, str]]:
    """Ids and reasons after a capital letter; otherwise the keys one level below the typed path."""
    from dsgen import schema
    from dsgen.cluster.reasons import list_reasons
    from dsgen.reports import RULES

    if typed[:1].isupper():
        yield from ((id_, rule.title) for id_, rule in RULES.items())
        yield from ((reason, "") for reason in list_reasons())
    depth = typed.count(".") + (2 if typed else 1)
    for path, rule in schema.walk_keys():
        if len(path) <= depth:
            yield ".".join("NAME" if part == "*" else part for part in path), str(rule.get("description", ""))


def _list_assigned(typed: str) -> Iterable[tuple[str, str]]:
    """For --set: `workers.` for a map, `workers.replicas=` for a value, and its possible values."""
    from dsgen import schema

    key, sign, _ = typed.partition("=")
    *above, _ = parts = key.split(".")
    for path, rule in schema.walk_keys():
        names = [given if name == "*" else name for given, name in zip(above, path[:-1], strict=False)]
        if len(path) != len(parts) or path[-1] == "*" or names != above:
            continue
        text, types = str(rule.get("description", "")), schema.list_types(rule)
        name = ".".join((*above, path[-1]))
        if not sign:
            yield f"{name}{'.' if 'object' in types else '='}", text
        elif name == key:
            words = rule.get("enum", ("true", "false") if "boolean" in types else ())
            yield from ((f"{name}={word}", text) for word in words)


def _list_topics(_: str) -> Iterable[tuple[str, str]]:
    from dsgen import shipped
    from dsgen.cli import COMMANDS

    yield from COMMANDS.items()
    yield from ((name, shipped.read_page_title(name)) for name in shipped.list_pages())


files, folders = functools.partial(_leave_to_shell, "file"), functools.partial(_leave_to_shell, "dir")
presets, explained = functools.partial(_complete, _list_presets), functools.partial(_complete, _list_explained)
topics, assigned = functools.partial(_complete, _list_topics), functools.partial(_complete, _list_assigned)
