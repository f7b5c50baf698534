"""Volumes of pods and their mounts: storage.* and workers.sharedMemory."""

from __future__ import annotations

import re
from typing import Any

from dsgen.importers.fields import Fields, format_scalar
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

SOURCES = ("nfs", "hostPath", "emptyDir", "ephemeral", "csi", "configMap", "secret", "projected")
SHARED_MEMORY = re.compile(r"/dev/shm/?")
UNLIMITED = "unlimited"
MOUNT_KEYS = ("name", "mountPath", "subPath", "readOnly")


def write_volumes(fields: Fields, spec: KeyPath, main: int, role: str) -> None:
    """Fill storage from the volumes of a pod and the mounts of its main container, and account for both."""
    mounts = _list_items(fields, (*spec, "containers", main, "volumeMounts"))
    volumes = _list_items(fields, (*spec, "volumes"))
    by_name = {_read_name(node): (path, node) for path, node in volumes}
    mounted: set[str] = set()
    for path, mount in mounts:
        found = by_name.get(_read_name(mount))
        if found is None:
            fields.lose(path, mount, "the pod has no volume of this name")
            continue
        mounted.add(_read_name(mount))
        _write_mount(fields, path, mount, *found, role)
    used = _find_used_by_others(fields, spec, main)
    for path, node in volumes:
        name = _read_name(node)
        if name not in mounted and name in used:
            _write_unmounted(fields, path, node, name)
        elif name not in mounted:
            fields.lose(path, node, "no container mounts it")


def _write_mount(fields: Fields, path: KeyPath, mount: Node, volume_path: KeyPath, volume: Node, role: str) -> None:
    target = format_scalar((mount.find_child("mountPath") or mount).value) if isinstance(mount.value, dict) else ""
    kind, data = _find_source(volume)
    if SHARED_MEMORY.fullmatch(target) and kind in ("emptyDir", "hostPath"):
        size = data.get("sizeLimit") if isinstance(data, dict) else None
        key = fields.conversion.draft.set("workers.sharedMemory", format_scalar(size) or UNLIMITED)
        fields.map(path, mount, key)
        fields.map(volume_path, volume, key)
        return
    if kind is None:
        fields.lose(volume_path, volume, "dsgen has no volume of this kind", "set storage")
        fields.lose(path, mount, "dsgen has no volume of this kind", "set storage")
        return
    known = _find_same_mount(fields, target, mount, kind, data)
    if known:
        fields.conversion.draft.remove(("storage", known, "mountIn"))
        fields.drop(path, mount, "the other pods mount it in the same way")
        fields.drop(volume_path, volume, "the other pods mount it in the same way")
        return
    entry: dict[str, Any] = {"mountPath": target.rstrip("/") or target}
    for key in ("subPath", "readOnly"):
        child = mount.find_child(key)
        if child is not None and child.value:
            entry[key] = child.as_data()
    entry["mountIn"] = role
    entry[kind] = data
    name = _choose_name(fields, _read_name(volume))
    fields.conversion.volumes.setdefault(_read_name(volume), name)
    if not target.startswith("/"):
        fields.lose(path, mount, "its path is no absolute path")
        return
    fields.conversion.draft.set(("storage", name), entry)
    key = f"storage.{name}"
    for field_name, node in (mount.value if isinstance(mount.value, dict) else {}).items():
        if field_name in MOUNT_KEYS:
            fields.map((*path, field_name), node, key if field_name == "name" else f"{key}.{field_name}")
        else:
            fields.lose((*path, field_name), node, "dsgen has no key for this field of a mount")
    _map_volume(fields, volume_path, volume, key, kind)


def _map_volume(fields: Fields, path: KeyPath, volume: Node, key: str, kind: str) -> None:
    """Account for a volume; a claim is existingClaim."""
    for child, node in (volume.value if isinstance(volume.value, dict) else {}).items():
        if child == "persistentVolumeClaim" and isinstance(node.value, dict):
            for name, one in node.value.items():
                to = f"{key}.existingClaim" if name == "claimName" else f"{key}.readOnly"
                fields.map((*path, child, name), one, to)
        else:
            fields.map((*path, child), node, key if child == "name" else f"{key}.{kind}")


def _write_unmounted(fields: Fields, path: KeyPath, volume: Node, name: str) -> None:
    """A volume that only init containers and sidecars mount."""
    kind, data = _find_source(volume)
    if kind is None:
        fields.lose(path, volume, "dsgen has no volume of this kind", "set storage")
        return
    free = _choose_name(fields, name)
    fields.conversion.volumes.setdefault(name, free)
    fields.conversion.draft.set(("storage", free), {kind: data})
    _map_volume(fields, path, volume, f"storage.{free}", kind)


def _find_source(volume: Node) -> tuple[str | None, Any]:
    """The key of storage for a volume and its value; None for a kind that dsgen does not have."""
    if not isinstance(volume.value, dict):
        return None, None
    claim = volume.find_child("persistentVolumeClaim")
    if claim is not None and (name := claim.find_child("claimName")) is not None:
        return "existingClaim", format_scalar(name.value)
    for kind in SOURCES:
        child = volume.find_child(kind)
        if child is not None:
            data = child.as_data()
            return kind, {} if data is None else data
    return None, None


def _find_same_mount(fields: Fields, target: str, mount: Node, kind: str, data: Any) -> str:
    """The name of a volume that is mounted in the same way already."""
    sub = mount.find_child("subPath")
    for name, entry in (fields.conversion.draft.get("storage") or {}).items():
        is_same = entry.get("mountPath") == target.rstrip("/") and entry.get(kind) == data
        if is_same and entry.get("subPath") == (sub.value if sub is not None else None):
            return str(name)
    return ""


def _choose_name(fields: Fields, name: str) -> str:
    """A name for storage that is not used yet."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:20].strip("-") or "volume"
    base = f"v{base}"[:20] if base.startswith("dsgen-") else base
    used = fields.conversion.draft.get("storage") or {}
    for number in range(2, 1000):
        if base not in used:
            return base
        base = f"{base[:16].rstrip('-0123456789')}-{number}".strip("-")
    return base


def _find_used_by_others(fields: Fields, spec: KeyPath, main: int) -> set[str]:
    """The volumes that init containers and sidecars mount."""
    used = set()
    for kind in ("containers", "initContainers"):
        for path, container in _list_items(fields, (*spec, kind)):
            if kind == "containers" and path[-1] == main:
                continue
            mounts = container.find_child("volumeMounts") if isinstance(container.value, dict) else None
            used |= {
                _read_name(one)
                for one in (mounts.value if mounts is not None and isinstance(mounts.value, list) else ())
            }
    return used


def _list_items(fields: Fields, path: KeyPath) -> list[tuple[KeyPath, Node]]:
    node = fields.find_node(*path)
    items = node.value if node is not None and isinstance(node.value, list) else []
    return [((*path, index), one) for index, one in enumerate(items)]


def _read_name(node: Node) -> str:
    child = node.find_child("name") if isinstance(node.value, dict) else None
    return format_scalar(child.value) if child is not None and not isinstance(child.value, dict | list) else ""
