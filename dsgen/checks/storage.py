"""Volumes: their sources, where they are mounted, and mounts that conflict."""

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.rule import Problem, Problems, UnknownValueError, Values, error, warning
from dsgen.deepspeed.options import ProgramOption, list_options
from dsgen.generated import helpers
from dsgen.language.functions import matching
from dsgen.language.text import quote, to_json
from dsgen.problems import KeyPath, Severity, path_text
from dsgen.schema import look_up

Mount = tuple[KeyPath, str, str, Mapping[str, Any]]
"""The key of the mount, its name in messages, its path, and its volume (the code has only a mountPath)."""

SOURCES = (
    *("existingClaim", "create", "nfs", "hostPath", "emptyDir", "ephemeral"),
    *("csi", "configMap", "secret", "projected"),
)
NOTHING = "^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$"
"""The quantity 0 as JSON, with or without quotes."""
READ_ONLY = ("configMap", "secret", "projected")
OF_ONE_POD = ("emptyDir", "ephemeral")
PODS = ("workers", "launcher")
SHARE = "use ReadWriteMany, which is the default of accessModes"


def list_sources(volume: Any) -> list[str]:
    return [one for one in SOURCES if one in volume and (volume[one] or one != "existingClaim")]


def is_on_volume(values: Values, path: str, kind: str = "any") -> bool:
    """Whether a path is on a volume of the workers of a kind: any, writable, kept, or copied (by a sidecar)."""
    found = [
        (len(volume.mountPath), name)
        for name, volume in values.storage.items()
        if volume.mountPath
        and f"{path}/".startswith(f"{posixpath.normpath(volume.mountPath)}/")
        and helpers.is_mounted_in(values, volume, "workers")
    ]
    if not found:
        return False
    name = max(found)[1]  # the innermost
    volume = values.storage[name]
    source = list_sources(volume)[:1]
    is_writable = not volume.readOnly and source not in [[one] for one in READ_ONLY]
    is_kept = source not in [[one] for one in OF_ONE_POD]
    is_copied = is_kept or bool(helpers.used_in_pod(values.workers, name))
    return {"any": True, "kept": is_kept, "copied": is_copied, "writable": is_writable}[kind]


def _where(path: KeyPath) -> str:
    """How messages name the volume of a path."""
    return f"storage.{path[1]}"


@error("DS362", "storage.*", hint="set storage.NAME.mountPath to the folder that the training uses, such as /data")
def refuse_unmounted(values: Values, path: KeyPath, volume: Any) -> Problems:
    is_used = any(helpers.used_in_pod(values[role], str(path[1])) for role in PODS)
    if not volume.mountPath and not is_used:
        yield Problem(f"{_where(path)} has no mountPath, and no init container or sidecar mounts it")


@error(
    "DS210",
    "storage.*",
    hint=f"set one of {', '.join(SOURCES[:-1])} and {SOURCES[-1]}, such as create: {{}}",
)
def require_source(_: Values, path: KeyPath, volume: Any) -> Problems:
    if not list_sources(volume):
        yield Problem(f"{_where(path)}: the volume has no source")


@error("DS211", "storage.*", hint="keep one of them", at_key=True)
def refuse_several_sources(_: Values, path: KeyPath, volume: Any) -> Problems:
    first, *others = list_sources(volume) or [""]
    for other in others:
        yield Problem(f"{_where(path)}: {first} and {other} are mutually exclusive", (*path, other))


@error("DS214", "storage.*.subPath", hint="use a path inside the volume, without ..")
def refuse_path_outside(_: Values, path: KeyPath, volume: Any) -> Problems:
    if ".." in volume.subPath.split("/"):
        yield Problem(f"{path_text(path)}: {quote(volume.subPath)} leaves the volume, which Kubernetes refuses")


@warning("DS215", "storage.*.create.accessModes", hint=SHARE)
def warn_of_one_node(values: Values, path: KeyPath, volume: Any) -> Problems:
    modes = volume.create.accessModes if volume.create is not None else ()
    if "ReadWriteOnce" in modes and "ReadWriteMany" not in modes and "ReadOnlyMany" not in modes:
        pods = int(helpers.worker_pods(values))
        if volume.mountIn != "launcher" and pods > 1:
            only = "a ReadWriteOnce volume can be attached to one node only"
            yield Problem(f"{_where(path)}: {only}, but {pods} workers mount it")


