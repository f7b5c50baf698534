"""Volumes: their sources, where they are mounted, and mounts that conflict."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import (
    VALUES,
    VOLUMES,
    Check,
    Function,
    Names,
    Place,
    Shared,
    Shortcut,
    load_helpers,
    make_diagnostic,
    quote_text,
)
from dsgen.problems import Diagnostic, KeyPath, path_text

Mount = tuple[KeyPath, str, str, Mapping[str, Any]]
"""The key of the mount, its name in messages, its path, and its volume (the code has only a mountPath)."""

SOURCES = (
    *("existingClaim", "create", "nfs", "hostPath", "emptyDir", "ephemeral"),
    *("csi", "configMap", "secret", "projected"),
)
NOTHING = "^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$"
"""The quantity 0 as JSON, with or without quotes."""
READ_ONLY = ("configMap", "secret", "projected")
SHARED_MEMORY = "^/dev/shm(/.*)?$"
ELSEWHERE = "change one of the paths"
RESERVED = "is reserved for files of dsgen or the system"
MOUNTED = {pods: f'is_mounted_in(values, volume, "{pods}")' for pods in ("workers", "launcher")}
MOUNTED_TOO = {pods: f'is_mounted_in(values, another, "{pods}")' for pods in ("workers", "launcher")}
IN_WORKERS = 'volume.mountIn != "launcher" and worker_pods(values) | int > 1'


ABSOLUTE = "^/[^/].*$"
OFFLOADED = (
    Shortcut("if values.training.deepspeed.config"),
    'set zero = get(values.training.deepspeed.config, "zero_optimization", {})',
    "if zero is mapping",
    'for part in ["offload_optimizer", "offload_param"]',
    "set offload = get(zero, part, {})",
    "if offload is mapping",
    'set device = get(offload, "device", "")',
    'if device is string and device == "nvme"',
    'set path = get(offload, "nvme_path", "")',
    "if path is string",
)
"""The tags around a folder for what DeepSpeed offloads; `path` is its path."""


def _make_folder_rows(key: str, path: str, *inside: str) -> tuple[Check, ...]:
    """Rows about a folder to which the workers write, at `key`. path: an expression for its path."""
    shared = (Shared(key, len(inside), "folder", "the folder `path`", (VALUES, ("path", path))),)
    inside = (*inside, f'if {path} is matching("{ABSOLUTE}")')
    return (
        Check(
            id="DS387",
            path=key,
            when=f'not is_on_volume(values, {path}, "any")',
            message=(
                f"{key}: << {path} | quote >> is on no volume of storage, so its files fill the disk of the node and"
                " are lost with the pod"
            ),
            hint="mount a volume there, or choose a folder on one",
            inside=inside,
            severity="warning",
            shared=shared,
        ),
        Check(
            id="DS388",
            path=key,
            when=f'is_on_volume(values, {path}, "any") and not is_on_volume(values, {path}, "writable")',
            message=f"{key}: << {path} | quote >> is on a volume that is mounted read-only",
            hint="choose a folder on a volume without readOnly",
            inside=inside,
            shared=shared,
        ),
    )


def _make_rows_of_key(key: str) -> tuple[Check, ...]:
    return _make_folder_rows(key, f"values.{key}", Shortcut(f"if values.{key}"))


CHECKPOINTS = "values.lifecycle.progress.checkpointPath"
ROWS = (
    Check(
        id="DS362",
        path="storage.<< name >>",
        when=(
            "not volume.mountPath and not used_in_pod(values.workers, name) and not used_in_pod(values.launcher, name)"
        ),
        message="storage.<< name >> has no mountPath, and no init container or sidecar mounts it",
        hint="set storage.NAME.mountPath to the folder that the training uses, such as /data",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS373",
        path="storage.<< name >>",
        when='name is matching("^dsgen-([^$]|[$])*$")',
        message="storage: << name | quote >>: names that begin with dsgen- are reserved for dsgen's own volumes",
        hint="choose another name",
        inside=(VOLUMES,),
        at_key=True,
    ),
    Check(
        id="DS210",
        path="storage.<< name >>",
        when="not first_source(volume)",
        message="storage.<< name >>: the volume has no source",
        hint=f"set one of {', '.join(SOURCES[:-1])} and {SOURCES[-1]}, such as create: {{}}",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS212",
        path="storage.<< name >>.mountPath",
        when="reserved_path(volume.mountPath)",
        message=f"storage.<< name >>.mountPath: << volume.mountPath | quote >> {RESERVED}",
        hint="mount it elsewhere, such as /data",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS251",
        path="storage.<< name >>.mountPath",
        when=(
            "other < name and volume.mountPath and volume.mountPath == another.mountPath"
            f" and ({' or '.join(f'{MOUNTED[pods]} and {MOUNTED_TOO[pods]}' for pods in MOUNTED)})"
        ),
        message="storage.<< name >>: storage.<< other >> is also mounted at << volume.mountPath | quote >>",
        hint=ELSEWHERE,
        inside=(
            VOLUMES,
            "for other, another in values.storage | items",
        ),
    ),
    Check(
        id="DS251",
        path="storage.<< name >>.mountPath",  # code.mountPath is often the default
        when="volume.mountPath == values.code.mountPath",
        message="storage.<< name >>: code is also mounted at << volume.mountPath | quote >>",
        hint=ELSEWHERE,
        inside=(
            "if values.code.git.repository",
            VOLUMES,
        ),
    ),
    Check(
        id="DS213",
        path="storage.<< name >>.mountPath",
        when=f'volume.mountPath is matching("{SHARED_MEMORY}")',
        message="storage.<< name >>.mountPath: /dev/shm is the shared memory of the pod",
        hint="set its size with workers.sharedMemory",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS214",
        path="storage.<< name >>.subPath",
        when='volume.subPath is matching("^(.*/)?[.][.](/.*)?$")',
        message=(
            "storage.<< name >>.subPath: << volume.subPath | quote >> leaves the volume, which Kubernetes refuses"
        ),
        hint="use a path inside the volume, without ..",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS215",
        path="storage.<< name >>.create.accessModes",
        when=(
            'volume.create is not none and "ReadWriteOnce" in volume.create.accessModes'
            ' and not "ReadWriteMany" in volume.create.accessModes'
            f' and not "ReadOnlyMany" in volume.create.accessModes and {IN_WORKERS}'
        ),
        message=(
            "storage.<< name >>: a ReadWriteOnce volume can be attached to one node only, but"
            " << worker_pods(values) | int >> workers mount it"
        ),
        hint="use ReadWriteMany, which is the default of accessModes",
        inside=(VOLUMES,),
        severity="warning",
    ),
    Check(
        id="DS216",
        path="storage.<< name >>.create.accessModes",
        when=(
            'volume.create is not none and "ReadWriteOncePod" in volume.create.accessModes'
            f" and ({' and '.join(MOUNTED.values())} or {IN_WORKERS})"
        ),
        message="storage.<< name >>: a ReadWriteOncePod volume can be used by one pod only, but several pods mount it",
        hint="use ReadWriteMany, which is the default of accessModes",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS218",
        path="storage.<< name >>.create.accessModes",
        when=(
            'volume.create is not none and "ReadWriteOncePod" in volume.create.accessModes'
            " and volume.create.accessModes | length > 1"
        ),
        message="storage.<< name >>: ReadWriteOncePod cannot be combined with other access modes",
        hint="keep one of them",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS219",
        path="storage.<< name >>.create.size",
        when=f'volume.create is not none and quantity_json(volume.create.size) is matching("{NOTHING}")',
        message="storage.<< name >>.create.size: Kubernetes refuses a claim of size 0",
        hint="set a size such as 100Gi",
        inside=(VOLUMES,),
    ),
    Check(
        id="DS217",
        path="storage.<< name >>.create.storageClass",
        when=(
            "volume.create is not none and not volume.create.persistentVolume"
            ' and volume.create.storageClass is not none and volume.create.storageClass == ""'
        ),
        message=(
            'storage.<< name >>.create: with storageClass: "" nothing provisions the volume; the claim waits for a'
            " matching PersistentVolume"
        ),
        hint="describe the volume in create.persistentVolume, or remove storageClass to use the cluster's default",
        inside=(VOLUMES,),
        severity="warning",
    ),
    Check(
        id="DS211",
        path="storage.<< name >>.<< source >>",
        when="source in volume and source != first_source(volume)",
        message="storage.<< name >>: << first_source(volume) >> and << source >> are mutually exclusive",
        hint="keep one of them",
        inside=(
            VOLUMES,
            f"for source in [{', '.join(map(quote_text, SOURCES[1:]))}]",
        ),
        at_key=True,
    ),
    Check(
        id="DS212",
        path="code.mountPath",
        when=f'reserved_path(values.code.mountPath) or values.code.mountPath is matching("{SHARED_MEMORY}")',
        message=f"code.mountPath: << values.code.mountPath | quote >> {RESERVED}",
        hint="choose another folder, such as /workspace/code",
        inside=("if values.code.git.repository",),
    ),
    *_make_rows_of_key("training.rankLogs"),
    *_make_rows_of_key("lifecycle.progress.checkpointPath"),
    *_make_rows_of_key("training.deepspeed.resize.checkpoint"),
    *_make_folder_rows("training.deepspeed.config.zero_optimization.<< part >>.nvme_path", "path", *OFFLOADED),
    Check(
        id="DS389",
        path="lifecycle.progress.checkpointPath",
        when=(
            f'worker_pods(values) | int > 1 and is_on_volume(values, {CHECKPOINTS}, "any")'
            f' and not is_on_volume(values, {CHECKPOINTS}, "kept")'
        ),
        message=(
            f"lifecycle.progress.checkpointPath: << {CHECKPOINTS} | quote >> is on a volume that each worker has for"
            " itself and loses with its pod"
        ),
        hint="write checkpoints to a volume that all workers share and keep, such as create: {}",
        inside=(Shortcut(f"if {CHECKPOINTS}"), f'if {CHECKPOINTS} is matching("{ABSOLUTE}")'),
        severity="warning",
    ),
    Check(
        id="DS389",
        path="training.deepspeed.config.checkpoint.use_node_local_storage",
        when="worker_pods(values) | int > 1 and checkpoint is mapping and checkpoint.use_node_local_storage",
        message=(
            "training.deepspeed.config: with use_node_local_storage, each worker needs its own part of a checkpoint,"
            " and may start on another node next time"
        ),
        hint="remove it, and write checkpoints to a volume that all workers share",
        inside=(
            "if values.training.deepspeed.config",
            'set checkpoint = get(values.training.deepspeed.config, "checkpoint", {})',
        ),
        severity="warning",
    ),
)


def _list_mounts(values: Mapping[str, Any], role: str) -> Iterator[Mount]:
    for name, volume in sorted(values["storage"].items()):
        if volume["mountPath"] and load_helpers().is_mounted_in(values, volume, role):
            path: KeyPath = ("storage", name, "mountPath")
            yield path, f"storage.{name}", posixpath.normpath(volume["mountPath"]), volume
    if load_helpers().has_code(values, role):
        yield ("code", "mountPath"), "code", posixpath.normpath(values["code"]["mountPath"]), values["code"]


def check_mounts(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A mount inside another volume that cannot contain a folder for it."""
    reported: set[KeyPath] = set()
    for role in ("workers", "launcher"):
        seen: dict[str, Mount] = {}
        for mount in sorted(_list_mounts(values, role), key=lambda one: one[2].count("/")):
            path, where = mount[0], mount[2]
            problem = _check_inside(mount, seen, place)
            if problem and path not in reported:
                reported.add(path)
                yield problem
            seen.setdefault(where, mount)


