"""Lines of Arena: arena submit pytorchjob, mpijob, etjob and deepspeedjob."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import (
    Option,
    Row,
    as_count,
    as_text,
    become,
    fix,
    lose,
    make_rows,
    read_option,
    to,
    when,
)
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.operators import ELASTIC, PYTORCH, TTL, write_expected_world
from dsgen.importers.origins import PROMPT
from dsgen.importers.scripts import find_unread, make_runtime, read_script, write_script, write_shell
from dsgen.importers.shell.syntax import list_arguments, parse, walk_nodes
from dsgen.importers.shell.words import Expansion, ShellScope
from dsgen.importers.texts import Text
from dsgen.importers.volumes import write_image
from dsgen.reading.nodes import SourceText

KINDS = {"pytorch": "pytorch", "pytorchjob": "pytorch", "py": "pytorch",
         **dict.fromkeys(["mpi", "mpijob", "mj", "et", "etjob", "deepspeed", "deepspeedjob", "dp"], "mpi")}  # fmt: skip
CODE, HOME = "/root/code", "/root"
UNKNOWN, UNKNOWN_FLAG = (lose("dsgen has no equivalent of this flag", values=count) for count in (1, 0))


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for jobs of other kinds."""
    text = conversion.source_map.add_file(source.name, source.text)
    text = Text(join_lines(source.text), text.places)
    words = _find_command(conversion, text)
    submit = next((index for index, word in enumerate(words) if word.chars == "submit"), len(words))
    kind = KINDS.get(words[submit + 1].chars if submit + 1 < len(words) else "")
    if kind is None:
        at = conversion.source_map.resolve_place(words[0].places[0])
        raise ImportRefusedError("dsgen converts arena submit pytorchjob, mpijob, etjob and deepspeedjob", at)
    for word in words[: submit + 2]:
        conversion.drop(word, "the values describe the job")
    command, rest = list[Text](), words[submit + 2 :]
    while rest:
        if not rest[0].chars.startswith("-") or rest[0].chars in ("-", "--"):
            command.append(rest.pop(0))
        else:
            row, name, found, values = read_option(rest, TABLE, _choose_unknown)
            row(Option(conversion, name, found, values))
    _write_code_folder(conversion)
    conversion.is_container = True
    for word in command[:-1]:
        conversion.lose(word, "it belongs to no flag")
    if command:
        _write_command(conversion, command[-1], is_mpi=kind == "mpi")
    else:
        conversion.draft.set_hole("training.python", "", "the line has no command")
    for unit in find_unread(conversion, text):
        conversion.lose(unit, "it is another command")


def _write_command(conversion: Conversion, command: Text, is_mpi: bool) -> None:
    """The quoted command, whose lines people break without backslashes before an option or a path."""
    chars = re.sub(r"(?<![;&|\\])\n(?=\s*(?:--?\w|\.?/|[\w/.-]+\.py\b))", " ", command.chars)
    line, facts = Text(chars, command.places), conversion.flags
    nodes = facts["workers"].number if "workers" in facts else 1
    devices = facts["gpus"].number if "gpus" in facts else 0
    runtime = make_runtime(conversion, {} if is_mpi else PYTORCH)
    slots = (1 if devices == 0 else devices) if is_mpi else None
    world = JobSize(nodes, slots, devices, runs_ranks=is_mpi or devices in (0, 1))
    if is_mpi:
        write_script(conversion, read_script(conversion, line, runtime), world, line)
    elif not write_shell(conversion, line, runtime, world):
        conversion.map(command, "launch.command[2]")
    write_expected_world(conversion)


def join_lines(text: str) -> str:
    """A pasted text, as long as it was: blanks for prompts, and its lines joined where backslashes are missing."""
    lines = ((PROMPT.match(line), line) for line in text.split("\n"))
    plain = "\n".join(" " * match.end() + line[match.end() :] if match else line for match, line in lines)
    return re.sub(r"(?<![\\\n])\n(?=[ \t]*[-\"'])", " ", plain)


def _find_command(conversion: Conversion, text: Text) -> list[Text]:
    """The words of the one command `arena` in a text. Raises ImportRefusedError if there is none, or several."""
    script = parse(text, conversion.source_map)
    expansion = Expansion(script, ShellScope(conversion.source_map, given=conversion.read_variables()))
    lines = (expansion.expand_words(list_arguments(node)) for node in walk_nodes(script.root) if node.type == "command")
    found = [words for words in lines if words and words[0].chars.rpartition("/")[2] == "arena"]
    at = conversion.source_map.resolve_place(text.places[0])
    if not found:
        raise ImportRefusedError("there is no command arena", at)
    if len(found) > 1:
        other = conversion.source_map.locate(found[1][0]) or at
        raise ImportRefusedError("there are several commands arena", other, "import them one by one")
    return found[0]


def _choose_unknown(following: Text | None) -> Row:
    """The row of a flag that dsgen does not know."""
    is_flag = following is None or following.chars.startswith("--") or " " in following.chars  # the command
    return UNKNOWN_FLAG if is_flag else UNKNOWN


def _note_number(key: str) -> Row:
    def write(option: Option) -> None:
        if option.value.number is None:
            option.lose("its value is no whole number", f"set {key}")
        else:
            option.map(key)
        option.conversion.flags[option.name] = option.value

    return Row(write)


def _write_image(option: Option) -> None:
    why = f"write the image, which is {option.conversion.source_map.format_text(option.value)} in the source"
    option.map(write_image(option.conversion, option.data or "", why))


