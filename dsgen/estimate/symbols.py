"""The symbols of formulas, and their numbers for a job."""

from __future__ import annotations

from dsgen.estimate.formulas import Bounds
from dsgen.estimate.setup import Setup

SYMBOLS = {
    "P": "parameters of a rank's copy of the model, after tensor and expert parallelism",
    "T": "trained ones of P",
    "F": "trained parameters that ZeRO partitions",
    "D": "ranks among which optimizer states are partitioned",
    "Z": "ranks among which weights are partitioned; D, or with MiCS the ranks of a group",
    "L": "parameters of the largest layer that is gathered at once",
    "w": "bytes of a weight",
    "g": "bytes of a gradient",
    "q": "bytes of a gradient on its way to another rank",
    "m": "bytes of the copy of a weight that the optimizer updates",
    "o": "bytes of the optimizer's state for a parameter",
    "r": "the share of the optimizer that is offloaded",
    "b": "samples of a micro batch",
    "s": "tokens of a sample on one rank",
    "h": "hidden size",
    "l": "layers",
    "v": "vocabulary",
    "c": "bytes that a layer keeps for a token",
    "x": "bytes of the scores of attention for a token and a layer",
    "t": "ranks of tensor parallelism",
}
"""The symbols of most formulas."""


def compute_symbols(setup: Setup) -> dict[str, Bounds]:
    """The numbers of the formulas; those of the model that are unknown are left out."""
    given = setup.inputs
    parameters = float(given.parameters or 0)
    trained = float(parameters if given.trainable is None else min(given.trainable, parameters))
    share = trained / parameters if parameters else 0.0
    whole = min(parameters, 2.0 * (given.vocabulary or 0) * (given.hidden or 0))
    spread = min(parameters, float(given.expert_parameters or 0)) * (1 - 1 / setup.expert_ranks)
    low, high = parameters / setup.tensor, parameters / setup.tensor + whole * (1 - 1 / setup.tensor)
    held = (low - spread / setup.tensor, high - spread / setup.tensor)
    largest = float(given.largest_layer or 0)
    stacked = max(largest, (given.expert_parameters or 0) / max(1, given.layers or 1))
    return {
        "P": held,
        "T": (held[0] * share, held[1] * share),
        "F": (low * share, high * share),
        "D": setup.copies,
        "Z": setup.shard,
        "L": (largest / setup.tensor, min(stacked, parameters)),
        "w": setup.weight,
        "g": setup.gradient,
        "q": setup.communicated,
        "m": setup.master,
        "o": (setup.optimizer.low, setup.optimizer.high),
        "r": setup.offloaded,
        "t": setup.tensor,
        **compute_model_symbols(setup),
    }


def compute_model_symbols(setup: Setup) -> dict[str, Bounds]:
    """The numbers of the model that are known."""
    given = setup.inputs
    known = {"b": setup.micro, "h": given.hidden, "l": given.layers, "v": given.vocabulary, "a": given.heads}
    tokens = given.sequence / setup.sequence_ranks if given.sequence else None
    return {name: float(number) for name, number in {**known, "s": tokens}.items() if number is not None}
