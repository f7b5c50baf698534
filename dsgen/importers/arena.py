"""Lines of Arena: arena submit pytorchjob, mpijob, etjob and deepspeedjob."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

from dsgen.importers.container_commands import make_runtime
from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.facts import JobSize, Role
from dsgen.importers.fields import Action, Option, Row, as_count, as_text, drop, lose, to
from dsgen.importers.images import write_image
from dsgen.importers.kinds import write_expected_world
from dsgen.importers.launch import as_number
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.objects import ELASTIC
from dsgen.importers.operators import PYTORCH
from dsgen.importers.origins import PROMPT
from dsgen.importers.scripts import lose_unread, write_script
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.reader import list_arguments
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.shell.substitutions import substitute_command
from dsgen.importers.shell.syntax import Script, parse, walk_nodes
from dsgen.importers.statements import read_script
from dsgen.importers.texts import Text
from dsgen.reading.nodes import SourceText

KINDS = {**dict.fromkeys(("pytorch", "pytorchjob", "py"), "pytorch"), **dict.fromkeys(("mpi", "mpijob", "mj"), "mpi"),
         **dict.fromkeys(("et", "etjob", "deepspeed", "deepspeedjob", "dp"), "mpi")}  # fmt: skip
CODE = "/root/code"
HOME = "/root"
UNKNOWN = lose("dsgen knows no equivalent of this flag")


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for jobs of other kinds."""
    text = conversion.atlas.add_file(source.name, join_lines(source))
    words = find_command(conversion, text, "arena")
    submit = next((index for index, word in enumerate(words) if word.chars == "submit"), None)
    if submit is None or submit + 1 >= len(words) or words[submit + 1].chars not in KINDS:
        at = conversion.atlas.locate(words[0])
        assert at is not None
        raise ImportRefusedError("dsgen converts arena submit pytorchjob, mpijob, etjob and deepspeedjob", at)
    is_mpi = KINDS[words[submit + 1].chars] == "mpi"
    for word in words[: submit + 2]:
        conversion.drop(word, "the values describe the job")
    command = read_options(conversion, words[submit + 2 :], TABLE)
    _write_code_folder(conversion)
    facts = conversion.flags
    nodes = as_number(facts["workers"]) if "workers" in facts else 1
    devices = as_number(facts["gpus"]) if "gpus" in facts else 0
    conversion.is_container = True
    if not command:
        conversion.draft.set_hole("training.python", "", "the line has no command")
        lose_unread(conversion, text)
        return
    for word in command[:-1]:
        conversion.lose(word, "it belongs to no flag")
    line = _join_command(command[-1])
    script = read_script(conversion, line, make_runtime(conversion, {} if is_mpi else PYTORCH))
    slots = (1 if devices == 0 else devices) if is_mpi else None
    world = JobSize(nodes, slots, devices, runs_ranks=is_mpi or devices in (0, 1))
    write_script(conversion, script, world, line)
    write_expected_world(conversion, Role())
    lose_unread(conversion, text)


def join_lines(source: SourceText) -> str:
    """The text of a pasted line, as long as the source: without its prompt, its lines joined where a shell needs it."""
    lines = source.text.split("\n")
    joined, quote = list[str](), ""
    for number, line in enumerate(lines):
        match = PROMPT.match(line)
        line = " " * match.end() + line[match.end() :] if match else line
        follows = number + 1 < len(lines) and re.match(r"\s*(-|\"|')", lines[number + 1])
        quote = _find_open_quote(line, quote)
        is_end = quote or not follows or line.rstrip().endswith("\\") or not line.strip()
        joined.append(line + ("\n" if is_end else " "))
    return "".join(joined)[: len(source.text)]


def _find_open_quote(line: str, quote: str) -> str:
    """The quote that is open at the end of a line."""
    escaped = False
    for char in line:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote and char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
    return quote


def find_command(conversion: Conversion, text: Text, program: str) -> list[Text]:
    """The words of the one command of a program in a text. Raises ImportRefusedError if there is none, or several."""
    script = parse(text, conversion.atlas)
    scope = ShellScope(conversion.atlas, given=conversion.read_variables())
    found = []
    for node in walk_nodes(script.root):
        if node.type == "command":
            words = _make_expansion(script, scope).expand_words(list_arguments(node))
            if words and words[0].chars.rpartition("/")[2] == program:
                found.append(words)
    at = conversion.atlas.resolve_place(text.places[0])
    if not found:
        raise ImportRefusedError(f"there is no command {program}", at)
    if len(found) > 1:
        other = conversion.atlas.locate(found[1][0]) or at
        raise ImportRefusedError(f"there are several commands {program}", other, "import them one by one")
    return found[0]


