"""`dsgen completion`: the script with which a shell completes dsgen's command lines."""

import click
from click.shell_completion import get_completion_class

from dsgen.cli._printed import emit
from dsgen.errors import EXIT_OK

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DSGEN_COMPLETE"
"""In the environment it makes dsgen answer a shell; click derives the name from the program's."""


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
"""What is changed in the script of click, so that no blank follows a word that goes on; fish knows such words."""


@click.command("completion")
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script that lets bash, zsh or fish complete dsgen.

    Completed are commands, options and their values, files and folders, presets, the keys of `--set`, the keys, ids
    and reasons of `dsgen explain`, and the topics of `dsgen help`. The script asks the installed dsgen, so it stays
    right when dsgen is upgraded. bash must be 4.4 or later. For zsh, write `source ~/.config/dsgen.zsh` into ~/.zshrc,
    after compinit.

    \b
    Examples:
      dsgen completion bash > ~/.local/share/bash-completion/completions/dsgen
      dsgen completion zsh > ~/.config/dsgen.zsh
      dsgen completion fish > ~/.config/fish/completions/dsgen.fish
    """
    kind = get_completion_class(shell)
    assert kind, "click knows these three"
    source = kind(click.get_current_context().find_root().command, {}, "dsgen", VARIABLE).source()
    old, new = OPEN.get(shell, ("", ""))
    assert old in source, "the script of click is another one"
    emit(source.replace(old, new))
    return EXIT_OK