def _check_inside(mount: Mount, seen: Mapping[str, Mount], place: Place) -> Diagnostic | None:
    """The container runtime creates a folder for the mount inside the outer volume, which must be possible."""
    path, _, where, _ = mount
    for outer, (_, name, _, volume) in seen.items():
        if not where.startswith(f"{outer}/"):
            continue
        if any(source in volume for source in READ_ONLY):
            message = f"{path_text(path)}: {where} is inside {name}, where no folder can be created"
            return make_diagnostic("DS254", path, message, "mount it elsewhere", place)
        if volume.get("readOnly"):
            message = f"{path_text(path)}: {where} is inside {name}, which is read-only"
            hint = f"mount it elsewhere, unless {name} already has the folder {where.removeprefix(outer)}"
            return make_diagnostic("DS254", path, message, hint, place, "warning")
    return None


def check_persistent_volumes(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A PersistentVolume needs one source, and a local one also a node."""
    for name, volume in sorted(values["storage"].items()):
        given = volume.get("create", {}).get("persistentVolume")
        if not given:
            continue
        path = ("storage", name, "create", "persistentVolume")
        if len(given.keys() & {"nfs", "hostPath", "csi", "local"}) != 1:
            message = f"storage.{name}.create.persistentVolume needs exactly one source"
            yield make_diagnostic("DS252", path, message, "set one of nfs, hostPath, csi and local", place)
        elif "local" in given and "nodeAffinity" not in given:
            message = f"storage.{name}.create.persistentVolume: a local volume needs nodeAffinity"
            yield make_diagnostic("DS252", path, message, "set nodeAffinity to the node that has the folder", place)


FUNCTIONS = (Function(check_mounts, {"DS254": (("code",),)}), Function(check_persistent_volumes, {"DS252": ()}))
