"""Jobs for the tests of the estimate: complete values, as a values file gives them."""

from typing import Any, TypeVar

from dsgen.estimate.inputs import Inputs, add_model
from dsgen.estimate.parameters import make_model
from dsgen.values import make_job

LLAMA_8B: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}
MODEL = add_model(
    Inputs(sequence=4096, recompute="full", attention="flash", kernels="standard", loss="standard"),
    make_model(LLAMA_8B),
)
"""Llama 3.1 8B, with all that an estimate of memory needs."""
T = TypeVar("T")


def known(part: T | None) -> T:
    """A part of an estimate, which the numbers of the job are enough for."""
    assert part is not None
    return part


def config(stage: int = 2, micro: int | None = 1, **more: Any) -> dict[str, Any]:
    """A configuration of DeepSpeed; `zero` has further keys of zero_optimization."""
    zero = {"stage": stage, **more.pop("zero", {})}
    given: dict[str, Any] = {"bf16": {"enabled": True}, "optimizer": {"type": "AdamW"}, "zero_optimization": zero}
    if micro:
        given["train_micro_batch_size_per_gpu"] = micro
    return {**given, **more}


def values(given: dict[str, Any], replicas: int = 1, slots: int = 8, **workers: Any) -> dict[str, Any]:
    """The complete values of a job with this configuration of DeepSpeed."""
    job = make_job(
        {
            "name": "job",
            "namespace": "training",
            "image": {"repository": "registry.example.com/team/job", "tag": "1"},
            "workers": {"replicas": replicas, "slots": slots, **workers},
            "training": {"python": "train.py", "deepspeed": {"config": given, "version": "0.19.8"}},
        }
    )
    assert job.values, job.diagnostics
    return job.data
