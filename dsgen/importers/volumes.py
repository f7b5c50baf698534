"""Images, volumes and mounts: image.*, storage.* and workers.sharedMemory."""

from __future__ import annotations

import re
from typing import Any

from dsgen.importers.conversion import NO_IMAGE, Conversion
from dsgen.importers.documents import format_scalar
from dsgen.importers.fields import Field, become, drop, fix, list_maps, lose, read_name
from dsgen.importers.texts import Text

SOURCES = ("nfs", "hostPath", "emptyDir", "ephemeral", "csi", "configMap", "secret", "projected")
MOUNT = ("mountPath", "subPath", "readOnly")
OTHER_FIELD = lose("dsgen has no key for this field of a mount")
SHARED_MEMORY = re.compile(r"/dev/shm/?")
UNLIMITED = "unlimited"
NO_VOLUME = "dsgen has no volume of this kind"
SAME = "the other pods mount it in the same way"
ONLY_STARTS = "the launcher of dsgen only starts the processes"


def write_volumes(spec: Field, main: Field | None, role: str) -> None:
    """Fill storage from the volumes of a pod and the mounts of its main container, and account for both."""
    volumes = {read_name(item): item for item in spec.list_items("volumes")}
    mounted = set()
    for mount in main.list_items("volumeMounts") if main else ():
        volume = volumes.get(read_name(mount))
        if volume is None:
            mount.lose("the pod has no volume of this name")
            continue
        mounted.add(read_name(volume))
        _write_mount(mount, volume, role)
    others = [one for kind in ("containers", "initContainers") for one in spec.list_items(kind)]
    used = {format_scalar(mount.get("name")) for other in others if main is None or other.path != main.path
            for mount in list_maps(other.read("volumeMounts"))}  # fmt: skip
    for volume in (volume for name, volume in volumes.items() if name not in mounted):
        kind, data = _find_source(volume)
        if read_name(volume) not in used:
            volume.lose("no container mounts it")
        elif kind is None:
            volume.lose(NO_VOLUME, "set storage")
        else:  # only init containers and sidecars mount it
            _add_volume(volume, {kind: data, **_read_mode(volume)}, kind)


def _write_mount(mount: Field, volume: Field, role: str) -> None:
    draft = mount.draft
    target, (kind, data) = str(mount.read("mountPath") or ""), _find_source(volume)
    if SHARED_MEMORY.fullmatch(target) and kind in ("emptyDir", "hostPath"):
        size = data.get("sizeLimit") if isinstance(data, dict) else None
        row = fix("workers.sharedMemory", str(size or UNLIMITED)) if role == "workers" else drop(ONLY_STARTS)
        row(mount)
        row(volume)
        return
    if kind is None:
        volume.lose(NO_VOLUME, "set storage")
        mount.lose(NO_VOLUME, "set storage")
        return
    entry: dict[str, Any] = {"mountPath": target.rstrip("/") or target}
    entry |= {key: mount.read(key) for key in ("subPath", "readOnly") if mount.read(key)}
    entry |= {"mountIn": role, kind: data, **_read_mode(volume)}
    for known, other in (draft.get("storage") or {}).items():
        if all(other.get(key) == entry.get(key) for key in (*MOUNT, kind)):
            draft.remove(("storage", known, "mountIn"))
            mount.apply({**dict.fromkeys(("name", *MOUNT), drop(SAME)), "*": OTHER_FIELD})
            volume.drop(SAME)
            return
    if not target.startswith("/"):
        mount.lose("its path is no absolute path")
        return
    key = _add_volume(volume, entry, kind)
    mount.apply({"name": become(key), **{name: become(f"{key}.{name}") for name in MOUNT}, "*": OTHER_FIELD})


def _add_volume(volume: Field, entry: dict[str, Any], kind: str) -> str:
    """Write an entry of storage, and account for its volume; a claim is existingClaim. Returns its key."""
    given = read_name(volume)
    name = volume.draft.choose_volume(given)
    volume.conversion.volumes.setdefault(given, name)
    volume.draft.set(("storage", name), entry)
    key = f"storage.{name}"
    claim = {"claimName": become(f"{key}.existingClaim"), "readOnly": become(f"{key}.readOnly")}
    volume.apply({"name": become(key), "persistentVolumeClaim": claim, "*": become(f"{key}.{kind}")})
    return key


def _read_mode(volume: Field) -> dict[str, bool]:
    """Whether a volume is read-only for all its mounts."""
    return {"readOnly": True} if volume.read("persistentVolumeClaim", "readOnly") is True else {}


def _find_source(volume: Field) -> tuple[str | None, Any]:
    """The key of storage for a volume and its value; None for a kind that dsgen does not have."""
    if claim := volume.read("persistentVolumeClaim", "claimName"):
        return "existingClaim", str(claim)
    kind = next((one for one in SOURCES if volume.find(one)), None)
    return kind, (volume.read(kind) or {}) if kind else None


# -- images and mounts of clusters without Kubernetes ------------------------------------------------------------------

REFERENCE = re.compile(
    r"(?P<name>(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?(?::[0-9]+)?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*"
    r"(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
FILE = re.compile(r"\.(sqsh|sif|simg|img|tar)$")


def write_image(conversion: Conversion, image: str, why: str = "") -> str:
    """Set image.* from a reference, or a hole for this reason; returns the key, or "" if there is none."""
    reference = re.sub(r"^(docker|oras|library)://", "", image)
    reference = re.sub(r"^[^@/#]+@(?=[^@]+#)", "", reference).replace("#", "/", 1)
    match = REFERENCE.fullmatch(reference)
    if not match or image.startswith(("/", ".", "~")) or FILE.search(image):
        return conversion.draft.set_hole("image.repository", "", why) if why else ""
    for key in ("tag", "digest"):
        if match[key]:
            conversion.draft.set(f"image.{key}", match[key])
    return conversion.draft.set("image.repository", match["name"])


def write_image_of_cluster(conversion: Conversion, image: Text) -> None:
    """The image of a container runtime on a cluster: a reference, or a hole."""
    shown = conversion.source_map.format_text(image)
    why = f"write the image from which {shown} was made" if shown else NO_IMAGE
    conversion.map(image, write_image(conversion, image.chars if image.is_known else "", why))


def write_mounts(conversion: Conversion, mounts: Text) -> None:
    """`A:B,C:D:ro`: a volume for each folder in the container, with a hole for its claim."""
    for mount in mounts.split(","):
        source, has_target, rest = mount.partition(":")
        target = (rest.partition(":")[0] if has_target else source).chars.rstrip("/") or "/"
        shown = conversion.source_map.format_text(source)
        if not target.startswith("/") or not re.fullmatch(r"(/[\w.-]+)+", target):
            conversion.lose(mount, "its path in the container is not known", "add a volume to storage")
            continue
        name = conversion.draft.choose_volume(target.rsplit("/", 1)[-1])
        why = f"write the claim that has {shown}"
        read_only = {"readOnly": True} if mount.chars.endswith(":ro") else {}
        hole = {"mountPath": target, **read_only, "existingClaim": ""}
        conversion.map(mount, conversion.draft.set_hole(("storage", name), hole, why))