def _write_variable(option: Option) -> None:
    name, _, value = option.value.partition("=")
    if name.chars == "GIT_SYNC_BRANCH":
        option.set("code.git.revision", value.chars)
    elif name.chars.startswith("GIT_SYNC_"):
        option.lose("dsgen clones with a Secret", "set code.git.secretName")
    else:
        write_value(option, name.chars, value)


def _write_volume(option: Option) -> None:
    """--data CLAIM:PATH, --data-dir HOST[:PATH]."""
    source, _, path = option.value.chars.partition(":")
    is_host, path = option.name == "data-dir", path or source
    if not source or not re.fullmatch(r"(/[^/:]+)+", path) or (is_host and not source.startswith("/")):
        option.lose("it is no volume with an absolute path", "set storage")
        return
    volume = {"hostPath": {"path": source}} if is_host else {"existingClaim": source}
    name = option.draft.choose_volume(posixpath.basename(source))
    option.set(("storage", name), {"mountPath": path, **volume})


def _write_pair(key: str) -> Row:
    def write(option: Option) -> None:
        name, has_value, value = option.value.chars.partition("=")
        if has_value and option.data:
            option.set((*key.split("."), name), value)
        else:
            option.lose("it is no name with a value", f"set {key}")

    return Row(write)


def _add_toleration(option: Option) -> None:
    match = re.fullmatch(r"([\w./-]+)(?:=([\w.-]*))?(?::(\w+))?(?:,(\w+))?", option.value.chars)
    toleration: dict[str, str] = {"operator": "Exists"}
    if match and option.data != "all":
        toleration = {"key": match[1], "operator": "Equal" if match[2] else "Exists"}
        toleration |= {key: value for key, value in (("value", match[2]), ("effect", match[3])) if value}
    option.map(option.draft.add("workers.tolerations", toleration))


def _write_code_folder(conversion: Conversion) -> None:
    """The folder of the code is that of Arena, so that the paths of the command are right."""
    draft = conversion.draft
    if repository := draft.get("code.git.repository"):
        name = posixpath.basename(str(repository)).removesuffix(".git")
        draft.set("code.mountPath", f"{CODE}/{name}")
        if not draft.get("training.workingDir"):
            draft.set("training.workingDir", HOME)
    elif draft.get("code.git"):
        draft.remove("code")
    if not draft.get("monitoring.tensorboard.enabled"):
        return
    folder = draft.get("monitoring.tensorboard.logDir") or "/training_logs"
    draft.set("monitoring.tensorboard.logDir", folder)
    mounts = [one.get("mountPath", "") for one in (draft.get("storage") or {}).values()]
    if not any(f"{folder}/".startswith(f"{mount}/") for mount in mounts):
        why = "Arena keeps the logs in the pod: write a claim that TensorBoard can mount, too"
        draft.set_hole(("storage", "logs"), {"mountPath": folder, "existingClaim": ""}, why)


TABLE: Mapping[str, Row] = {
    "name": to("name", lambda text: as_dns_name(text or "", 63) or None, why="no name of a job can be made of it"),
    **make_rows("namespace n", to("namespace", as_text)),
    "workers": _note_number("workers.replicas"),
    "gpus": _note_number("workers.slots"),
    "image": Row(_write_image),
    **make_rows("env e", Row(_write_variable)),
    **make_rows("data d data-dir", Row(_write_volume)),
    "cpu": to("workers.resources.limits.cpu", as_text),
    "memory": to("workers.resources.limits.memory", as_text),
    **make_rows("selector s worker-selector", _write_pair("workers.nodeSelector")),
    "toleration": Row(_add_toleration),
    **make_rows("label l", _write_pair("labels")),
    **make_rows("annotation a", _write_pair("annotations")),
    **make_rows("priority p", to("workers.priorityClassName", as_text)),
    "gang": fix("scheduling.gang", "coscheduling", 0),
    "rdma": fix(("network", "rdma", "resources", "rdma/hca"), 1, 0),
    **make_rows("sync-mode syncMode", when(
        ("git",), become("code.git.repository"),
        lose("dsgen copies no code by rsync", "set code.git, or put the code into the image"))),
    **make_rows("sync-source syncSource", to("code.git.repository", as_text)),
    **make_rows("sync-image syncImage", to("code.git.image", as_text)),
    "tensorboard": fix("monitoring.tensorboard.enabled", True, 0),
    "logdir": to("monitoring.tensorboard.logDir", as_text),
    **make_rows("tensorboard-image tensorboardImage", to("monitoring.tensorboard.image", as_text)),
    **make_rows("working-dir workingDir", to("training.workingDir", as_text)),
    "image-pull-secret": to("image.pullSecrets", lambda name: [{"name": name}]),
    "share-memory": to("workers.sharedMemory", as_text),
    "job-backoff-limit": to("lifecycle.maxRestarts", as_count),
    "scheduler": to("workers.schedulerName", as_text),
    "queue": to("scheduling.queue", as_text),
    "hostNetwork": fix("network.hostNetwork", True, 0),
    **make_rows("min-workers max-workers initBackend", lose(ELASTIC)),
    "nproc-per-node": to("workers.slots", as_count),
    "running-timeout": lose("dsgen counts seconds", "set lifecycle.activeDeadlineSeconds"),
    "ttl-after-finished": lose(TTL, "without Argo CD and Flux, set lifecycle.ttlSecondsAfterFinished"),
}  # fmt: skip
"""The flags of arena submit."""
