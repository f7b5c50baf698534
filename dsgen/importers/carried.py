"""Scripts for sbatch that are carried: a file of the run, unchanged, which launch.method slurm-script runs.

A script whose statements are all understood becomes values (native). Another one is carried, if workers have what it
needs, and is refused if they have not. A script without a queue that would be refused is kept as the command of each
worker, if it starts processes only where it runs.
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
from dsgen.importers.facts import JobSize
from dsgen.importers.launch import write_counts
from dsgen.importers.launchers import LAUNCHERS
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.origins import Origin
from dsgen.importers.shell.reader import OUTSIDE, SHELL_OPTIONS
from dsgen.importers.shell.syntax import find_arguments
from dsgen.importers.slurm import read_directives as read_words
from dsgen.importers.slurm import write_resources
from dsgen.importers.slurm_options import Request, write_options
from dsgen.importers.volumes import write_image
from dsgen.problems import Position
from dsgen.problems.safe_text import holds_secret
from dsgen.reading.nodes import SourceText

Reason = tuple[Position, str]
OF_SOURCE = re.compile(r"training\.(?!env)|launch\.command")
"""Holes that a script leaves, and not what the user has to give anyway, such as the image or the number of nodes."""
IMAGE = re.compile(r"--container-image[= ][\"']?([\w./:@+-]+)|\bdocker://([\w./:@+-]+)")
MOUNTS = re.compile(r"(?<!\S)(?:--container-mounts|--bind|--mount|-B)[ =]?(?!-)[\"']?([^\s\"']+)")
OTHER_PATH = "a container has folders of the old cluster at other paths"
OTHER_PATH_HINT = "mount the volumes where the programs look for them"
OF_SLURM = re.compile(r"(?m)^#SBATCH|^\s*srun\s")
OF_SCRIPT = ("a", "array", "D", "chdir", "export")
"""Options of sbatch that slurm/batch_script.py reads."""
NO_DEVICES = "the script does not say how many GPUs its node has; with none, set workers.accelerator.count: 0, too"
ELSEWHERE = {"sbatch", "qsub", "ssh", "pdsh", "clush", "kubectl", "ray", "docker"}
"""Programs that start processes on other hosts, or in other containers."""
EXPORT = re.compile(r"(?m)^\s*export\s+((\w+)=\S*)")
NOT_GIVEN = "it is an argument of the script, and none is given"
NOT_PASSED = "the launcher does not pass it on to the workers"
SELF = re.compile(r"\$\{BASH_SOURCE(\[0\])?\}|\$BASH_SOURCE\b")
ARGUMENT = re.compile(r"(?m)^(?!\s*#).*\$(?:([1-9])|\{([1-9])\})")
SHIFT = re.compile(r"(?m)^(?!\s*#).*\bshift\b")
SECRET = "a line may contain a secret, and the script would be copied as it is"


def convert(origin: Origin, source: Any, conversion: Conversion) -> Conversion:
    """Convert a source; a script natively, or else carried or kept. Raises ImportRefusedError."""
    options = conversion.options
    if not isinstance(source, SourceText) or origin.form != "script":
        origin.convert(source, conversion)
        return conversion
    other = Conversion(conversion.file, options, others=conversion.others)
    run = _carry if OF_SLURM.search(source.text) else _keep
    refusal: ImportRefusedError | None = None
    try:
        if options.form == "carried":
            raise ImportRefusedError("it was asked for (--as carried)", Position(source.name, 1, 1))
        origin.convert(source, conversion)
        reason = _find_hole(conversion) if run is _carry else None
        if reason is None:
            return conversion
    except ImportRefusedError as error:
        refusal, reason = error, (error.position, error.message)
    if options.form == "native":
        if refusal:
            raise refusal
        return conversion
    try:
        run(source, other, reason)
    except ImportRefusedError as error:
        if refusal is None:
            return conversion
        if options.form == "carried" or run is _keep:
            raise
        also = f"the script cannot be carried either: line {error.position.line}: {error.message}"
        why = f"refused: {refusal.message}; {also}"
        raise ImportRefusedError(why, refusal.position, refusal.hint or error.hint) from error
    return other


def _find_hole(conversion: Conversion) -> Reason | None:
    """Where a script was not understood, although it was converted."""
    hole = next((one for one in conversion.draft.holes if OF_SOURCE.match(one.key)), None)
    return (conversion.decided or Position(conversion.file, 1, 1), f"{hole.key}: {hole.why}") if hole else None


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
    body = scripts.COMMENT.sub("", text)
    if image := IMAGE.search(body):
        write_image(conversion, image[1] or image[2])
    scripts.add_claims(draft, [body])
    _lose_mounts(conversion, source.name, text)
    conversion.decided, conversion.carried = reason


def _lose_mounts(conversion: Conversion, file: str, text: str) -> None:
    """Name the mounts of containers whose paths differ or are not known: a worker has the paths of its own volumes."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in MOUNTS.finditer(line) if not line.lstrip().startswith("#") else ():
            pairs = [one.split(":") for one in match[1].split(",")]
            if "$" in match[1] or any(pair[0] != pair[1] for pair in pairs if pair[1:]):
                at = Position(file, number, match.start() + 1)
                conversion.ledger.add("lost", match[0], at, OTHER_PATH, OTHER_PATH_HINT)


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
        conversion.ledger.add("lost", f"${variable}", at, "nothing in the script sets it", hint)
    numbers = {"@": "1", "*": "1"}
    for name, line in find_arguments(text).items() if "set --" not in text else ():
        number = numbers.get(name, name)
        if number not in known:
            conversion.ledger.add("lost", f"${name}", Position(file, line, 1), NOT_GIVEN, f"--set {number}=VALUE")


