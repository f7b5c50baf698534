"""`dsgen explain`: explain a key, the id of a problem, or a reason."""

import click

from dsgen import explain, search
from dsgen.cli import _completion
from dsgen.cli._printed import say
from dsgen.cluster import reasons
from dsgen.errors import EXIT_OK, UsageProblem


@click.command("explain")
@click.argument("word", metavar="[KEY|ID|REASON]", default="", shell_complete=_completion.explained)
@click.option("--search", "words", metavar="WORDS", help="List the keys, ids, reasons and presets with these words.")
def command(word: str, words: str | None) -> int:
    """Explain a key, the id of a problem, or a reason.

    A key is written with dots, as in messages and in the option reference, with any word for a name that you choose,
    and [0] for the items of a list. Without an argument, the keys at the top are listed. Any other word is searched
    for.

    \b
    Examples:
      dsgen explain workers.slots
      dsgen explain storage.NAME.mountPath
      dsgen explain workers.tolerations
      dsgen explain DS204
      dsgen explain WorkersLost
      dsgen explain --search memory
    """
    if words is not None:
        say(_searched(word, words))
    elif word in reasons.known():
        say(reasons.explained(word))
    else:
        say(_explained(word))
    return EXIT_OK


def _searched(word: str, words: str) -> list[str]:
    if word or not words.strip():
        raise UsageProblem("--search needs words, and no KEY, ID or REASON")
    if lines := [*search.matches(words)]:
        return lines
    raise UsageProblem(f"no key, id, reason or preset has {words}")


def _explained(word: str) -> list[str]:
    """The description of a key, an id or a reason; for any other word without dots, the results of a search."""
    try:
        return explain.of(word).removesuffix("\n").split("\n")
    except UsageProblem as problem:
        lines = [*search.matches(word)] if word.isalpha() else []
        if not lines:
            raise
        return [*problem.lines, f"What dsgen explain --search {word} finds:", "", *lines]
