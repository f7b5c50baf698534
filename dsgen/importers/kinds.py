"""Several kinds of pods in one job: which of them are the workers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Fields, format_scalar
from dsgen.importers.launchers import rank_command
from dsgen.problems import KeyPath, Position
from dsgen.reading.nodes import Node

SERVER = re.compile(r"(?i)(^|[-_])(ps|parameter-?servers?|chief)($|[-_]?\d*$)")
"""Names of pods that train in another way than the workers."""
TOGETHER = {"master", "worker"}
OTHER_KIND = "it is another kind of pods, and dsgen has only workers"
OTHER_KIND_HINT = "apply it as an object of its own, or use workers.initContainers"


def list_words(pods: Node) -> list[str]:
    """The words of the commands of a pod template."""
    found = (node for path, node in pods.walk() if {"command", "args"} & {*path} and "initContainers" not in path)
    return [word for node in found for word in format_scalar(node.value).split()]


def rank_words(words: Sequence[str]) -> int:
    """How surely words start a training."""
    return max((rank_command(words[at : at + 3], is_under_srun=False) for at in range(len(words))), default=0)


def refuse_servers(kinds: Sequence[tuple[str, Position]]) -> None:
    """Refuse pods that train in another way than the workers, by their names."""
    for name, at in kinds:
        if SERVER.search(name):
            raise ImportRefusedError(f"the job has pods named {name}, which train in another way, and {ONLY}", at)


ONLY, ONE_BY_ONE = "dsgen has only equal workers", "import them one by one"


def choose_workers(kinds: Sequence[tuple[str, Node]], at: Position) -> list[int]:
    """Which kinds of pods are the workers: those that train. Raises ImportRefusedError if there are several."""
    refuse_servers([(name, pods.position) for name, pods in kinds])
    if len(kinds) < 2 or {name.lower() for name, _ in kinds} == TOGETHER:
        return [*range(len(kinds))]
    commands = [list_words(pods) for _, pods in kinds]
    devices = [any("limits" in path and "/" in str(path[-1]) for path, _ in pods.walk()) for _, pods in kinds]
    ranks = [(rank_words(words), has_devices, "worker" in name.lower())
             for (name, _), words, has_devices in zip(kinds, commands, devices, strict=True)]  # fmt: skip
    forms = [re.sub(r"\d+", "0", " ".join(words)) for words in commands]
    best = ranks.index(max(ranks))
    if any(rank == ranks[best] and form != forms[best] for rank, form in zip(ranks, forms, strict=True)):
        names = ", ".join(name for name, _ in kinds)
        raise ImportRefusedError(
            f"the job has several kinds of pods that train, and {ONLY}: {names}", at, "import them one by one"
        )
    return [index for index, form in enumerate(forms) if form == forms[best]]


def lose_other(fields: Fields, path: KeyPath, node: Node) -> None:
    """Name a kind of pods that does not train."""
    fields.lose(path, node, OTHER_KIND, OTHER_KIND_HINT)
