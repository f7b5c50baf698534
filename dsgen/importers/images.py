"""Images of containers: references, and the files that clusters without Kubernetes use."""

from __future__ import annotations

import re

from dsgen.importers.conversion import Conversion
from dsgen.importers.texts import Text

REFERENCE = re.compile(
    r"(?P<name>(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?(?::[0-9]+)?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*"
    r"(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
FILE = re.compile(r"\.(sqsh|sif|simg|img|tar)$")
NO_IMAGE = "write an image with the programs of the training"


def write_image(conversion: Conversion, image: str) -> list[str]:
    """Set image.* from a reference; returns the keys, or nothing if it is no reference."""
    reference = re.sub(r"^(docker|oras|library)://", "", image)
    reference = re.sub(r"^[^@/#]+@(?=[^@]+#)", "", reference).replace("#", "/", 1)
    match = REFERENCE.fullmatch(reference)
    if not match or image.startswith(("/", ".", "~")) or FILE.search(image):
        return []
    keys = [conversion.draft.set("image.repository", match["name"])]
    keys += [conversion.draft.set(f"image.{key}", match[key]) for key in ("tag", "digest") if match[key]]
    return keys


def write_image_of_cluster(conversion: Conversion, image: Text) -> None:
    """The image of a container runtime on a cluster: a reference, or a hole."""
    keys = write_image(conversion, image.chars) if image.is_known else []
    if keys:
        conversion.map(image, keys[0], is_part=True)
        return
    shown = conversion.atlas.format_text(image)
    why = f"write the image from which {shown} was made" if shown else NO_IMAGE
    conversion.map(image, conversion.draft.set_hole("image.repository", "", why), is_part=True)


def write_mounts(conversion: Conversion, mounts: Text) -> None:
    """`A:B,C:D:ro`: a volume for each folder in the container, with a hole for its claim."""
    for mount in mounts.split(","):
        source, has_target, rest = mount.partition(":")
        target = (rest.partition(":")[0] if has_target else source).chars.rstrip("/") or "/"
        shown = conversion.atlas.format_text(source)
        if not target.startswith("/") or not re.fullmatch(r"(/[\w.-]+)+", target):
            conversion.lose(mount, "its path in the container is not known", "add a volume to storage", is_part=True)
            continue
        name = conversion.draft.choose_volume(target.rsplit("/", 1)[-1])
        why = f"write the claim that has {shown}"
        hole: dict[str, object] = {"mountPath": target, "existingClaim": ""}
        if mount.chars.endswith(":ro"):
            hole = {"mountPath": target, "readOnly": True, "existingClaim": ""}
        conversion.map(mount, conversion.draft.set_hole(("storage", name), hole, why), is_part=True)
