"""Lines of Arena: arena submit pytorchjob, mpijob, etjob and deepspeedjob."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from dsgen.importers.container_commands import make_runtime
from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.flag_lines import (
    Flag,
    FlagRow,
    as_count,
    drop,
    find_command,
    join_lines,
    lose,
    map_flag,
    read_flags,
    to,
    write_flag,
)
from dsgen.importers.images import write_image
from dsgen.importers.launch import as_number
from dsgen.importers.mpijob import write_expected_world
from dsgen.importers.pod_fields import Pod
from dsgen.importers.pytorchjob import RUNTIME
from dsgen.importers.scripts import lose_unread, write_script
from dsgen.importers.statements import read_script
from dsgen.importers.texts import Text
from dsgen.reading.nodes import SourceText

KINDS = {**dict.fromkeys(("pytorch", "pytorchjob", "py"), "pytorch"), **dict.fromkeys(("mpi", "mpijob", "mj"), "mpi"),
         **dict.fromkeys(("et", "etjob", "deepspeed", "deepspeedjob", "dp"), "mpi")}  # fmt: skip
CODE = "/root/code"
HOME = "/root"
ELASTIC = "a run shrinks after a loss only (workers.min)"


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for jobs of other kinds."""
    text = conversion.atlas.add_file(source.name, join_lines(source))
    words = find_command(conversion, text, "arena")
    submit = next((index for index, word in enumerate(words) if word.chars == "submit"), None)
    if submit is None or submit + 1 >= len(words) or words[submit + 1].chars not in KINDS:
        at = conversion.atlas.locate(words[0])
        assert at is not None
        raise ImportRefusedError("dsgen converts arena submit pytorchjob, mpijob, etjob and deepspeedjob", at)
    kind = KINDS[words[submit + 1].chars]
    for word in words[: submit + 2]:
        conversion.drop(word, "the values describe the job")
    command = _write_flags(conversion, words[submit + 2 :])
    _write_code_folder(conversion)
    facts = conversion.flags
    nodes, devices = as_number(facts.get("workers")) or 1, as_number(facts.get("gpus")) or 0
    conversion.is_container = True
    if not command:
        conversion.draft.set_hole("training.python", "", "the line has no command")
        lose_unread(conversion, text)
        return
    for word in command[:-1]:
        conversion.lose(word, "it belongs to no flag")
    runtime = make_runtime(conversion, RUNTIME if kind == "pytorch" else {})
    line = _join_command(command[-1])
    script = read_script(conversion, line, runtime)
    world = JobSize(nodes, (devices or 1) if kind == "mpi" else None, devices, runs_ranks=devices <= 1 or kind == "mpi")
    write_script(conversion, script, world, line)
    write_expected_world(conversion, Pod((), "launcher"))
    lose_unread(conversion, text)


def _join_command(command: Text) -> Text:
    """The quoted command, whose lines people break without backslashes before an option or a path."""
    chars = re.sub(r"(?<![;&|\\])\n(?=\s*(?:--?\w|\.?/|[\w/.-]+\.py\b))", " ", command.chars)
    return Text(chars, command.places)


def _write_flags(conversion: Conversion, words: list[Text]) -> list[Text]:
    """Write the flags; returns the words that are no flags."""
    rest = []
    for flag in read_flags(words, TABLE):
        if flag.name:
            write_flag(conversion, flag, TABLE)
        else:
            rest.append(flag.value)
    return rest


def _note_number(key: str) -> FlagRow:
    def convert_part(conversion: Conversion, flag: Flag) -> None:
        if as_number(flag.value) is None:
            for word in flag.words:
                conversion.lose(word, "its value is no whole number", f"set {key}")
        else:
            conversion.flags[flag.name] = flag.value
            map_flag(conversion, flag, key)

    return FlagRow(convert_part)


def _write_name(conversion: Conversion, flag: Flag) -> None:
    found = as_dns_name(flag.value.chars, 63)
    map_flag(
        conversion,
        flag,
        conversion.draft.set("name", found) if found else conversion.draft.set_hole("name", "", "no name"),
    )


def _write_image_flag(conversion: Conversion, flag: Flag) -> None:
    keys = write_image(conversion, flag.value.chars) if flag.value.is_known else []
    why = f"write the image, which is {conversion.atlas.format_text(flag.value)} in the source"
    map_flag(conversion, flag, keys[0] if keys else conversion.draft.set_hole("image.repository", "", why))


def _write_variable(conversion: Conversion, flag: Flag) -> None:
    name, _, value = flag.value.partition("=")
    if name.chars == "GIT_SYNC_BRANCH":
        map_flag(conversion, flag, conversion.draft.set("code.git.revision", value.chars))
    elif name.chars.startswith("GIT_SYNC_"):
        for word in flag.words:
            conversion.lose(word, "dsgen clones with a Secret", "set code.git.secretName")
    else:
        write_value(conversion, name.chars, value, flag.words)


def _write_claim(conversion: Conversion, flag: Flag) -> None:
    """--data CLAIM:PATH."""
    claim, _, path = flag.value.chars.partition(":")
    name = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-")[:20].strip("-")
    if not name or not re.fullmatch(r"(/[^/:]+)+", path):
        for word in flag.words:
            conversion.lose(word, "it is no claim with a path", "set storage")
        return
    entry = {"mountPath": path, "existingClaim": claim}
    map_flag(conversion, flag, conversion.draft.set(("storage", name), entry))


def _write_host_folder(conversion: Conversion, flag: Flag) -> None:
    """--data-dir HOST[:PATH]."""
    host, _, path = flag.value.chars.partition(":")
    name = as_dns_name(posixpath.basename(host), 20) or "host"
    if not host.startswith("/"):
        for word in flag.words:
            conversion.lose(word, "it is no absolute path", "set storage")
        return
    entry = {"mountPath": path or host, "hostPath": {"path": host}}
    map_flag(conversion, flag, conversion.draft.set(("storage", name), entry))


