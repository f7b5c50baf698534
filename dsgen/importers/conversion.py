"""The state of one conversion, which all origins share: the texts, the values, the report."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dsgen import values
from dsgen.editing import compare_text
from dsgen.importers.documents import SourceDocument
from dsgen.importers.draft import TODO, Draft, as_key_path, format_values, order_values, walk_keys
from dsgen.importers.facts import JobFacts
from dsgen.importers.ledger import ConversionReport, Fate, ImportedJob, ImportRefusedError, Placeholder, shorten
from dsgen.importers.remarks import SHELL_CODE, YAML_CODE, Remark, find_remarks
from dsgen.importers.texts import SourceMap, Text, spend
from dsgen.language.functions import parse_quantity
from dsgen.language.text import quote
from dsgen.problems import Diagnostic, KeyPath, Position, path_text
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import MAX_KEY
from dsgen.schema.default_values import load_defaults

PRIVILEGED = "podSecurityLevel: privileged"


def name_invalid(draft: Draft) -> None:
    """Make a hole of each value that `dsgen validate` refuses: it stays, with what is wrong."""
    errors = _find_errors(draft)
    if any(PRIVILEGED in error.hint for error in errors) and not draft.get("security.podSecurityLevel"):
        draft.set("security.podSecurityLevel", "privileged")
        errors = _find_errors(draft)
    for error in errors:
        draft.holes.append(Placeholder(path_text(error.path), error.message))
        draft.add_comment(error.path, TODO + error.message)


def _find_errors(draft: Draft) -> list[Diagnostic]:
    """The errors of the values without those that holes cause."""
    text = format_values(draft)
    spend(10 * len(text))
    found = [one for one in values.load([SourceText("values.yaml", text)]).problems() if one.severity == "error"]
    holes = [as_key_path(hole.key) for hole in draft.holes]
    return [one for one in found if not any(one.path[: len(hole)] == hole[: len(one.path)] for hole in holes)]


PLACEHOLDER = re.compile(r"\$\{\w+(:?[-=?][^}]*)?\}|^\$[A-Z_][A-Z0-9_]*$|^<[A-Za-z][\w .-]*>$")
COMMANDS = {"args", "exec", "command", "setup", "files", "mpirunArgs", "preStop", "postStart"}


def is_placeholder(text: str) -> bool:
    """Whether a scalar of an object is one that a tool such as envsubst fills in."""
    return PLACEHOLDER.search(text) is not None


SHARED_MEMORY = "8Gi"
"""The default of workers.sharedMemory, which counts against the memory limit."""
NO_IMAGE = "write an image with the programs of the training"
NO_NAME = "the source has no name for the job"
NO_NAMESPACE = "the source has no namespace; `-n NAMESPACE` of the commands also sets it"


@dataclass(frozen=True)
class ImportOptions:
    """What the user says beside the sources.

    origin: a key of `origins.ORIGINS` if the kind is not found by itself, else "". variables: values for variables of
    scripts (--set). line: the line of the command that starts the training, if there are several; 0 to find it.
    helpers: scripts that others call or source, by file name. beside: files with what a job refers to: runtimes,
    ConfigMaps, hostfiles. form: "native", "carried" (see carried.py) or "" to choose.
    """

    origin: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    line: int = 0
    helpers: Mapping[str, str] = field(default_factory=dict)
    beside: Sequence[SourceText] = ()
    form: str = ""


@dataclass
class Conversion:
    """One job on its way from a source to values."""

    file: str
    options: ImportOptions = field(default_factory=ImportOptions)
    source_map: SourceMap = field(default_factory=SourceMap)
    draft: Draft = field(default_factory=Draft)
    ledger: ConversionReport = field(default_factory=ConversionReport)
    facts: JobFacts = field(default_factory=JobFacts)
    others: Sequence[SourceDocument] = ()
    """All documents of the file."""
    flags: dict[str, Text] = field(default_factory=dict)
    """Values of flags of a submitted line that belong together."""
    mounted: dict[str, Text] = field(default_factory=dict)
    """Files of ConfigMaps of the same source, by their path in the pods."""
    used: set[int] = field(default_factory=set)
    """Other documents of the file that are a part of the job, by id."""
    is_object: bool = False
    """The source is YAML, in which nothing but a tool before dsgen fills in `${NAME}`."""
    is_container: bool = False
    """The command ran in a container, whose image and operator set variables that the source does not show."""
    has_other_variables: bool = False
    """The container has variables of ConfigMaps or Secrets, whose names are not known."""
    volumes: dict[str, str] = field(default_factory=dict)
    """The names of volumes in the source, and those in storage."""
    decided: Position | None = None
    """The command line that became the values, or why the script is carried."""
    carried: str = ""
    """Why the script is a file of the run; "" if it became values."""
    accounted: list[tuple[int, int]] = field(default_factory=list)
    """The first and the last place of each text that has an entry."""

    def _match_remarks(self, sources: Sequence[SourceText]) -> list[tuple[Remark, list[str]]]:
        """The comments, each with the keys that its lines became, outer ones first."""
        keys: dict[tuple[str, int], list[str]] = {}
        for entry in self.ledger.entries:
            if entry.fate == "mapped":
                keys.setdefault((entry.position.file, entry.position.line), []).append(entry.to)
        if self.decided:
            keys.setdefault((self.decided.file, self.decided.line), [])[:0] = ["training", "launch"]
        code = YAML_CODE if self.is_object else SHELL_CODE
        found = [(one, [key for line in range(one.first, one.last + 1) for key in keys.get((source.name, line), ())])
                 for source in sources for one in find_remarks(source.text, code)]  # fmt: skip
        return sorted(found, key=lambda one: (one[0].first, -one[0].last))

    def read_variables(self) -> dict[str, Text]:
        """The variables of the user."""
        return {name: Text(value) for name, value in self.options.variables.items()}

    # -- words of scripts and command lines ---------------------------------------------------------------------------

    def report(self, text: Text, fate: Fate, what: str, hint: str = "") -> None:
        """Say what became of a text. what: its key, or the reason."""
        if text:
            self.accounted.append((text.places[0], text.places[-1]))
        if at := self.source_map.locate(text):
            source = " ".join(re.sub(r"\\\n", " ", self.source_map.format_text(text)).split())
            self.ledger.add(fate, source, at, what, hint)

    def map(self, text: Text, to: str) -> None:
        """A text became this key."""
        self.report(text, "mapped", to)

    def drop(self, text: Text, why: str) -> None:
        """A text is not needed."""
        self.report(text, "dropped", why)

    def lose(self, text: Text, why: str, hint: str = "") -> None:
        """A text has no equivalent."""
        self.report(text, "lost", why, hint)

    def refuse(self, text: Text, why: str, hint: str = "") -> ImportRefusedError:
        """The error for a text because of which the whole cannot become values."""
        shown = shorten(" ".join(self.source_map.format_text(text).split()), 60)
        at = self.source_map.locate(text) or Position(self.file, 1, 1)
        return ImportRefusedError(f"{shown}: {why}", at, hint)

    @contextlib.contextmanager
    def undo_if_refused(self) -> Iterator[None]:
        """Inside, a refusal leaves the values and the report as they were."""
        draft, count = copy.deepcopy(self.draft), len(self.ledger.entries)
        try:
            yield
        except ImportRefusedError:
            self.draft = draft
            del self.ledger.entries[count:]
            raise

    def forget(self, key: KeyPath, why: str) -> None:
        """Remove a key that is not needed after all: what became it is dropped."""
        self.draft.remove(key)
        entries = self.ledger.entries
        for at, one in enumerate(entries):
            if one.fate == "mapped" and as_key_path(one.to)[: len(key)] == key:
                entries[at] = replace(one, fate="dropped", to="", why=why)

    def _prune(self) -> None:
        """Leave out what dsgen has anyway."""
        kept = {hole.key for hole in self.draft.holes}
        self.draft.data = _remove_defaults(self.draft.data, load_defaults(), kept)

    # -- the result ---------------------------------------------------------------------------------------------------

    def make_job(self, sources: Sequence[SourceText]) -> ImportedJob:
        """The finished job: names, the values without defaults, the report."""
        draft = self.draft
        for key, why in (("name", NO_NAME), ("namespace", NO_NAMESPACE), ("image.repository", NO_IMAGE)):
            if not draft.get(key):
                draft.set_hole(key, draft.get(key, ""), why)
        for path in [*walk_keys(draft.data)] if self.is_object else ():
            value = draft.get(path)
            if isinstance(value, str) and is_placeholder(value) and not COMMANDS & {*path}:
                draft.fill(path, f"the source has {value} here: write its value")
        if any(len(quote(path[-1])) > MAX_KEY for path in walk_keys(draft.data)):
            raise ImportRefusedError(f"a key can have at most {MAX_KEY} characters", Position(self.file, 1, 1))
        _complete_values(draft)
        self._prune()
        name_invalid(draft)
        draft.place_comments(self._match_remarks(sources))
        entries = sorted(
            self.ledger.entries, key=lambda one: (one.position.file, one.position.line, one.position.column)
        )
        data = order_values(draft.data)
        text = format_values(draft)
        compare_text(text, data)
        order = {key: number for number, key in enumerate(data)}
        holes = sorted(draft.holes, key=lambda hole: order.get(as_key_path(hole.key)[0], len(order)))
        return ImportedJob(
            draft.get("name", ""), self.file, text, data, entries, holes, self.facts, self.decided, self.carried
        )


def _complete_values(draft: Draft) -> None:
    """What the values need beside what the source says."""
    for role in ("workers", "launcher"):
        limits = draft.get(f"{role}.resources.limits") or {}
        for name in ("cpu", "memory"):
            # Kubernetes sets requests to the limits if a container has only limits; dsgen has defaults of its own.
            if name in limits and not draft.get((role, "resources", "requests", name)):
                draft.set((role, "resources", "requests", name), limits[name])
    if draft.get("launch.method") != "launcher-command" and not draft.get("training.deepspeed.autotuning"):
        for volume in (draft.get("storage") or {}).values():
            if volume.get("mountIn") == "workers":
                del volume["mountIn"]  # the default, since the launcher needs no files
    memory = draft.get("workers.resources.limits.memory")
    if memory and draft.get("workers.sharedMemory") is None:
        with contextlib.suppress(ValueError):
            if parse_quantity(memory) < parse_quantity(SHARED_MEMORY):
                draft.set("workers.sharedMemory", "")


def _remove_defaults(data: Any, default: Any, holes: set[str], path: KeyPath = ()) -> Any:
    """The values without those that dsgen has anyway. Holes stay."""
    if not isinstance(data, dict) or not isinstance(default, dict):
        return data
    kept = {}
    for key, value in data.items():
        here = (*path, key)
        name = ".".join(map(str, here))
        inner = _remove_defaults(value, default.get(key), holes, here) if path or isinstance(value, dict) else value
        is_default = key in default and inner == default[key] and name not in holes
        changes_nothing = inner == {} and (value != {} or isinstance(default.get(key), dict)) and name not in holes
        if not is_default and not changes_nothing:
            kept[key] = inner
    return kept


def as_dns_name(text: str, longest: int = 40) -> str:
    """A name of a job from any text: lower-case letters, digits and hyphens, beginning with a letter; "" if none."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    name = re.sub(r"^[^a-z]+", "", name)[:longest]
    return name.strip("-")
