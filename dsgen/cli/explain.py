"""`dsgen explain`: explain a key, the id of a problem, or a reason."""

import click

from dsgen import explain
from dsgen.cli import completion
from dsgen.cli._console import echo
from dsgen.cluster.reasons import explain_reason, list_reasons
from dsgen.errors import EXIT_OK, UsageError
from dsgen.search import matches


@click.command("explain")
@click.argument("words", metavar="[KEY|ID|REASON]", nargs=-1, shell_complete=completion.explained)
@click.option(
    "--search", metavar="WORDS", help="List the keys, ids, reasons, presets and pages with all of these words."
)
def command(words: tuple[str, ...], search: str | None) -> int:
    """Explain a key, the id of a problem, or a reason.

    A key is written with dots, as in messages and in the option reference, with any word for a name that you choose,
    and [0] for the items of a list. Without an argument, the keys at the top are listed. Any other word, and
    several words, are searched for. The word import lists what `dsgen import` converts.

    \b
    Examples:
      dsgen explain workers.slots
      dsgen explain storage.NAME.mountPath
      dsgen explain workers.tolerations
      dsgen explain DS204
      dsgen explain WorkersLost
      dsgen explain import
      dsgen explain --search memory
    """
    if search is not None:
        echo(_found(" ".join((search, *words))))
    elif len(words) > 1:
        echo(_found(" ".join(words)))
    else:
        echo(_of_one("".join(words)))
    return EXIT_OK


def _found(words: str) -> list[str]:
    if not words.strip():
        raise UsageError("--search needs words")
    if lines := [*matches(words)]:
        return lines
    raise UsageError(f"no key, id, reason, preset or page has {words}")


def _of_one(word: str) -> list[str]:
    if word == "import":
        from dsgen.importers import origins  # imported late: only this word needs it

        return [*origins.explanation()]
    return [*explain_reason(word)] if word in list_reasons() else _explain(word)


def _explain(word: str) -> list[str]:
    """The description of a key, an id or a reason; for any other word without dots, the results of a search."""
    try:
        return explain.of(word).removesuffix("\n").split("\n")
    except UsageError as problem:
        lines = [*matches(word)] if word.isalpha() else []
        if not lines:
            raise
        return [*problem.lines, f"What dsgen explain --search {word} finds:", "", *lines]