@error("DS218", "storage.*.create.accessModes", hint="keep one of them")
def refuse_other_modes(_: Values, path: KeyPath, volume: Any) -> Problems:
    modes = volume.create.accessModes if volume.create is not None else ()
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        yield Problem(f"{_where(path)}: ReadWriteOncePod cannot be combined with other access modes")


@error("DS219", "storage.*.create.size", hint="set a size such as 100Gi")
def refuse_empty_claim(_: Values, path: KeyPath, volume: Any) -> Problems:
    if volume.create is not None and matching(to_json(volume.create.size), NOTHING):
        yield Problem(f"{path_text(path)}: Kubernetes refuses a claim of size 0")


@warning(
    "DS217",
    "storage.*.create.storageClass",
    hint="describe the volume in create.persistentVolume, or remove storageClass to use the cluster's default",
)
def warn_of_no_class(_: Values, path: KeyPath, volume: Any) -> Problems:
    create = volume.create
    if create is not None and not create.persistentVolume and create.storageClass == "":
        yield Problem(
            f'{_where(path)}.create: with storageClass: "" nothing provisions the volume; the claim waits for a'
            " matching PersistentVolume"
        )


# -- folders to which the workers write -------------------------------------------------------------------------------

OFFLOADED = ("offload_optimizer", "offload_param")
CONFIG: KeyPath = ("training", "deepspeed", "config")
FOLDERS = ("training.rankLogs", "lifecycle.progress.checkpointPath", "training.deepspeed.resize.checkpoint")
NO_INPUT = "(?!(load|resume|init|pretrained)_)"
WRITES = (
    rf"{NO_INPUT}(\w+_)?(out|output|save|log|logs|logging|results?|tensorboard|dump|export|default_root)"
    r"((_\w+)?_?(dir|path|folder|directory))?"
)
"""Options for folders of results, such as output_dir."""
KEEPS = rf"({WRITES}|{NO_INPUT}(\w+_)?(checkpoints?|ckpt|exp|experiment|work|run)_?(dir|folder|directory))"
"""The same, with those that some programs only read."""
READS = (
    r"(\w+_)?(data|datasets?|corpus|train|valid(ation)?|val|eval|test)(_?(dir|path|files?|folder|root|prefix|name))?"
    r"|(pretrained_|reward_|teacher_|ref_|base_)?(model|tokenizer)(_?(dir|path|model|name_or_path))?"
    r"|(vocab|merges?)_file|load|resume(_from(_checkpoint)?)?"
)
"""Options for data and models."""
TORCHTUNE = "_component_:"
"""In its YAML files, checkpoint_dir is the folder of the model that it reads."""
LEFT = r"/([$].*|(dev|job|proc)(/.*)?)"
"""Folders of which nothing is known, or that are no folders of the user."""


def _is_absolute(folder: str) -> bool:
    return matching(folder, "^/[^/].*$")


def _list_given_folders(values: Values, names: str) -> Iterator[tuple[ProgramOption, str]]:
    """The options of these names and their folders; none where only the image knows the working folder."""
    base = values.training.workingDir or (values.code.mountPath if helpers.has_code(values, "workers") else "")
    for option in list_options(values):
        if option.value[:1] in ("", "-") or not ("/" in option.value or option.name.endswith("dir")):
            continue
        folder = posixpath.normpath(posixpath.join(base, option.value))
        is_read = option.name == "checkpoint_dir" and TORCHTUNE in look_up(values, option.path)
        is_other = is_read or "://" in option.value or re.fullmatch(LEFT, folder)
        if not is_other and re.fullmatch(names, option.name.replace(".", "_")) and _is_absolute(folder):
            yield option, folder


def _list_folders(values: Values, names: str) -> Iterator[tuple[KeyPath, str, str]]:
    """The folders to which the training writes: where each is named, and how messages call that place."""
    for key in FOLDERS:
        yield tuple(key.split(".")), f"{key}:", look_up(values, tuple(key.split(".")))
    zero = values.training.deepspeed.config.zero_optimization
    for part in OFFLOADED if isinstance(zero, dict) else ():
        given, path = zero.get(part), (*CONFIG, "zero_optimization", part, "nvme_path")
        if isinstance(given, dict) and given.get("device") == "nvme" and isinstance(given.get("nvme_path"), str):
            yield path, f"{path_text(path)}:", given["nvme_path"]
    for option, folder in _list_given_folders(values, names):
        yield option.path, f"{path_text(option.path)}: {option.written}", folder


