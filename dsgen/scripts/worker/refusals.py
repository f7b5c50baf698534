"""Which checkpoints are not continued with another number of ranks, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from worker.checkpoint import ADAM, Checkpoint

OLDEST = (0, 18)  # DeepSpeed, which resumes several parameter groups of stage 3 from here on
STAGE_3 = 3
NAMED = 3  # names in a message


class Wanted(NamedTuple):
    """What the attempt has: ranks, ZeRO stage (None: unknown), and whether the program loads what is frozen."""

    ranks: int
    stage: int | None
    loads_frozen: bool


def named(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def older(version: str) -> bool:
    numbers = re.findall("[0-9]+", version)[:2]
    return bool(numbers) and tuple(map(int, numbers)) < OLDEST


def changes_stage(found: Checkpoint, wanted: Wanted) -> bool:
    """Between stage 3 and another one; stages 1 and 2 read each other's conversion."""
    return wanted.stage is not None and (found.stage == STAGE_3) != (wanted.stage == STAGE_3)


# Each row: whether the checkpoint is refused, and why. Without these, DeepSpeed 0.19 resumes with other weights or
# options and says nothing, or fails during the conversion or afterwards.
REFUSALS: tuple[tuple[Callable[[Checkpoint, Wanted], object], Callable[[Checkpoint, Wanted], str]], ...] = (
    (
        lambda found, _: found.parallel > 1,
        lambda found, _: f"{found.parallel} ranks share a copy of the model (a pipeline, or tensor parallelism)",
    ),
    (lambda found, _: found.experts, lambda *_: "it has experts (DeepSpeed MoE), which are not converted"),
    (
        changes_stage,
        lambda found, wanted: f"ZeRO stage {found.stage} saved it, and stage {wanted.stage} cannot read the conversion",
    ),
    (
        lambda found, _: set(found.states) != ADAM and set(found.states) != ADAM - {"step"},
        lambda found, _: (
            f"its optimizer keeps {named(found.states) or 'no state'}; only the state of Adam and AdamW is converted"
        ),
    ),
    (
        lambda found, wanted: found.frozen and not wanted.loads_frozen,
        lambda found, _: f"frozen parameters are not converted: {named(found.frozen)}",
    ),
    (
        lambda found, wanted: found.buffers and not wanted.loads_frozen,
        lambda found, _: f"buffers are not converted: {named(found.buffers)}",
    ),
    (
        lambda found, _: found.stage == STAGE_3 and found.differing,
        lambda found, _: (
            f"its parameter groups differ in {named(found.differing)}, and with stage 3 all would get the options of"
            " the first"
        ),
    ),
    (
        # DeepSpeed 0.19 gives all parts one tensor, which then counts each step once for every part (stage3.py,
        # load_hp_checkpoint_state_from_checkpoint_dir_stage3).
        lambda found, _: found.stage == STAGE_3 and found.step_tensors > 1,
        lambda found, _: (
            f"its optimizer is torch's, in {found.step_tensors} parts (parameter groups, or sub_group_size), and with"
            " stage 3 DeepSpeed would count their steps together"
        ),
    ),
    (
        lambda found, _: older(found.version),
        lambda found, _: f"DeepSpeed {found.version} saved it; versions before 0.18 do not convert all checkpoints",
    ),
)


def reason_against(found: Checkpoint, wanted: Wanted) -> str:
    """Why the checkpoint is not converted, or ""."""
    return next((reason(found, wanted) for refused, reason in REFUSALS if refused(found, wanted)), "")
