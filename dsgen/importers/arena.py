"""Lines of Arena: arena submit pytorchjob, mpijob, etjob and deepspeedjob."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from dsgen.importers.chosen import read_script
from dsgen.importers.container_commands import runtime_of
from dsgen.importers.conversion import Conversion, dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.flag_lines import Flag, Row, drop, flags, line_text, lose, mapped, to, whole, words_of, write_flag
from dsgen.importers.images import write_image
from dsgen.importers.launch import number
from dsgen.importers.mpijob import write_expected_world
from dsgen.importers.pod_fields import Pod
from dsgen.importers.pytorchjob import RUNTIME
from dsgen.importers.scripts import lose_unread, write_script
from dsgen.importers.texts import Text
from dsgen.importers.world import World
from dsgen.reading.nodes import SourceText

KINDS = {**dict.fromkeys(("pytorch", "pytorchjob", "py"), "pytorch"), **dict.fromkeys(("mpi", "mpijob", "mj"), "mpi"),
         **dict.fromkeys(("et", "etjob", "deepspeed", "deepspeedjob", "dp"), "mpi")}  # fmt: skip
CODE = "/root/code"
HOME = "/root"
ELASTIC = "a run of dsgen has a fixed number of workers"


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for jobs of other kinds."""
    text = conversion.atlas.file(source.name, line_text(source))
    words = words_of(conversion, text, "arena")
    submit = next((index for index, word in enumerate(words) if word.chars == "submit"), None)
    if submit is None or submit + 1 >= len(words) or words[submit + 1].chars not in KINDS:
        at = conversion.atlas.position(words[0])
        assert at is not None
        raise ImportRefusedError("dsgen converts arena submit pytorchjob, mpijob, etjob and deepspeedjob", at)
    kind = KINDS[words[submit + 1].chars]
    for word in words[: submit + 2]:
        conversion.drop(word, "the values describe the job")
    command = _flags(conversion, words[submit + 2 :])
    _code(conversion)
    facts = conversion.flags
    nodes, devices = number(facts.get("workers")) or 1, number(facts.get("gpus")) or 0
    conversion.is_container = True
    if not command:
        conversion.draft.hole("training.python", "", "the line has no command")
        lose_unread(conversion, text)
        return
    for word in command[:-1]:
        conversion.lose(word, "it belongs to no flag")
    runtime = runtime_of(conversion, RUNTIME if kind == "pytorch" else {})
    line = _joined(command[-1])
    script = read_script(conversion, line, runtime)
    world = World(nodes, (devices or 1) if kind == "mpi" else None, devices, runs_ranks=devices <= 1 or kind == "mpi")
    write_script(conversion, script, world, line)
    write_expected_world(conversion, Pod((), "launcher"))
    lose_unread(conversion, text)


def _joined(command: Text) -> Text:
    """The quoted command, whose lines people break without backslashes before an option or a path."""
    chars = re.sub(r"(?<![;&|\\])\n(?=\s*(?:--?\w|\.?/|[\w/.-]+\.py\b))", " ", command.chars)
    return Text(chars, command.places)


def _flags(conversion: Conversion, words: list[Text]) -> list[Text]:
    """Write the flags; returns the words that are no flags."""
    rest = []
    for flag in flags(words, TABLE):
        if flag.name:
            write_flag(conversion, flag, TABLE)
        else:
            rest.append(flag.value)
    return rest


def _fact(key: str) -> Row:
    def act(conversion: Conversion, flag: Flag) -> None:
        if number(flag.value) is None:
            for word in flag.words:
                conversion.lose(word, "its value is no whole number", f"set {key}")
        else:
            conversion.flags[flag.name] = flag.value
            mapped(conversion, flag, key)

    return Row(act)


def _name(conversion: Conversion, flag: Flag) -> None:
    found = dns_name(flag.value.chars, 63)
    mapped(
        conversion, flag, conversion.draft.set("name", found) if found else conversion.draft.hole("name", "", "no name")
    )


def _image(conversion: Conversion, flag: Flag) -> None:
    keys = write_image(conversion, flag.value.chars) if flag.value.is_known else []
    why = f"write the image, which is {conversion.atlas.shown(flag.value)} in the source"
    mapped(conversion, flag, keys[0] if keys else conversion.draft.hole("image.repository", "", why))