@warning("DS387", "training", hint="mount a volume there, or choose a folder on one")
def warn_of_lost_files(values: Values) -> Problems:
    what = "is on no volume of storage, so its files fill the disk of the node and are lost with the pod"
    for path, where, folder in _list_folders(values, KEEPS):
        if _is_absolute(folder) and not is_on_volume(values, folder):
            yield Problem(f"{where} {quote(folder)} {what}", path)


@error("DS388", "training", hint="choose a folder on a volume without readOnly")
def refuse_read_only_folders(values: Values) -> Problems:
    for path, where, folder in _list_folders(values, WRITES):
        if _is_absolute(folder) and is_on_volume(values, folder) and not is_on_volume(values, folder, "writable"):
            severity: Severity | None = None if where.endswith(":") else "warning"
            yield Problem(f"{where} {quote(folder)} is on a volume that is mounted read-only", path, "", severity)


@warning(
    "DS389",
    "lifecycle.progress.checkpointPath",
    hint="write checkpoints to a volume that all workers share and keep, such as create: {}",
)
def warn_of_checkpoints_of_one_worker(values: Values) -> Problems:
    folder = values.lifecycle.progress.checkpointPath
    if not _is_absolute(folder) or int(helpers.worker_pods(values)) <= 1:
        return
    if is_on_volume(values, folder) and not is_on_volume(values, folder, "kept"):
        yield Problem(
            f"lifecycle.progress.checkpointPath: {quote(folder)} is on a volume that each worker has for itself and"
            " loses with its pod"
        )


@warning(
    "DS389",
    "training.deepspeed.config.checkpoint.use_node_local_storage",
    hint="remove it, and write checkpoints to a volume that all workers share",
)
def warn_of_local_checkpoints(values: Values) -> Problems:
    checkpoint = values.training.deepspeed.config.checkpoint
    is_local = isinstance(checkpoint, dict) and checkpoint.get("use_node_local_storage")
    if is_local and int(helpers.worker_pods(values)) > 1:
        yield Problem(
            "training.deepspeed.config: with use_node_local_storage, each worker needs its own part of a checkpoint,"
            " and may start on another node next time"
        )


@warning("DS389", "training.args", hint="write results to a volume that outlasts the pods, such as create: {}")
def warn_of_results_of_one_pod(values: Values) -> Problems:
    for option, folder in _list_given_folders(values, KEEPS):
        if is_on_volume(values, folder) and not is_on_volume(values, folder, "copied"):
            where = f"{path_text(option.path)}: {option.written} {quote(folder)}"
            yield Problem(f"{where} is on an emptyDir or ephemeral volume, lost with its pod", option.path)


@warning("DS387", "training.args", hint="write the path at which the volume is mounted, or remove the volume")
def warn_of_data_beside_volume(values: Values) -> Problems:
    """Data that is on no volume, and a volume that nothing names: the image may have the data, but not both."""
    named = to_json([values.training, values.launch.command, values.lifecycle, values.workers])
    mounts = [(name, volume.mountPath) for name, volume in values.storage.items() if volume.mountPath]
    idle = [f"storage.{name} at {path}" for name, path in mounts if not re.search(rf"{re.escape(path)}\b", named)]
    code = values.code.mountPath if helpers.has_code(values, "workers") else "/job"
    for option, folder in _list_given_folders(values, READS) if idle else ():
        is_in_code = f"{folder}/".startswith(f"{code}/") or not option.value.startswith("/")
        if not is_on_volume(values, folder) and not is_in_code:
            where = f"{path_text(option.path)}: {option.written} {quote(folder)}"
            yield Problem(f"{where} is on no volume, and nothing names {', '.join(idle[:3])}", option.path)


# -- mounts that conflict ---------------------------------------------------------------------------------------------


