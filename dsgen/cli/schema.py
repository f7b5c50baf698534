"""`dsgen schema`: print the schema of values files."""

import click

from dsgen.cli._console import write
from dsgen.errors import EXIT_OK
from dsgen.repository import settings
from dsgen.schema import export


@click.command("schema")
@click.option(
    "--repository", is_flag=True, help="Print the schema of dsgen.yaml, the settings of a repository of jobs."
)
def command(repository: bool) -> int:
    """Print the JSON Schema of values files.

    It is the schema for editors, with type, default and description of every key. A chart has another schema, for
    values that Helm has merged.

    \b
    Examples:
      dsgen schema
      dsgen schema > values.schema.json
      dsgen schema --repository > repository.schema.json
    """
    write(export.as_json(settings.for_editors() if repository else export.for_editors()))
    return EXIT_OK
