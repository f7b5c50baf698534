"""Scripts for sbatch that are carried: a file of the run, unchanged, which launch.method slurm-script runs.

A script whose statements are all understood becomes values (native). Another one is carried, if workers have what it
needs; if they have not, it is native with its losses, or refused, as it was. A script without a queue that would be
refused is kept as the command of each worker, if it starts processes only where it runs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from typing import Any

from dsgen.checks.launch import FOLDER, SCRIPT
from dsgen.checks.slurm import ARRAY, find_array, find_obstacles, find_unset
from dsgen.importers import scripts
from dsgen.importers.conversion import Conversion
from dsgen.importers.environment import FIXED, FIXED_HINT, FIXED_WHY, WORKER_SHELL
from dsgen.importers.launch import NODES_HOLE, SLOTS_HOLE
from dsgen.importers.launchers import LAUNCHERS, WORKERS
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.origins import Origin
from dsgen.importers.slurm import read_directives as read_words
from dsgen.importers.slurm_options import Request, write_options
from dsgen.importers.volumes import write_image
from dsgen.problems import Position
from dsgen.problems.safe_text import holds_secret
from dsgen.reading.nodes import SourceText
from dsgen.schema.commands import list_programs
from dsgen.schema.scripts import read_commands

Reason = tuple[Position, str]
OF_SOURCE = re.compile(r"training\.(?!env)|launch\.command")
"""Holes that a script leaves, and not what the user has to give anyway, such as the image or the number of nodes."""
IMAGE = re.compile(r"--container-image[= ][\"']?([\w./:@+-]+)|\bdocker://([\w./:@+-]+)")
OF_SCRIPT = ("a", "array", "D", "chdir", "export")
"""Options of sbatch that slurm/batch_script.py reads."""
NO_DEVICES = "the script does not say how many GPUs its node has; with none, set workers.accelerator.count: 0, too"
ELSEWHERE = {"sbatch", "qsub", "ssh", "pdsh", "clush", "kubectl", "ray", "docker",
             *(name for name, one in LAUNCHERS.items() if one.method in ("pdsh", "openmpi"))}  # fmt: skip
"""Programs that start processes on other hosts, or in other containers."""
SELF = re.compile(r"\$\{BASH_SOURCE(\[0\])?\}|\$BASH_SOURCE\b")
ARGUMENT = re.compile(r"(?m)^(?!\s*#).*\$(?:([1-9])|\{([1-9])\})")
COMMENT = re.compile(r"(?m)^\s*#.*$")
SECRET = "the line may contain a secret, and the script would be copied as it is"


def convert(origin: Origin, source: Any, conversion: Conversion) -> Conversion:
    """Convert a source; a script for sbatch natively, or else carried. Raises ImportRefusedError."""
    options = conversion.options
    is_script = isinstance(source, SourceText) and re.search(r"^#SBATCH|^\s*srun\s", source.text, re.MULTILINE)
    other = Conversion(conversion.file, options, others=conversion.others)
    if origin.module == "scripts" and not is_script and options.form != "native":
        return _convert_or_keep(source, conversion, other)
    if not is_script or options.form == "native":
        origin.convert(source, conversion)
        return conversion
    start = Position(source.name, 1, 1)
    if options.form == "carried":
        _carry(source, other, (start, "it was asked for (--as carried)"))
        return other
    refusal: ImportRefusedError | None = None
    try:
        origin.convert(source, conversion)
        reason = _find_doubt(conversion)
    except ImportRefusedError as error:
        refusal, reason = error, (error.position, error.message)
    if reason is None:
        return conversion
    try:
        _carry(source, other, reason)
    except ImportRefusedError as error:
        if refusal is None:
            return conversion
        also = f"the script cannot be carried either: line {error.position.line}: {error.message}"
        why = f"refused: {refusal.message}; {also}"
        raise ImportRefusedError(why, refusal.position, refusal.hint or error.hint) from error
    return other


def _find_doubt(conversion: Conversion) -> Reason | None:
    """Where a script is not understood, although it was converted."""
    for doubt in sorted(conversion.doubts, key=lambda one: one[0].line)[:1]:
        return doubt
    for hole in conversion.draft.holes:
        if OF_SOURCE.match(hole.key):
            return conversion.decided or Position(conversion.file, 1, 1), f"{hole.key}: {hole.why}"
    return None


def _carry(source: SourceText, conversion: Conversion, reason: Reason) -> None:
    """Write the values that run the script. Raises ImportRefusedError if the workers lack what it needs."""
    scripts.refuse_syntax_error(source.name, source.text)
    draft, text = conversion.draft, source.text if source.text.endswith("\n") else source.text + "\n"
    request = _read_request(source, conversion)
    nodes = request.nodes = request.nodes or request.implied_nodes or 1
    _refuse_obstacles(source.name, text, conversion.options.variables, nodes)
    _write_size(conversion, request, nodes)
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", posixpath.basename(source.name)).lstrip("-") or "script"
    name = name if source.name not in ("<stdin>", "-") else "script.sbatch"
    if not draft.get("name"):
        scripts.name_job(conversion, name)
    draft.set("launch.method", SCRIPT)
    draft.set("launch.command", [FOLDER + name, *_write_given(conversion)])
    draft.set(("training", "files", name), text)
    conversion.ledger.add("mapped", "the script", Position(source.name, 1, 1), f"training.files.{name}")
    _lose_unset(conversion, source.name, text, conversion.options.variables)
    body = COMMENT.sub("", text)
    if image := IMAGE.search(body):
        write_image(conversion, image[1] or image[2])
    scripts.add_claims(draft, [body])
    conversion.decided, conversion.carried = reason


def _write_given(conversion: Conversion) -> list[str]:
    """Write the variables of --set; the arguments among them."""
    given = conversion.options.variables
    for key in [key for key in given if not key.isdigit()]:
        conversion.draft.set(("training", "env", key), given[key])
    return [given[key] for key in sorted(given) if key.isdigit()]


def _lose_unset(conversion: Conversion, file: str, text: str, known: Collection[str]) -> None:
    """Name the variables that a script reads and nothing sets. known: those that it has."""
    for line, variable, hint in find_unset(text, known):
        at = Position(file, line, 1)
        conversion.ledger.add("lost", f"${variable}", at, "nothing in the script sets it", hint, is_part=True)


def _read_request(source: SourceText, conversion: Conversion) -> Request:
    """Write the directives, except those that the script has for itself."""
    request = Request()
    for words in read_words(conversion, conversion.source_map.add_file(source.name, source.text)):
        write_options(request, conversion, words, OF_SCRIPT, "it is done as the script says")
    return request


def _convert_or_keep(source: SourceText, conversion: Conversion, other: Conversion) -> Conversion:
    """A script without a queue as values; one that would be refused as the command of each worker, if it can be."""
    try:
        if conversion.options.form != "carried":
            scripts.convert(source, conversion)
            return conversion
        refusal = ImportRefusedError("it was asked for (--as carried)", Position(source.name, 1, 1))
    except ImportRefusedError as error:
        refusal = error
    if conversion.options.line:
        raise refusal
    scripts.refuse_syntax_error(source.name, source.text)
    if not _runs_on_each_worker(source.text, conversion.options.variables):
        raise refusal
    _keep(source, other, (refusal.position, refusal.message))
    return other


def _runs_on_each_worker(text: str, given: Collection[str]) -> bool:
    """Whether each worker can run a script, which trains there. given: its arguments and variables."""
    programs = {words[0].rpartition("/")[2] for one in read_commands(text) for words in list_programs(one.words)}
    if not programs & {*LAUNCHERS, "python", "python3"} or programs & ELSEWHERE:
        return False
    is_private = any(map(holds_secret, text.split("\n")))
    return not is_private and {*sum(ARGUMENT.findall(text), ())} <= {"", *given}


def _keep(source: SourceText, conversion: Conversion, reason: Reason) -> None:
    """Write the values that run the script on each worker."""
    draft, given, name = conversion.draft, conversion.options.variables, posixpath.basename(source.name)
    exports = [f'export {name}="{WORKER_SHELL[to]}"\n' for name, to in scripts.RUNTIME.items()
               if name != to and re.search(rf"\b{name}\b", source.text)]  # fmt: skip
    draft.set("launch.method", WORKERS)
    text = "".join(exports) + re.sub(r"\A#!.*\n", "", SELF.sub("$0", source.text))
    draft.set("launch.command", ["bash", "-c", text, name, *_write_given(conversion)])
    conversion.ledger.add("mapped", "the script", Position(source.name, 1, 1), "launch.command[2]")
    known = {*given, *scripts.RUNTIME, *scripts.RUNTIME.values(), "MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"}
    _lose_unset(conversion, source.name, source.text, known)
    for number, written in enumerate(source.text.split("\n"), 1):
        if not written.lstrip().startswith("#") and (found := FIXED.search(written)):
            at = Position(source.name, number, found.start() + 1)
            conversion.ledger.add("lost", found[0], at, FIXED_WHY, FIXED_HINT, is_part=True)
    scripts.name_job(conversion, name)
    for key, why in (("workers.replicas", NODES_HOLE), ("workers.slots", SLOTS_HOLE)):
        draft.set_hole(key, 0, why)
    scripts.add_claims(draft, [COMMENT.sub("", source.text)])
    conversion.decided, conversion.carried = reason


def _write_size(conversion: Conversion, request: Request, nodes: int) -> None:
    """A worker for each node, with the GPUs and the CPUs that the directives ask for."""
    draft, devices = conversion.draft, request.devices_of_node
    draft.set("workers.replicas", nodes)
    conversion.facts.replicas = nodes
    if devices is None:
        draft.set_hole("workers.slots", 0, NO_DEVICES)
    else:
        draft.set("workers.slots", devices or 1)
    if devices == 0:
        draft.set("workers.accelerator.count", 0)
    if request.resource:
        draft.set("workers.accelerator.resource", request.resource)
    if request.cpus_of_task:
        draft.set("workers.resources.requests.cpu", str(request.cpus_of_task * (request.tasks_of_node or 1)))
    for taken in request.of_devices:
        taken.map("workers.slots")
    for taken in request.of_tasks:
        taken.drop("srun in the script starts the processes")


def _refuse_obstacles(name: str, text: str, variables: Any, nodes: int) -> None:
    """Refuse a script with the first line that needs what the workers do not have, or that may have a secret."""
    for line, why, hint in find_obstacles(text, nodes):
        raise ImportRefusedError(why, Position(name, line, 1), hint)
    for line in () if ARRAY in variables else find_array(text):
        raise ImportRefusedError("an array is several jobs", Position(name, line, 1), f"--set {ARRAY}=NUMBER")
    for number, written in enumerate(text.split("\n"), 1):
        if holds_secret(written):
            raise ImportRefusedError(SECRET, Position(name, number, 1), "read it in the script from a variable")
