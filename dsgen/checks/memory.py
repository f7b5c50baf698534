"""Sizes of memory and volumes that are below 1Mi, because the unit is missing or is another one than meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dsgen.checks.row import ROLES, VOLUMES, Check, helpers, quoted
from dsgen.language.text import to_json
from dsgen.reading.quantities import memory_meant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dsgen.problems.diagnostics import Path

SIZES = ("memory", "ephemeral-storage")
KEYS = ", ".join(map(quoted, SIZES))


def is_too_small(key: str, quantity: str | float) -> bool:
    """Whether a quantity in requests or limits is reported here."""
    return key in SIZES and bool(helpers().below_1mi(to_json(quantity)))


def _hint(values: Mapping[str, Any], path: Path) -> str:
    value: Any = values
    for key in path:
        value = value[key]
    return memory_meant(value)


def _too_small(path: str, quantity: str, *inside: str, when: str = "") -> Check:
    is_small = f"below_1mi({quantity} | plain_json)"
    return Check(
        id="DS287",
        path=path,
        when=f"{when} and {is_small}" if when else is_small,
        message=f"{path}: << {quantity} | plain_json >> is less than 1Mi, too little to be meant",
        hint="write the size with its unit, such as 64Gi",
        exact_hint=_hint,
        inside=inside,
    )


def _of_resources(path: str, resources: str, *inside: str) -> Check:
    loops = ('for kind in ["requests", "limits"]', f"for key, quantity in {resources} | items")
    return _too_small(f"{path}.<< kind >>.<< key >>", "quantity", *inside, *loops, when=f"key in [{KEYS}]")


ROWS = (
    _too_small("workers.sharedMemory", "values.workers.sharedMemory"),
    _of_resources("<< role >>.resources", 'values[role]["resources"][kind]', ROLES),
    _of_resources("monitoring.tensorboard.resources", "values.monitoring.tensorboard.resources[kind]"),
    *(
        _of_resources(
            f"<< role >>.{containers}[container].resources",
            'get(container, "resources", kind, {})',
            f"if values.workers.{containers} or values.launcher.{containers}",
            ROLES,
            f'for container in values[role]["{containers}"]',
        )
        for containers in ("initContainers", "sidecars")
    ),
    _of_resources(
        "<< role >>.extraPodSpec.resources",
        'get(values[role]["extraPodSpec"], "resources", kind, {})',
        "if values.workers.extraPodSpec or values.launcher.extraPodSpec",
        ROLES,
    ),
    _too_small("storage.<< name >>.create.size", "volume.create.size", VOLUMES, when="volume.create is not none"),
    _too_small(
        "storage.<< name >>.emptyDir.sizeLimit",
        "size",
        VOLUMES,
        "if volume.emptyDir is not none",
        'set size = get(volume.emptyDir, "sizeLimit", "")',
    ),
    _too_small(
        "storage.<< name >>.ephemeral.volumeClaimTemplate.spec.resources.requests.storage",
        "size",
        VOLUMES,
        "if volume.ephemeral is not none",
        'set size = get(volume.ephemeral, "volumeClaimTemplate", "spec", "resources", "requests", "storage", "")',
    ),
)
