"""What is missing of a job's description, and which of its features no formula has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.estimate import optimizers
from dsgen.estimate.setup import DEEPSPEED, LeftOut, Setup


def note(setup: Setup, given: Mapping[str, Any]) -> None:
    """Notes in a setup what is missing, and what is left out. given: the values under training.deepspeed."""
    _note_missing(setup, given)
    _note_left_out(setup, given)


def _note_missing(setup: Setup, given: Mapping[str, Any]) -> None:
    if not given["config"]:
        gives = "the stage of ZeRO, precision and batch, on which memory and time depend"
        if given["configFile"]:
            gives += "; the content of training.deepspeed.configFile is not known here"
        setup.lacks("", gives, DEEPSPEED)
    if not setup.precision:
        setup.lacks("precision", "the bytes of weights and gradients, where the configuration says auto")
    if setup.inputs.parameters is None:
        setup.lacks("parameters", "weights, gradients, optimizer, traffic and time")
    if setup.optimizer is optimizers.UNKNOWN:
        setup.lacks("optimizer", "the bytes of the optimizer's state, which may be 0 to 8 for each parameter")
    if setup.micro is None:
        setup.lacks(
            "micro_batch", "activations, logits, tokens of a step", f"{DEEPSPEED}.train_micro_batch_size_per_gpu"
        )
    elif setup.accumulation is None:
        setup.lacks("accumulation", "tokens and traffic of a step", f"{DEEPSPEED}.gradient_accumulation_steps")
    wide = setup.is_on("expert_parallel", "enabled") or setup.expert_ranks > 1
    if wide and setup.inputs.expert_parameters is None:
        setup.lacks("expert_parameters", "what expert parallelism divides")


LEFT_OUT: tuple[tuple[tuple[str, ...], str], ...] = (
    (("pipeline",), "pipeline parallelism: which layers a stage has is decided by the program"),
    (("zero_optimization", "zenflow"), "ZenFlow: what it keeps on the accelerator depends on the gradients"),
    (("hybrid_engine", "enabled"), "the hybrid engine: memory of the generation"),
    (("compile", "deepcompile"), "DeepCompile: its passes move weights, states and activations"),
    (("weight_quantization", "enabled"), "quantization of weights during the training"),
    (("autotuning", "enabled"), "the autotuner changes the batch and the stage"),
    (("data_efficiency",), "curricula and random layer dropping: sequences are shorter at first"),
    (("compression_training",), "compression"),
    (("elasticity",), "elasticity: the batch and the number of ranks change"),
)
"""Keys of DeepSpeed's configuration that change memory or time in a way that no formula here has."""


def _note_left_out(setup: Setup, given: Mapping[str, Any]) -> None:
    for path, why in LEFT_OUT:
        found = setup.config.get(*path)
        if setup.is_on(*path) or isinstance(found, Mapping):
            setup.left_out.append(LeftOut(".".join((DEEPSPEED, *path)), why))
    if given["autotuning"] != "none":
        setup.left_out.append(LeftOut("training.deepspeed.autotuning", "the autotuner changes the batch and the stage"))