def _list_mounts(values: Values, role: str) -> Iterator[Mount]:
    """The code first: its path is often the default, so that a problem is one of the volume."""
    if helpers.has_code(values, role):
        yield ("code", "mountPath"), "code", posixpath.normpath(values.code.mountPath), values.code
    for name, volume in sorted(values.storage.items()):
        with contextlib.suppress(UnknownValueError):
            values.require(("storage", name))
            if volume.mountPath and helpers.is_mounted_in(values, volume, role):
                yield ("storage", name, "mountPath"), f"storage.{name}", posixpath.normpath(volume.mountPath), volume


def _list_conflicts(values: Values) -> Iterator[tuple[Mount, Mount]]:
    """Each mount with the first one at its path, or with the read-only one around it. They are in the order of their
    paths, so that each is compared with one other only, however many there are.
    """
    values.require(("code",))
    for role in PODS:
        above: dict[str, Mount] = {}
        outer: Mount | None = None
        for mount in sorted(_list_mounts(values, role), key=lambda one: one[2].split("/")):
            same = above.setdefault(mount[2], mount)
            if same is not mount:
                yield same, mount
            if outer and mount[2].startswith(f"{outer[2]}/"):
                yield outer, mount
            else:
                is_read_only = mount[3].get("readOnly") or any(source in mount[3] for source in READ_ONLY)
                outer = mount if is_read_only else None


def _take_first(problems: Problems) -> Problems:
    """The first problem of each path."""
    first: dict[KeyPath, Problem] = {}
    for problem in problems:
        first.setdefault(problem.path, problem)
    yield from first.values()


@error("DS251", "storage", hint="change one of the paths")
def refuse_same_folder(values: Values) -> Problems:
    yield from _take_first(
        Problem(f"{name}: {other[1]} is also mounted at {quote(where)}", path)
        for other, (path, name, where, _) in _list_conflicts(values)
        if other[2] == where
    )


@error("DS254", "storage")
def refuse_mounts_inside(values: Values) -> Problems:
    """The container runtime creates a folder for the mount inside the outer volume, which is impossible."""
    conflicts = _list_conflicts(values)
    yield from _take_first(_describe_inside(outer, mount) for outer, mount in conflicts if outer[2] != mount[2])


def _describe_inside(outer: Mount, mount: Mount) -> Problem:
    (_, name, folder, volume), (path, _, where, _) = outer, mount
    message = f"{path_text(path)}: {where} is inside {name}"
    if any(source in volume for source in READ_ONLY):
        return Problem(f"{message}, where no folder can be created", path, "mount it elsewhere")
    hint = f"mount it elsewhere, unless {name} already has the folder {where.removeprefix(folder)}"
    return Problem(f"{message}, which is read-only", path, hint, "warning")


@error("DS252", "storage.*.create.persistentVolume")
def check_persistent_volumes(_: Values, path: KeyPath, volume: Any) -> Problems:
    """A PersistentVolume needs one source, and a local one also a node."""
    given = volume.create.persistentVolume if volume.create is not None else None
    if not given:
        return
    if sum(source in given for source in ("nfs", "hostPath", "csi", "local")) != 1:
        yield Problem(f"{path_text(path)} needs exactly one source", hint="set one of nfs, hostPath, csi and local")
    elif "local" in given and "nodeAffinity" not in given:
        message = f"{path_text(path)}: a local volume needs nodeAffinity"
        yield Problem(message, hint="set nodeAffinity to the node that has the folder")


# Templates refuse these, too: condition and message are their helpers.
error("DS373", "storage.*", hint="choose another name", at_key=True)(
    lambda _, path, __: helpers.own_volume(str(path[1]))
)
error("DS212", "storage.*.mountPath", hint="mount it elsewhere, such as /data")(
    lambda _, path, volume: helpers.reserved_mount(str(path[1]), volume.mountPath)
)
error("DS212", "code.mountPath", hint="choose another folder, such as /workspace/code")(helpers.reserved_mount_of_code)
error("DS213", "storage.*.mountPath", hint="set its size with workers.sharedMemory")(
    lambda _, path, volume: helpers.mount_of_shared_memory(str(path[1]), volume.mountPath)
)
error("DS216", "storage.*.create.accessModes", hint=SHARE)(
    lambda values, path, volume: helpers.claim_of_one_pod(values, str(path[1]), volume)
)