def _make_expansion(script: Script, scope: ShellScope) -> Expansion:
    expansion = Expansion(script, scope, lambda node, _: substitute_command(node, expansion, None))
    return expansion


def read_options(conversion: Conversion, words: Sequence[Text], table: Mapping[str, Action]) -> list[Text]:
    """Do with each option of a line what the table says; one that it does not name is lost. Returns the other words."""
    rest, others = list(words), list[Text]()
    while rest:
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        if not word.chars.startswith("-") or word.chars in ("-", "--"):
            others.append(word)
            continue
        bare, parts = name.chars.lstrip("-"), [word]
        row = table.get(bare, UNKNOWN)
        if not has_value and (not isinstance(row, Row) or row.values) and rest and not rest[0].chars.startswith("--"):
            value = rest.pop(0)
            parts.append(value)
        option = Option(conversion, bare, parts, value if has_value or len(parts) > 1 else Text())
        row(option)
    return others


def _join_command(command: Text) -> Text:
    """The quoted command, whose lines people break without backslashes before an option or a path."""
    chars = re.sub(r"(?<![;&|\\])\n(?=\s*(?:--?\w|\.?/|[\w/.-]+\.py\b))", " ", command.chars)
    return Text(chars, command.places)


def _note_number(key: str) -> Action:
    def write(option: Option) -> None:
        if as_number(option.value) is None:
            option.lose("its value is no whole number", f"set {key}")
        else:
            option.map(key)
        option.conversion.flags[option.name] = option.value

    return write


def _write_name(option: Option) -> None:
    found = as_dns_name(option.value.chars, 63)
    option.map(option.draft.set("name", found) if found else option.draft.set_hole("name", "", "no name"))


def _write_image(option: Option) -> None:
    keys = write_image(option.conversion, option.data) if option.data else []
    why = f"write the image, which is {option.conversion.atlas.format_text(option.value)} in the source"
    option.map(keys[0] if keys else option.draft.set_hole("image.repository", "", why))


def _write_variable(option: Option) -> None:
    name, _, value = option.value.partition("=")
    if name.chars == "GIT_SYNC_BRANCH":
        option.set("code.git.revision", value.chars)
    elif name.chars.startswith("GIT_SYNC_"):
        option.lose("dsgen clones with a Secret", "set code.git.secretName")
    else:
        write_value(option.conversion, name.chars, value, option.words)


def _write_claim(option: Option) -> None:
    """--data CLAIM:PATH."""
    claim, _, path = option.value.chars.partition(":")
    name = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-")[:20].strip("-")
    if not name or not re.fullmatch(r"(/[^/:]+)+", path):
        option.lose("it is no claim with a path", "set storage")
    else:
        option.set(("storage", name), {"mountPath": path, "existingClaim": claim})


def _write_host_folder(option: Option) -> None:
    """--data-dir HOST[:PATH]."""
    host, _, path = option.value.chars.partition(":")
    if host.startswith("/"):
        name = as_dns_name(posixpath.basename(host), 20) or "host"
        option.set(("storage", name), {"mountPath": path or host, "hostPath": {"path": host}})
    else:
        option.lose("it is no absolute path", "set storage")


def _write_pair(key: str) -> Action:
    def write(option: Option) -> None:
        name, has_value, value = option.value.chars.partition("=")
        if has_value and option.data:
            option.set((*key.split("."), name), value)
        else:
            option.lose("it is no name with a value", f"set {key}")

    return write


def _add_toleration(option: Option) -> None:
    match = re.fullmatch(r"([\w./-]+)(?:=([\w.-]*))?(?::(\w+))?(?:,(\w+))?", option.value.chars)
    toleration: dict[str, str] = {"operator": "Exists"}
    if match and option.data != "all":
        toleration = {"key": match[1], "operator": "Equal" if match[2] else "Exists"}
        toleration |= {key: value for key, value in (("value", match[2]), ("effect", match[3])) if value}
    option.map(option.draft.add("workers.tolerations", toleration))


