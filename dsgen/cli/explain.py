"""The commands that explain dsgen: `dsgen explain`, `help` and `schema`.

What only one of them needs is imported late.
"""

import click

from dsgen import shipped
from dsgen.cli import COMMANDS, completion
from dsgen.cli._console import echo, show_page, write
from dsgen.errors import EXIT_OK, UsageError
from dsgen.language.text import align
from dsgen.schema.suggestions import did_you_mean, find_closest


@click.command("explain")
@click.argument("words", metavar="[KEY|ID|REASON]", nargs=-1, shell_complete=completion.explained)
@click.option(
    "--search", metavar="WORDS", help="List the keys, ids, reasons, presets and pages with all of these words."
)
def explain_words(words: tuple[str, ...], search: str | None) -> int:
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
    from dsgen import explain

    if search is None and len(words) < 2:
        echo(_explain_word("".join(words)))
        return EXIT_OK
    wanted = " ".join((*([search] if search else []), *words))
    if not wanted.strip():
        raise UsageError("--search needs words")
    lines = [*explain.search(wanted)]
    if not lines:
        raise UsageError(f"no key, id, reason, preset or page has {wanted}")
    echo(lines)
    return EXIT_OK


def _explain_word(word: str) -> list[str]:
    """The description of a key, an id or a reason; for any other word without dots, the results of a search."""
    from dsgen import explain
    from dsgen.cluster.reasons import explain_reason, list_reasons

    if word == "import":
        from dsgen.importers import origins

        return [*origins.explain_origins()]
    if word in list_reasons():
        return [*explain_reason(word)]
    try:
        return explain.explain_word(word).removesuffix("\n").split("\n")
    except UsageError as problem:
        lines = [*explain.search(word)] if word.isalpha() else []
        if not lines:
            raise
        return [*problem.lines, f"What dsgen explain --search {word} finds:", "", *lines]


@click.command("help")
@click.argument("topic", metavar="[COMMAND|PAGE]", default="", shell_complete=completion.topics)
@click.pass_context
def show_help(context: click.Context, topic: str) -> int:
    """Show the help of a command, or a page of the documentation.

    Without an argument, the pages are listed. On a terminal a page is shown by the pager, $PAGER or less.

    \b
    Examples:
      dsgen help
      dsgen help render
      dsgen help running
    """
    program = context.find_root()
    if topic in COMMANDS and isinstance(program.command, click.Group):
        subject = program.command.get_command(program, topic)
        assert subject, "it is one of the commands"
        echo(subject.get_help(click.Context(subject, program, topic)).split("\n"))
    elif topic in shipped.list_pages():
        show_page(shipped.read_page(topic))
    elif topic:
        known = [*COMMANDS, *shipped.list_pages()]
        question = did_you_mean(find_closest(topic, known))
        raise UsageError(f"{topic} is neither a command nor a page; {question or 'dsgen help lists the pages'}")
    else:
        echo(["dsgen --help lists the commands; dsgen help COMMAND is the help of one. Pages, for dsgen help PAGE:"])
        echo(align([f"  {name}", shipped.read_page_title(name)] for name in shipped.list_pages()))
    return EXIT_OK


@click.command("schema")
@click.option(
    "--repository", is_flag=True, help="Print the schema of dsgen.yaml, the settings of a repository of jobs."
)
def print_schema(repository: bool) -> int:
    """Print the JSON Schema of values files.

    It is the schema for editors, with type, default and description of every key. A chart has another schema, for
    values that Helm has merged.

    \b
    Examples:
      dsgen schema
      dsgen schema > values.schema.json
      dsgen schema --repository > repository.schema.json
    """
    from dsgen.repository import settings
    from dsgen.schema import export

    write(export.as_json(settings.make_editor_schema() if repository else export.make_editor_schema()))
    return EXIT_OK