def _read_request(source: SourceText, conversion: Conversion) -> Request:
    """Write the directives, except those that the script has for itself."""
    request = Request()
    for words in read_words(conversion, conversion.source_map.add_file(source.name, source.text)):
        write_options(request, conversion, words, OF_SCRIPT, "it is done as the script says")
    return request


def _can_be_kept(text: str, programs: Collection[str]) -> bool:
    """Whether each worker or the launcher can run a script."""
    return bool(
        {*LAUNCHERS, "python", "python3"} & {*programs}
        and not ELSEWHERE & {*programs}
        and not scripts.names_hosts(text, programs)
    )


def _find_missing(text: str, given: Collection[str]) -> set[str]:
    """The arguments that a script needs and does not have. One that shifts them takes its options from them."""
    return {*sum(ARGUMENT.findall(text), ())} - {"", *given} if not SHIFT.search(text) else set()


def _keep(source: SourceText, conversion: Conversion, reason: Reason) -> None:
    """Write the values that run a script without a queue on each worker. Raises ImportRefusedError if it cannot."""
    if conversion.options.line:
        raise ImportRefusedError(reason[1], reason[0])
    scripts.refuse_syntax_error(source.name, source.text)
    draft, given, name = conversion.draft, conversion.options.variables, posixpath.basename(source.name)
    programs = scripts.list_started(source.text)
    is_private, missing = holds_secret(source.text), _find_missing(source.text, given)
    if is_private or missing or not _can_be_kept(source.text, programs):
        hint = f"give the arguments of the script: --set {min(missing)}=VALUE" if missing else OUTSIDE
        raise ImportRefusedError(f"{reason[1]}; {SECRET}" if is_private else reason[1], reason[0], hint)
    is_launcher = not programs.isdisjoint(scripts.FROM_LAUNCHER)
    text = re.sub(r"\A#!.*\n", "", SHELL_OPTIONS.sub(r"set -\1", SELF.sub("$0", source.text)))
    whole = conversion.source_map.add_file(source.name, source.text)
    words = ["bash", "-c", text, name, *_write_given(conversion)]
    scripts.write_kept(conversion, words, [whole], scripts.make_runtime(conversion, scripts.RUNTIME), is_launcher)
    conversion.ledger.add("mapped", "the script", Position(source.name, 1, 1), "launch.command[2]")
    own = {*scripts.RUNTIME, *scripts.RUNTIME.values(), "MASTER_PORT", "RANK", "WORLD_SIZE"}
    known = {*given} if is_launcher else {*given, *own}
    for match in EXPORT.finditer(whole.chars) if is_launcher else ():
        hint = f"set training.env.{match[2]} if the program reads it"
        conversion.lose(whole[match.start(1) : match.end()], NOT_PASSED, hint)
    _lose_unset(conversion, source.name, source.text, known)
    scripts.name_job(conversion, name)
    write_counts(conversion, None, None, JobSize())
    scripts.add_claims(draft, [scripts.COMMENT.sub("", source.text)])
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
    write_resources(conversion, request)
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