def _variable(conversion: Conversion, flag: Flag) -> None:
    name, _, value = flag.value.partition("=")
    if name.chars == "GIT_SYNC_BRANCH":
        mapped(conversion, flag, conversion.draft.set("code.git.revision", value.chars))
    elif name.chars.startswith("GIT_SYNC_"):
        for word in flag.words:
            conversion.lose(word, "dsgen clones with a Secret", "set code.git.secretName")
    else:
        write_value(conversion, name.chars, value, flag.words)


def _claim(conversion: Conversion, flag: Flag) -> None:
    """--data CLAIM:PATH."""
    claim, _, path = flag.value.chars.partition(":")
    name = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-")[:20].strip("-")
    if not name or not re.fullmatch(r"(/[^/:]+)+", path):
        for word in flag.words:
            conversion.lose(word, "it is no claim with a path", "set storage")
        return
    entry = {"mountPath": path, "existingClaim": claim}
    mapped(conversion, flag, conversion.draft.set(("storage", name), entry))


def _host_folder(conversion: Conversion, flag: Flag) -> None:
    """--data-dir HOST[:PATH]."""
    host, _, path = flag.value.chars.partition(":")
    name = dns_name(posixpath.basename(host), 20) or "host"
    if not host.startswith("/"):
        for word in flag.words:
            conversion.lose(word, "it is no absolute path", "set storage")
        return
    entry = {"mountPath": path or host, "hostPath": {"path": host}}
    mapped(conversion, flag, conversion.draft.set(("storage", name), entry))


def _pair(key: str) -> Row:
    def act(conversion: Conversion, flag: Flag) -> None:
        name, has_value, value = flag.value.chars.partition("=")
        if has_value and flag.value.is_known:
            mapped(conversion, flag, conversion.draft.set((*key.split("."), name), value))
        else:
            for word in flag.words:
                conversion.lose(word, "it is no name with a value", f"set {key}")

    return Row(act)


def _toleration(conversion: Conversion, flag: Flag) -> None:
    match = re.fullmatch(r"([\w./-]+)(?:=([\w.-]*))?(?::(\w+))?(?:,(\w+))?", flag.value.chars)
    toleration: dict[str, str] = {"operator": "Exists"}
    if match and flag.value.chars != "all":
        toleration = {"key": match[1], "operator": "Equal" if match[2] else "Exists"}
        toleration |= {key: value for key, value in (("value", match[2]), ("effect", match[3])) if value}
    mapped(conversion, flag, conversion.draft.add("workers.tolerations", toleration))


def _switch(key: str, value: object) -> Row:
    return Row(lambda conversion, flag: mapped(conversion, flag, conversion.draft.set(key, value)), is_switch=True)


def _amount(name: str) -> Row:
    def act(conversion: Conversion, flag: Flag) -> None:
        conversion.draft.set(("workers", "resources", "requests", name), flag.value.chars)
        mapped(conversion, flag, conversion.draft.set(("workers", "resources", "limits", name), flag.value.chars))

    return Row(act)


def _rdma(conversion: Conversion, flag: Flag) -> None:
    mapped(conversion, flag, conversion.draft.set(("network", "rdma", "resources", "rdma/hca"), 1))


def _sync(conversion: Conversion, flag: Flag) -> None:
    if flag.value.chars == "git":
        mapped(conversion, flag, "code.git.repository")
    else:
        for word in flag.words:
            conversion.lose(word, "dsgen copies no code by rsync", "set code.git, or put the code into the image")


def _board(conversion: Conversion, flag: Flag) -> None:
    conversion.draft.set("monitoring.tensorboard.enabled", True)
    mapped(conversion, flag, "monitoring.tensorboard.enabled")


def _log_folder(conversion: Conversion, flag: Flag) -> None:
    mapped(conversion, flag, conversion.draft.set("monitoring.tensorboard.logDir", flag.value.chars))