def _switch(*key: str, value: object = True) -> Row:
    return Row(lambda option: option.set(key, value), 0)


def _write_amount(option: Option) -> None:
    option.draft.set(("workers", "resources", "requests", option.name), option.value.chars)
    option.set(("workers", "resources", "limits", option.name), option.value.chars)


def _report_sync_mode(option: Option) -> None:
    if option.data == "git":
        option.map("code.git.repository")
    else:
        option.lose("dsgen copies no code by rsync", "set code.git, or put the code into the image")


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
    if not any(f"{folder}/".startswith(f"{one}/") for one in mounts):
        why = "Arena keeps the logs in the pod: write a claim that TensorBoard can mount, too"
        draft.set_hole(("storage", "logs"), {"mountPath": folder, "existingClaim": ""}, why)


OF_LINE = drop("it is a flag of the command line itself")
TABLE: Mapping[str, Action] = {
    "name": _write_name,
    **dict.fromkeys(("namespace", "n"), to("namespace", as_text)),
    "workers": _note_number("workers.replicas"),
    "gpus": _note_number("workers.slots"),
    "image": _write_image,
    **dict.fromkeys(("env", "e"), _write_variable),
    **dict.fromkeys(("data", "d"), _write_claim),
    "data-dir": _write_host_folder,
    **dict.fromkeys(("cpu", "memory"), _write_amount),
    **dict.fromkeys(("selector", "s", "worker-selector"), _write_pair("workers.nodeSelector")),
    "toleration": _add_toleration,
    **dict.fromkeys(("label", "l"), _write_pair("labels")),
    **dict.fromkeys(("annotation", "a"), _write_pair("annotations")),
    **dict.fromkeys(("priority", "p"), to("workers.priorityClassName", as_text)),
    "gang": _switch("scheduling", "gang", value="coscheduling"),
    "rdma": _switch("network", "rdma", "resources", "rdma/hca", value=1),
    **dict.fromkeys(("sync-mode", "syncMode"), _report_sync_mode),
    **dict.fromkeys(("sync-source", "syncSource"), to("code.git.repository", as_text)),
    **dict.fromkeys(("sync-image", "syncImage"), to("code.git.image", as_text)),
    "tensorboard": _switch("monitoring", "tensorboard", "enabled"),
    "logdir": to("monitoring.tensorboard.logDir", as_text),
    **dict.fromkeys(("tensorboard-image", "tensorboardImage"), to("monitoring.tensorboard.image", as_text)),
    **dict.fromkeys(("working-dir", "workingDir"), to("training.workingDir", as_text)),
    "image-pull-secret": lambda option: option.map(option.draft.add("image.pullSecrets", {"name": option.value.chars})),
    "share-memory": to("workers.sharedMemory", as_text),
    "job-backoff-limit": to("lifecycle.maxRestarts", as_count),
    "running-timeout": lose("its value is a time with a unit", "set lifecycle.activeDeadlineSeconds"),
    "ttl-after-finished": lose("Argo CD and Flux would recreate the Jobs", "set lifecycle.ttlSecondsAfterFinished"),
    "clean-task-policy": drop("workers end with the run"),
    "job-restart-policy": lose("the source does not say how often a failed training may restart",
                               "set lifecycle.maxRestarts"),
    "scheduler": to("workers.schedulerName", as_text),
    "queue": to("scheduling.queue", as_text),
    "config-file": lose("dsgen mounts files by training.files", "set training.files"),
    "device": lose("dsgen has one device resource", "set workers.accelerator.resource"),
    **dict.fromkeys(("loglevel", "output"), OF_LINE),
    "trace": Row(OF_LINE.action, 0),
    "shell": drop("the command is read as one of bash"),
    "hostNetwork": _switch("network", "hostNetwork"),
    "mounts-on-launcher": drop("workers and launcher have the same volumes", 0),
    "gpu-topology": lose("dsgen has no equivalent of it", values=0),
    "launcher-selector": _write_pair("launcher.nodeSelector"),
    "launcher-annotation": _write_pair("launcher.podAnnotations"),
    "worker-annotation": _write_pair("workers.podAnnotations"),
    **dict.fromkeys(("min-workers", "max-workers", "initBackend"), lose(ELASTIC)),
    "nproc-per-node": to("workers.slots", as_count),
}  # fmt: skip
"""The flags of arena submit."""