def _write_pair(key: str) -> FlagRow:
    def convert_part(conversion: Conversion, flag: Flag) -> None:
        name, has_value, value = flag.value.chars.partition("=")
        if has_value and flag.value.is_known:
            map_flag(conversion, flag, conversion.draft.set((*key.split("."), name), value))
        else:
            for word in flag.words:
                conversion.lose(word, "it is no name with a value", f"set {key}")

    return FlagRow(convert_part)


def _add_toleration(conversion: Conversion, flag: Flag) -> None:
    match = re.fullmatch(r"([\w./-]+)(?:=([\w.-]*))?(?::(\w+))?(?:,(\w+))?", flag.value.chars)
    toleration: dict[str, str] = {"operator": "Exists"}
    if match and flag.value.chars != "all":
        toleration = {"key": match[1], "operator": "Equal" if match[2] else "Exists"}
        toleration |= {key: value for key, value in (("value", match[2]), ("effect", match[3])) if value}
    map_flag(conversion, flag, conversion.draft.add("workers.tolerations", toleration))


def _write_switch(key: str, value: object) -> FlagRow:
    return FlagRow(
        lambda conversion, flag: map_flag(conversion, flag, conversion.draft.set(key, value)), is_switch=True
    )


def _write_amount(name: str) -> FlagRow:
    def convert_part(conversion: Conversion, flag: Flag) -> None:
        conversion.draft.set(("workers", "resources", "requests", name), flag.value.chars)
        map_flag(conversion, flag, conversion.draft.set(("workers", "resources", "limits", name), flag.value.chars))

    return FlagRow(convert_part)


def _write_rdma(conversion: Conversion, flag: Flag) -> None:
    map_flag(conversion, flag, conversion.draft.set(("network", "rdma", "resources", "rdma/hca"), 1))


def _report_sync_mode(conversion: Conversion, flag: Flag) -> None:
    if flag.value.chars == "git":
        map_flag(conversion, flag, "code.git.repository")
    else:
        for word in flag.words:
            conversion.lose(word, "dsgen copies no code by rsync", "set code.git, or put the code into the image")


def _enable_tensorboard(conversion: Conversion, flag: Flag) -> None:
    conversion.draft.set("monitoring.tensorboard.enabled", True)
    map_flag(conversion, flag, "monitoring.tensorboard.enabled")


def _write_log_folder(conversion: Conversion, flag: Flag) -> None:
    map_flag(conversion, flag, conversion.draft.set("monitoring.tensorboard.logDir", flag.value.chars))


def _write_code_folder(conversion: Conversion) -> None:
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
        draft.set_hole(
            ("storage", "logs"), hole, "Arena keeps the logs in the pod: write a claim that TensorBoard can mount, too"
        )


TABLE: Mapping[str, FlagRow] = {
    "name": FlagRow(_write_name),
    **dict.fromkeys(("namespace", "n"), to("namespace")),
    "workers": _note_number("workers.replicas"),
    "gpus": _note_number("workers.slots"),
    "image": FlagRow(_write_image_flag),
    **dict.fromkeys(("env", "e"), FlagRow(_write_variable)),
    **dict.fromkeys(("data", "d"), FlagRow(_write_claim)),
    "data-dir": FlagRow(_write_host_folder),
    "cpu": _write_amount("cpu"),
    "memory": _write_amount("memory"),
    **dict.fromkeys(("selector", "s"), _write_pair("workers.nodeSelector")),
    "toleration": FlagRow(_add_toleration),
    **dict.fromkeys(("label", "l"), _write_pair("labels")),
    **dict.fromkeys(("annotation", "a"), _write_pair("annotations")),
    **dict.fromkeys(("priority", "p"), to("workers.priorityClassName")),
    "gang": _write_switch("scheduling.gang", "coscheduling"),
    "rdma": FlagRow(_write_rdma, is_switch=True),
    **dict.fromkeys(("sync-mode", "syncMode"), FlagRow(_report_sync_mode)),
    **dict.fromkeys(("sync-source", "syncSource"), to("code.git.repository")),
    **dict.fromkeys(("sync-image", "syncImage"), to("code.git.image")),
    "tensorboard": FlagRow(_enable_tensorboard, is_switch=True),
    "logdir": FlagRow(_write_log_folder),
    **dict.fromkeys(("tensorboard-image", "tensorboardImage"), to("monitoring.tensorboard.image")),
    **dict.fromkeys(("working-dir", "workingDir"), to("training.workingDir")),
    "image-pull-secret": FlagRow(lambda conversion, flag: map_flag(
        conversion, flag, conversion.draft.add("image.pullSecrets", {"name": flag.value.chars}))),
    "share-memory": to("workers.sharedMemory"),
    "job-backoff-limit": to("lifecycle.maxRestarts", as_count),
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
    "hostNetwork": _write_switch("network.hostNetwork", True),
    "mounts-on-launcher": drop("workers and launcher have the same volumes", is_switch=True),
    "gpu-topology": lose("dsgen has no equivalent of it", is_switch=True),
    "launcher-selector": _write_pair("launcher.nodeSelector"),
    "worker-selector": _write_pair("workers.nodeSelector"),
    "launcher-annotation": _write_pair("launcher.podAnnotations"),
    "worker-annotation": _write_pair("workers.podAnnotations"),
    **dict.fromkeys(("min-workers", "max-workers", "initBackend"), lose(ELASTIC)),
    "nproc-per-node": to("workers.slots", as_count),
    "output": drop("it is a flag of the command line itself"),
}  # fmt: skip
"""The flags of arena submit."""
