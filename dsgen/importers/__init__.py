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

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dsgen.importers import carried
from dsgen.importers.conversion import Conversion, ImportOptions
from dsgen.importers.documents import OTHER_SLOTS, SourceDocument, read_documents, read_slots
from dsgen.importers.draft import as_key_path
from dsgen.importers.fields import Fields, drop
from dsgen.importers.ledger import (
    ConvertedPart,
    ImportedJob,
    ImportRefusedError,
    MissingParserError,
    Placeholder,
    make_report,
)
from dsgen.importers.origins import ORIGINS, WRAPPED, Origin, recognise
from dsgen.importers.pods import METADATA
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
    "split_sources",
]

UNUSED = "it is another object, which dsgen does not need or does not read"
UNUSED_HINT = "apply it beside the job if it is needed"
TOO_MUCH = "reading it takes far more steps than the description of a job"
NOTHING = "dsgen can read no field of this object"
NOTHING_HINT = "is its indentation right? kubectl apply --dry-run=server shows what the cluster reads"
WRAPPER = "it only contains other objects"
BESIDE = {
    *("ClusterTrainingRuntime", "TrainingRuntime", "ConfigMap", "Secret", "Service", "PersistentVolumeClaim"),
    *("ServiceAccount", "Role", "RoleBinding", "Namespace"),
}
HOST = re.compile(r"\s*(#.*|[\w.-]+\s+slots=\d{1,4}\s*)?")
IN_WRAPPER = "the controller of the object around the job uses it"


def split_sources(sources: Sequence[SourceText]) -> tuple[list[SourceText], list[SourceText]]:
    """The sources with jobs, and those that others refer to: runtimes, ConfigMaps, hostfiles."""
    beside = []
    for source in sources:
        kinds = {*re.findall(r"(?m)^kind: *[\"']?(\w+)", source.text)}
        is_run = not kinds and any(_runs(one, source) for one in sources)
        if (kinds and kinds <= BESIDE) or _is_hostfile(source.text) or is_run:
            beside.append(source)
    return ([one for one in sources if one not in beside], beside) if len(beside) < len(sources) else ([*sources], [])


def _is_hostfile(text: str) -> bool:
    return all(map(HOST.fullmatch, text.split("\n"))) and bool(read_slots(text))


def _runs(job: SourceText, script: SourceText) -> bool:
    """Whether an object runs a script, by its name."""
    name = re.escape(posixpath.basename(script.name))
    return job is not script and "kind:" in job.text and re.search(rf"(?<![\w.-]){name}\b", job.text) is not None


def import_jobs(sources: Sequence[SourceText], options: ImportOptions | None = None) -> list[ImportedJob]:
    """The jobs of the sources, in their order. Raises ImportRefusedError for a source that cannot be converted."""
    options = options or ImportOptions()
    sources, beside = split_sources(sources)
    options = replace(options, beside=[*options.beside, *beside])
    jobs: list[ImportedJob] = []
    for source in sources:
        try:
            with limit_work():
                jobs += _convert_source(source, options)
        except TooMuchWorkError as error:
            raise ImportRefusedError(TOO_MUCH, Position(source.name, 1, 1)) from error
    return jobs


def check(job: ImportedJob) -> list[Difference]:
    """All differences between the source of a job and the objects that its values render, each with its reason."""
    from dsgen.importers.comparison import compare  # imported late: an import alone renders nothing

    return compare(job)


def _convert_source(source: SourceText, options: ImportOptions) -> list[ImportedJob]:
    founds, documents = recognise(source, options.origin)
    objects = [one for one in options.beside if re.search("(?m)^kind:", one.text)]
    others = [one for one in options.beside if one not in objects]
    documents = [*documents, *(document for text in objects for document in read_documents(text))]
    jobs: list[ImportedJob] = []
    for number, found in enumerate(founds):
        conversion = Conversion(source.name, options, others=documents)
        conversion.is_object = isinstance(found.source, SourceDocument)
        for wrapper in found.around:
            _write_wrapper(conversion, wrapper, is_first=number == 0)
        for script in others:
            text = conversion.source_map.add_file(script.name, script.text)
            conversion.mounted.setdefault(posixpath.basename(script.name), text)
        conversion = carried.convert(ORIGINS[found.origin], found.source, conversion)
        keys = {as_key_path(entry.to)[0] for entry in conversion.ledger.entries if entry.fate == "mapped"}
        if isinstance(found.source, SourceDocument) and keys <= {"name", "namespace", "labels", "annotations"}:
            raise ImportRefusedError(NOTHING, found.source.position, NOTHING_HINT)
        if number == 0:
            used = {id(one) for of in founds for one in (of.source, *of.around)}
            _lose_unused(conversion, [one for one in documents if id(one) not in used | conversion.used])
        for hosts in (other for other in others if _is_hostfile(other.text)):
            _read_hostfile(conversion, hosts)
        jobs.append(conversion.make_job([source, *options.beside]))
    return jobs


def _read_hostfile(conversion: Conversion, source: SourceText) -> None:
    """A hostfile beside the job: the numbers of nodes and of processes on each, if the job does not say them."""
    at, add, slots = Position(source.name, 1, 1), conversion.ledger.add, read_slots(source.text)
    holes = {hole.key for hole in conversion.draft.holes}
    for key, number in (("workers.replicas", len(slots)), ("workers.slots", slots[0])):
        if key in holes:
            add("mapped", "hostfile", at, conversion.draft.set(key, number))
    if len({*slots}) > 1:
        add("lost", "hostfile", at, OTHER_SLOTS, "set workers.slots")


def _write_wrapper(conversion: Conversion, wrapper: SourceDocument, is_first: bool) -> None:
    """Labels of an object around a job, such as the queue of an AppWrapper."""
    inner = Conversion(conversion.file, conversion.options, draft=conversion.draft) if not is_first else conversion
    root, only, inside = Fields(inner, wrapper).root, drop(WRAPPER), WRAPPED[wrapper.kind]
    root.apply({"apiVersion": only, "kind": only, "metadata": {**METADATA, "name": only}})
    for one in root.walk():
        spend(OF_OPERATION)
        below = one.path[: len(inside)] == inside
        if not (below and (inside[-1] == "items" or "template" in one.path[: len(inside) + 2])):
            one.lose(IN_WRAPPER)


def _lose_unused(conversion: Conversion, documents: Sequence[SourceDocument]) -> None:
    """Name the documents that are no part of a job."""
    for document in documents:
        root = Fields(conversion, document).root
        if document.position.file == conversion.file:
            root.lose(UNUSED, UNUSED_HINT)
        else:
            root.drop("nothing of this job refers to it")
