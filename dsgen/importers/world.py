"""What an origin knows about the size of a job."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class World:
    """What an origin knows about the size of a job. None: the origin does not say.

    slots: processes on each node. devices: of each node. runs_ranks: a program without a launcher is started once for
    each process; otherwise once on each node. is_batch: paths and programs are those of a cluster, not of an image.
    is_launcher: the command runs once, beside the workers, and not on each of them.
    """

    nodes: int | None = None
    slots: int | None = None
    devices: int | None = None
    runs_ranks: bool = True
    is_batch: bool = False
    is_launcher: bool = False
    prefix: list[str] = field(default_factory=list)
