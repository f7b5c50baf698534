"""`dsgen explain`: one key, one kind of problem, or one reason of a run's phase."""

import click

from dsgen import explain
from dsgen.cli import _completion
from dsgen.cli._printed import say
from dsgen.cluster import reasons
from dsgen.errors import EXIT_OK


@click.command("explain")
@click.argument("word", metavar="[KEY|ID|REASON]", default="", shell_complete=_completion.explained)
def command(word: str) -> int:
    """Explain a key, the id of a problem, or a reason.

    A key is written with dots, as in messages and in the option reference: any word stands for a name that you
    choose, [0] for the items of a list. Without an argument, the keys at the top are listed.

    \b
    Examples:
      dsgen explain workers.slots
      dsgen explain storage.NAME.mountPath
      dsgen explain workers.tolerations
      dsgen explain DS204
      dsgen explain WorkersLost
    """
    if word in reasons.known():
        say(reasons.explained(word))
        return EXIT_OK
    say(explain.of(word).removesuffix("\n").split("\n"))
    return EXIT_OK