def _code(conversion: Conversion) -> None:
    """The folder of the code is that of Arena, so that the paths of the command are right."""
    draft = conversion.draft
    repository = draft.get("code.git.repository")
    if repository:
        name = posixpath.basename(str(repository)).removesuffix(".git")
        draft.set("code.mountPath", f"{CODE}/{name}")
        if not draft.get("training.workingDir"):
            draft.set("training.workingDir", HOME)
    elif draft.get("code.git"):
        draft.remove("code")
    if draft.get("monitoring.tensorboard.enabled") and not draft.get("monitoring.tensorboard.logDir"):
        draft.set("monitoring.tensorboard.logDir", "/training_logs")
    folder = draft.get("monitoring.tensorboard.logDir")
    mounts = [one.get("mountPath", "") for one in (draft.get("storage") or {}).values()]
    if (
        folder
        and draft.get("monitoring.tensorboard.enabled")
        and not any(f"{folder}/".startswith(f"{one}/") for one in mounts)
    ):
        hole = {"mountPath": folder, "existingClaim": ""}
        draft.hole(
            ("storage", "logs"), hole, "Arena keeps the logs in the pod: write a claim that TensorBoard can mount, too"
        )


TABLE: Mapping[str, Row] = {
    "name": Row(_name),
    **dict.fromkeys(("namespace", "n"), to("namespace")),
    "workers": _fact("workers.replicas"),
    "gpus": _fact("workers.slots"),
    "image": Row(_image),
    **dict.fromkeys(("env", "e"), Row(_variable)),
    **dict.fromkeys(("data", "d"), Row(_claim)),
    "data-dir": Row(_host_folder),
    "cpu": _amount("cpu"),
    "memory": _amount("memory"),
    **dict.fromkeys(("selector", "s"), _pair("workers.nodeSelector")),
    "toleration": Row(_toleration),
    **dict.fromkeys(("label", "l"), _pair("labels")),
    **dict.fromkeys(("annotation", "a"), _pair("annotations")),
    **dict.fromkeys(("priority", "p"), to("workers.priorityClassName")),
    "gang": _switch("scheduling.gang", "coscheduling"),
    "rdma": Row(_rdma, is_switch=True),
    **dict.fromkeys(("sync-mode", "syncMode"), Row(_sync)),
    **dict.fromkeys(("sync-source", "syncSource"), to("code.git.repository")),
    **dict.fromkeys(("sync-image", "syncImage"), to("code.git.image")),
    "tensorboard": Row(_board, is_switch=True),
    "logdir": Row(_log_folder),
    **dict.fromkeys(("tensorboard-image", "tensorboardImage"), to("monitoring.tensorboard.image")),
    **dict.fromkeys(("working-dir", "workingDir"), to("training.workingDir")),
    "image-pull-secret": Row(lambda conversion, flag: mapped(
        conversion, flag, conversion.draft.add("image.pullSecrets", {"name": flag.value.chars}))),
    "share-memory": to("workers.sharedMemory"),
    "job-backoff-limit": to("lifecycle.maxRestarts", whole),
    "running-timeout": lose("its value is a time with a unit", "set lifecycle.activeDeadlineSeconds"),
    "ttl-after-finished": lose("Argo CD and Flux would recreate the Jobs", "set lifecycle.ttlSecondsAfterFinished"),
    "clean-task-policy": drop("workers end with the run"),
    "job-restart-policy": lose("the source does not say how often a failed training may restart",
                               "set lifecycle.maxRestarts"),
    "scheduler": to("workers.schedulerName"),
    "queue": to("scheduling.queue"),
    "config-file": lose("dsgen mounts files by training.files", "set training.files"),
    "device": lose("dsgen has one device resource", "set workers.accelerator.resource"),
    "loglevel": drop("it is a flag of the command line itself"),
    "trace": drop("it is a flag of the command line itself", is_switch=True),
    "shell": drop("the command is read as one of bash"),
    "hostNetwork": _switch("network.hostNetwork", True),
    "mounts-on-launcher": drop("workers and launcher have the same volumes", is_switch=True),
    "gpu-topology": lose("dsgen has no equivalent of it", is_switch=True),
    "launcher-selector": _pair("launcher.nodeSelector"),
    "worker-selector": _pair("workers.nodeSelector"),
    "launcher-annotation": _pair("launcher.podAnnotations"),
    "worker-annotation": _pair("workers.podAnnotations"),
    **dict.fromkeys(("min-workers", "max-workers", "initBackend"), lose(ELASTIC)),
    "nproc-per-node": to("workers.slots", whole),
    "output": drop("it is a flag of the command line itself"),
}  # fmt: skip
"""The flags of arena submit."""
