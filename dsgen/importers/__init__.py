"""Converts the jobs of other systems to values: Slurm scripts, command lines, and objects of training operators.

`import_jobs` converts the sources; each `ImportedJob` has the values file as text, and says what became of every part
of its source. `check` compares the rendered result with the source. Nothing of a source is ever executed.

    (job,) = import_jobs([SourceText("train.sbatch", text)])
    values, lost, holes = job.text, job.lost, job.holes
    unexplained = [difference for difference in check(job) if not difference.why]

A source that cannot be converted raises ImportRefusedError, which says why in one sentence. Scripts need tree-sitter
(the extra `import`); without it, they raise MissingParserError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsgen.importers.conversion import Conversion, ImportOptions
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError, MissingParserError
from dsgen.importers.fields import Fields, drop
from dsgen.importers.ledger import ConvertedPart, ImportedJob, Placeholder, make_report
from dsgen.importers.objects import METADATA
from dsgen.importers.origins import ORIGINS, WRAPPED, Contents, Origin, recognise
from dsgen.importers.texts import OF_OPERATION, TooMuchWorkError, limit_work, spend
from dsgen.problems import Position
from dsgen.reading.nodes import SourceText

if TYPE_CHECKING:
    from dsgen.importers.comparison import Difference

__all__ = [
    "ORIGINS",
    "ConvertedPart",
    "ImportOptions",
    "ImportRefusedError",
    "ImportedJob",
    "MissingParserError",
    "Origin",
    "Placeholder",
    "SourceText",
    "check",
    "import_jobs",
    "make_report",
]

UNUSED = "it is another object, which dsgen does not need or does not read"
UNUSED_HINT = "apply it beside the job if it is needed"
TOO_MUCH = "reading it takes far more steps than the description of a job"
WRAPPER = "it only contains other objects"


def import_jobs(sources: Sequence[SourceText], options: ImportOptions | None = None) -> list[ImportedJob]:
    """The jobs of the sources, in their order. Raises ImportRefusedError for a source that cannot be converted."""
    options = options or ImportOptions()
    return [job for source in sources for job in _import_source(source, options)]


def check(job: ImportedJob) -> list[Difference]:
    """All differences between the source of a job and the objects that its values render, each with its reason."""
    from dsgen.importers.comparison import compare  # imported late: an import alone renders nothing

    return compare(job)


def _import_source(source: SourceText, options: ImportOptions) -> list[ImportedJob]:
    try:
        with limit_work():
            return _convert_source(source, options)
    except TooMuchWorkError as error:
        raise ImportRefusedError(TOO_MUCH, Position(source.name, 1, 1)) from error


def _convert_source(source: SourceText, options: ImportOptions) -> list[ImportedJob]:
    contents = recognise(source, options.origin)
    jobs: list[ImportedJob] = []
    for number, found in enumerate(contents.found):
        conversion = Conversion(source.name, options, others=contents.documents)
        for wrapper in found.around:
            _write_wrapper(conversion, wrapper, is_first=number == 0)
        ORIGINS[found.origin].convert(found.source, conversion)
        if number == 0:
            _lose_unused(conversion, contents)
        jobs.append(conversion.make_job())
    return jobs


def _write_wrapper(conversion: Conversion, wrapper: SourceDocument, is_first: bool) -> None:
    """Labels of an object around a job, such as the queue of an AppWrapper."""
    inner = Conversion(conversion.file, conversion.options, draft=conversion.draft) if not is_first else conversion
    fields = Fields(inner, wrapper)
    head = {"apiVersion": drop(WRAPPER), "kind": drop(WRAPPER)}
    metadata = {**METADATA, "name": drop(WRAPPER)} if isinstance(METADATA, dict) else METADATA
    fields.apply({**head, "metadata": metadata})
    inside = WRAPPED[wrapper.kind]
    for path, node in wrapper.root.walk():
        spend(OF_OPERATION)
        is_inner = path[: len(inside)] == inside and (inside[-1] == "items" or "template" in path[: len(inside) + 2])
        if not isinstance(node.value, dict | list) and not is_inner:
            fields.lose(path, node, "the controller of the object around the job uses it")


def _lose_unused(conversion: Conversion, contents: Contents) -> None:
    """Name the documents that are no part of a job."""
    used = {id(one.source) for one in contents.found} | {id(one) for found in contents.found for one in found.around}
    for document in contents.documents:
        if id(document) not in used and id(document) not in conversion.used:
            Fields(conversion, document).lose((), document.root, f"{document.kind or 'it'}: {UNUSED}", UNUSED_HINT)
