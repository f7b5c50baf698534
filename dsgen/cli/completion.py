"""`dsgen completion`: print the completion script of a shell."""

import click
from click.shell_completion import get_completion_class

from dsgen.cli._printed import emit
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
    kind = get_completion_class(shell)
    assert kind, "click supports these three shells"
    source = kind(click.get_current_context().find_root().command, {}, "dsgen", VARIABLE).source()
    old, new = OPEN.get(shell, ("", ""))
    assert old in source, "the script of click has changed"
    emit(source.replace(old, new))
    return EXIT_OK
