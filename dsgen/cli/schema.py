"""`dsgen schema`: the schema of values files, for editors."""

import click

from dsgen import schema
from dsgen.cli._printed import emit
from dsgen.errors import EXIT_OK


@click.command("schema")
def command() -> int:
    """Print the JSON Schema of values files.

    It is the one for editors: every key with type, default and description. A chart has one of its own, which is made
    for values that Helm has merged.

    \b
    Examples:
      dsgen schema
      dsgen schema > values.schema.json
    """
    emit(schema.as_json(schema.for_editors()))
    return EXIT_OK
