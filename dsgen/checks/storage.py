"""Volumes: their sources, where they are mounted, and what two mounts do to one another."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import VOLUMES, Check, Names, Place, found, quoted
from dsgen.reading.nodes import Path, path_text
from dsgen.schema.validate import Problem

SOURCES = (
    *("existingClaim", "create", "nfs", "hostPath", "emptyDir", "ephemeral"),
    *("csi", "configMap", "secret", "projected"),
)
READ_ONLY = ("configMap", "secret", "projected")
NOTHING = "^.?0+([.]0+)?[A-Za-z]*.?$"
"""The quantity 0 as JSON, in quotes or without."""
SHARED_MEMORY = "^/dev/shm(/.*)?$"
ELSEWHERE = "mount one of them elsewhere"
RESERVED = "is reserved, dsgen or the system has files there"
IN_WORKERS = 'volume.mountIn != "launcher" and worker_pods(values) | int > 1'

ROWS = (
    Check(
        "DS210",
        "storage.<< name >>",
        "not first_source(volume)",
        "storage.<< name >>: the volume has no source",
        f"give it one of {', '.join(SOURCES[:-1])} and {SOURCES[-1]}, such as create: {{}}",
        (VOLUMES,),
    ),
    Check(
        "DS212",
        "storage.<< name >>.mountPath",
        "reserved_path(volume.mountPath)",
        f"storage.<< name >>.mountPath: << volume.mountPath | quote >> {RESERVED}",
        "mount it elsewhere, such as /data",
        (VOLUMES,),
    ),
    Check(
        "DS251",
        "storage.<< name >>.mountPath",
        "other < name and volume.mountPath and volume.mountPath == another.mountPath"
        ' and (volume.mountIn == another.mountIn or volume.mountIn == "both" or another.mountIn == "both")',
        "storage.<< name >>: storage.<< other >> is mounted at << volume.mountPath | quote >> too",
        ELSEWHERE,
        (VOLUMES, "for other, another in values.storage | items"),
    ),
    Check(
        "DS251",
        "storage.<< name >>.mountPath",  # code.mountPath is often the default
        "volume.mountPath == values.code.mountPath",
        "storage.<< name >>: code is mounted at << volume.mountPath | quote >> too",
        ELSEWHERE,
        (VOLUMES,),
        ("code.git.repository",),
    ),
    Check(
        "DS213",
        "storage.<< name >>.mountPath",
        f'volume.mountPath is matching("{SHARED_MEMORY}")',
        "storage.<< name >>.mountPath: /dev/shm is the shared memory of the pod",
        "set its size with workers.sharedMemory",
        (VOLUMES,),
    ),
    Check(
        "DS214",
        "storage.<< name >>.subPath",
        'volume.subPath is matching("^(.*/)?[.][.](/.*)?$")',
        "storage.<< name >>.subPath: << volume.subPath | quote >> leads out of the volume, which Kubernetes refuses",
        "a path inside the volume, without ..",
        (VOLUMES,),
    ),
    Check(
        "DS215",
        "storage.<< name >>.create.accessModes",
        'volume.create is not none and "ReadWriteOnce" in volume.create.accessModes'
        ' and not "ReadWriteMany" in volume.create.accessModes'
        f' and not "ReadOnlyMany" in volume.create.accessModes and {IN_WORKERS}',
        "storage.<< name >>: a ReadWriteOnce volume is on one node at a time, and"
        " << worker_pods(values) | int >> workers mount it",
        "use ReadWriteMany, or leave out accessModes",
        (VOLUMES,),
        severity="warning",
    ),
    Check(
        "DS216",
        "storage.<< name >>.create.accessModes",
        'volume.create is not none and "ReadWriteOncePod" in volume.create.accessModes'
        f' and (volume.mountIn == "both" or {IN_WORKERS})',
        "storage.<< name >>: a ReadWriteOncePod volume is for one pod, and several mount it",
        "use ReadWriteMany, or leave out accessModes",
        (VOLUMES,),
    ),
    Check(
        "DS218",
        "storage.<< name >>.create.accessModes",
        'volume.create is not none and "ReadWriteOncePod" in volume.create.accessModes'
        " and volume.create.accessModes | length > 1",
        "storage.<< name >>: ReadWriteOncePod stands beside other access modes",
        "it stands alone; keep one of them",
        (VOLUMES,),
    ),
    Check(
        "DS219",
        "storage.<< name >>.create.size",
        f'volume.create is not none and quantity_json(volume.create.size) is matching("{NOTHING}")',
        "storage.<< name >>.create.size: Kubernetes refuses a claim of nothing",
        "give a size such as 100Gi",
        (VOLUMES,),
    ),
    Check(
        "DS217",
        "storage.<< name >>.create.storageClass",
        "volume.create is not none and not volume.create.persistentVolume"
        ' and volume.create.storageClass is not none and volume.create.storageClass == ""',
        'storage.<< name >>.create: with storageClass: "" nothing is provisioned, the claim waits for a'
        " PersistentVolume that fits",
        "describe it in persistentVolume, or remove storageClass to have the default one",
        (VOLUMES,),
        severity="warning",
    ),
    Check(
        "DS211",
        "storage.<< name >>.<< source >>",
        "source in volume and source != first_source(volume)",
        "storage.<< name >>: << first_source(volume) >> and << source >> exclude one another",
        "keep one of them",
        (VOLUMES, f"for source in [{', '.join(map(quoted, SOURCES[1:]))}]"),
        at_key=True,
    ),
    Check(
        "DS212",
        "code.mountPath",
        f'reserved_path(values.code.mountPath) or values.code.mountPath is matching("{SHARED_MEMORY}")',
        f"code.mountPath: << values.code.mountPath | quote >> {RESERVED}",
        "choose another folder, such as /workspace/code",
        given=("code.git.repository",),
    ),
)

Mount = tuple[Path, str, str, Mapping[str, Any]]
"""The key of the mount, its name in a message, its path, and its volume (that of the code has a mountPath only)."""


def _mounts(values: Mapping[str, Any], role: str) -> Iterator[Mount]:
    for name, volume in sorted(values["storage"].items()):
        if volume["mountPath"] and volume["mountIn"] in ("both", role):
            path: Path = ("storage", name, "mountPath")
            yield path, f"storage.{name}", posixpath.normpath(volume["mountPath"]), volume
    if values["code"]["git"]["repository"]:
        yield ("code", "mountPath"), "code", posixpath.normpath(values["code"]["mountPath"]), values["code"]


def mounts(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """A mount inside another one that cannot get a folder for it."""
    told: set[Path] = set()
    for role in ("workers", "launcher"):
        seen: dict[str, Mount] = {}
        for mount in sorted(_mounts(values, role), key=lambda one: one[2].count("/")):
            path, where = mount[0], mount[2]
            problem = _inside(mount, seen, place)
            if problem and path not in told:
                told.add(path)
                yield problem
            seen.setdefault(where, mount)


def _inside(mount: Mount, seen: Mapping[str, Mount], place: Place) -> Problem | None:
    """A folder to mount at is made inside the outer volume, which must be possible."""
    path, _, where, _ = mount
    for outer, (_, name, _, volume) in seen.items():
        if not where.startswith(f"{outer}/"):
            continue
        if any(source in volume for source in READ_ONLY):
            message = f"{path_text(path)}: {where} is inside {name}, in which no folder can be made"
            return found("DS254", path, message, "mount it elsewhere", place)
        if volume.get("readOnly"):
            message = f"{path_text(path)}: {where} is inside {name}, which is read-only"
            hint = f"mount it elsewhere, unless {name} has a folder {where.removeprefix(outer)}"
            return found("DS254", path, message, hint, place, "warning")
    return None


def persistent_volume(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """A PersistentVolume has one source, and a local one a place."""
    for name, volume in sorted(values["storage"].items()):
        given = volume.get("create", {}).get("persistentVolume")
        if not given:
            continue
        path = ("storage", name, "create", "persistentVolume")
        if len(given.keys() & {"nfs", "hostPath", "csi", "local"}) != 1:
            message = f"storage.{name}.create.persistentVolume needs exactly one source"
            yield found("DS252", path, message, "one of nfs, hostPath, csi and local", place)
        elif "local" in given and "nodeAffinity" not in given:
            message = f"storage.{name}.create.persistentVolume: a local volume needs nodeAffinity"
            yield found("DS252", path, message, "it says on which node the folder is", place)


FUNCTIONS = (mounts, persistent_volume)
