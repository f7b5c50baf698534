"""`dsgen help`: the help of a command, or a page of the documentation."""

import click

from dsgen import pages
from dsgen.cli import completion
from dsgen.cli._console import echo, show_page
from dsgen.cli._group import COMMANDS
from dsgen.errors import EXIT_OK, UsageError
from dsgen.schema.suggestions import did_you_mean, find_closest


@click.command("help")
@click.argument("topic", metavar="[COMMAND|PAGE]", default="", shell_complete=completion.topics)
@click.pass_context
def command(context: click.Context, topic: str) -> int:
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
    elif topic in pages.names():
        show_page(pages.text(topic))
    elif topic:
        known = [*COMMANDS, *pages.names()]
        question = did_you_mean(find_closest(topic, known))
        raise UsageError(f"{topic} is neither a command nor a page; {question or 'dsgen help lists the pages'}")
    else:
        width = max(map(len, pages.names())) + 2
        echo(["dsgen --help lists the commands; dsgen help COMMAND is the help of one. Pages, for dsgen help PAGE:"])
        echo(f"  {name:<{width}}{pages.title(name)}" for name in pages.names())
    return EXIT_OK
