"""The rows of published figures; see `references`.

Of articles and of DeepSpeed's documentation, and of public threads in which people say what they ran and what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from dsgen.estimate import steps
from dsgen.estimate.inputs import Inputs, Recompute, add_model
from dsgen.estimate.parameters import make_model
from dsgen.estimate.references import (
    BOTH,
    GB,
    OFFLOAD,
    TERA,
    Comparison,
    Computed,
    Kind,
    Reference,
    assume_share,
    compare_references,
    compute_memory,
    compute_rank_tokens,
    compute_states,
    compute_step_item,
    compute_step_seconds,
    compute_utilization,
    compute_worker_memory,
    make_config,
)


def _make_llama(hidden: int, layers: int, heads: int, kv_heads: int, width: int, vocabulary: int) -> Inputs:
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
    more = {"num_key_value_heads": kv_heads, "intermediate_size": width, "vocab_size": vocabulary}
    return add_model(Inputs(), make_model({"model_type": "llama", **sizes, **more}))


LLAMA_7B = _make_llama(4096, 32, 32, 32, 11008, 32000)
LLAMA_13B = _make_llama(5120, 40, 40, 40, 13824, 32000)
LLAMA_33B = _make_llama(6656, 60, 52, 52, 17920, 32000)
CODER_33B = _make_llama(7168, 62, 56, 8, 19200, 32256)
LLAMA_2_70B = _make_llama(8192, 80, 64, 8, 28672, 32000)
LLAMA_3_8B = _make_llama(4096, 32, 32, 8, 14336, 128256)
LLAMA_3_70B = _make_llama(8192, 80, 64, 8, 28672, 128256)
T5_3B = Inputs(parameters=2_851_000_000, largest_layer=32_000_000)
GPT_J = add_model(
    Inputs(),
    make_model(
        {"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_positions": 2048, "vocab_size": 50400}
    ),
)

# -- states of the model ----------------------------------------------------------------------------------------------

ZERO = "ZeRO, arXiv 1910.02054, table 1"


def _cite_zero(name: str, parameters: float, ranks: int, published: tuple[float, float, float]) -> Iterator[Reference]:
    for stage, figure in zip((1, 2, 3), published, strict=True):
        job = (1, ranks, make_config(stage), Inputs(parameters=int(parameters)))
        case = f"{name}, {ranks} GPUs, stage {stage}"
        yield Reference(case, ZERO, "states of a GPU", "GB", figure, compute_states(*job), tolerance=0.01)


STATES: tuple[Reference, ...] = (
    *_cite_zero("7.5B", 7.5e9, 64, (31.4, 16.6, 1.88)),
    *_cite_zero("128B", 128e9, 64, (536, 284, 32)),
    *_cite_zero("1T", 1e12, 1024, (4011, 2013, 15.6)),
)

# -- DeepSpeed's own estimates ----------------------------------------------------------------------------------------

MEMORY = "DeepSpeed, docs/code-docs/source/memory.rst"
BARE = "DeepSpeed counts states alone; buckets, gathered layers and the context come on top"


def _cite_gpu(stage: int, what: str, figure: float, zero: Mapping[str, Any]) -> Reference:
    computed = compute_memory(1, 8, make_config(stage, zero=zero), T5_3B)
    return Reference(
        f"t5-3b, 8 GPUs, stage {stage}, {what}", MEMORY, "memory of a GPU", "GiB", figure, computed, "shown", note=BARE
    )


def _cite_host(stage: int, what: str, figure: float, zero: Mapping[str, Any], init: bool | None = None) -> Reference:
    computed = compute_worker_memory(1, 8, make_config(stage, zero=zero), replace(T5_3B, zero_init=init))
    return Reference(
        f"t5-3b, 8 GPUs, stage {stage}, {what}",
        MEMORY,
        "memory of the worker",
        "GiB",
        figure,
        computed,
        tolerance=0.001,
    )


ESTIMATORS: tuple[Reference, ...] = (
    _cite_gpu(2, "optimizer offloaded", 5.31, OFFLOAD),
    _cite_gpu(3, "no offload", 6.10, {}),
    _cite_gpu(3, "optimizer offloaded", 0.79, OFFLOAD),
    _cite_host(2, "optimizer offloaded", 127.48, OFFLOAD),
    _cite_host(3, "optimizer offloaded", 63.74, OFFLOAD, init=True),
    _cite_host(3, "both offloaded", 71.71, BOTH, init=True),
)

# -- speed ------------------------------------------------------------------------------------------------------------

MEGATRON = "Korthikanti et al. 2022, arXiv 2205.05198, table 5"
TITAN = "torchtitan, docs/performance.md"
AZURE = "DeepSpeed, docs/_posts/2022-07-26-deepspeed-azure.md"
A100 = Inputs(product="A100-80GB", network=1600e9)
SHARE = assume_share(*steps.UTILIZATION)
NVME = "DeepSpeed, docs/_tutorials/deepnvme.md"
FACTORY = "hiyouga/LlamaFactory"


def _cite_titan(
    name: str, model: Inputs, batch: int, recompute: Recompute, speed: float, share: float
) -> Iterator[Reference]:
    sequence = 8192 if name.startswith("Llama 3") else 4096
    inputs = replace(
        model, sequence=sequence, recompute=recompute, attention="flash", product="A100-80GB", network=1600e9
    )
    config = make_config(3, "bf16", train_micro_batch_size_per_gpu=batch)
    case = f"{name}, 64 x A100, FSDP2, batch {batch}, recomputation {recompute}"
    yield Reference(case, TITAN, "speed of a GPU", "tokens/s", speed, compute_rank_tokens(8, 8, config, inputs))
    counted = compute_utilization(speed, 312 * TERA, 8, 8, config, replace(inputs, recompute="none"))
    yield Reference(case, TITAN, "MFU", "", share, counted, tolerance=0.02)


def _cite_share(case: str, source: str, published: float) -> Reference:
    return Reference(case, source, "share of the peak", "", published, SHARE)


SPEED: tuple[Reference, ...] = (
    *(
        _cite_share(f"{name}, HFU", MEGATRON, share)
        for name, share in (("22B", 0.437), ("175B", 0.528), ("530B", 0.57))
    ),
    _cite_share("1T, HFU", MEGATRON, 0.57),
    *_cite_titan("Llama 3 8B", LLAMA_3_8B, 1, "selective", 2904, 0.568),
    *_cite_titan("Llama 3 70B", LLAMA_3_70B, 1, "full", 331, 0.517),
    *_cite_titan("Llama 2 13B", LLAMA_13B, 2, "none", 2162, 0.611),
    *_cite_titan("Llama 2 70B", LLAMA_2_70B, 2, "full", 353, 0.505),
    _cite_share("530B, ZeRO-3, 1024 x A100, s 1024", AZURE, 171.37 / 312),
    _cite_share("175B, ZeRO-3, 256 x A100, s 512", AZURE, 204.49 / 312),
    _cite_share("1T, ZeRO-3, 1024 x A100, s 1024", AZURE, 165.36 / 312),
    _cite_share("2T, ZeRO-3, 1024 x A100, s 1024", AZURE, 157 / 312),
    _cite_share("Qwen3-14B, one GH200, SuperOffload", "DeepSpeed, blogs/deepspeed-superoffload", 600 / 989.4),
    *(
        Reference(f"CS3040, {what}", NVME, "share of the peak", "", share, assume_share(*reversed(steps.DISK_SHARE)))
        for what, share in (("read", 3.69 / 5.6), ("written", 3.18 / 4.3))
    ),
    Reference(
        "Llama 3 8B with LoRA, 2 x 8 A800, stage 3, 10 Gbit/s",
        f"{FACTORY}#5014",
        "network",
        "s",
        90,
        compute_step_item(
            "network",
            2,
            8,
            make_config(3, "bf16", train_micro_batch_size_per_gpu=1, gradient_accumulation_steps=2),
            replace(LLAMA_3_8B, trainable=20_971_520, product="A100-80GB", network=10e9, sequence=1024),
        ),
        "shown",
        note="the accumulation is that of the program's example, which the source does not show",
    ),
    Reference(
        "52B, 64 x A100, 1024 x 2048 tokens, recomputed",
        "ml-engineering, training/performance",
        "step",
        "s",
        127,
        compute_step_seconds(
            8,
            8,
            make_config(1, train_micro_batch_size_per_gpu=16),
            replace(A100, parameters=52_000_000_000, sequence=2048, recompute="full"),
        ),
    ),
    Reference(
        "Llama 2 7B, ZeRO-Offload, 4 x A100",
        "DeepSpeed, blogs/deepspeed-zenflow",
        "optimizer on the CPU",
        "s",
        4.0,
        compute_step_item(
            "offload: optimizer on the CPU",
            1,
            4,
            make_config(2, zero=OFFLOAD, train_micro_batch_size_per_gpu=1),
            replace(LLAMA_7B, product="A100-80GB", sequence=2048),
        ),
        note="the source says longer than 4 s",
        tolerance=0.05,
    ),
    Reference(
        "Llama 2 13B, ZeRO-Offload, PCIe 4",
        "DeepSpeed, blogs/deepspeed-zenflow",
        "gradients and weights on PCIe",
        "s",
        1.25,
        compute_step_item(
            "offload: gradients and weights",
            1,
            1,
            make_config(2, zero=OFFLOAD, train_micro_batch_size_per_gpu=1),
            replace(LLAMA_13B, product="A100-80GB", sequence=2048),
        ),
        note="40 GB by 32 GB/s in the source, which says more than 1 s; twice 13B in 16 bits are 52 GB",
    ),
)

# -- runs of people ---------------------------------------------------------------------------------------------------

T5 = "huggingface/transformers#9996"
LENGTH = "the source does not say the length of the samples"


def _cite_fit(case: str, source: str, gib: float, computed: Computed, note: str = "") -> Reference:
    return Reference(case, source, "memory of a GPU", "GiB", gib, computed, "fits", note=note)


def _cite_misfit(case: str, source: str, gib: float, computed: Computed, note: str = "") -> Reference:
    return Reference(case, source, "memory of a GPU", "GiB", gib, computed, "does not fit", note=note)


OF_7B = Inputs(
    parameters=6_660_000_000,
    layers=32,
    hidden=4096,
    heads=32,
    intermediate=16384,
    matrices=2,
    vocabulary=50304,
    largest_layer=50304 * 4096,
    sequence=32768,
    loss="standard",
    attention="flash",
    kernels="fused",
)
"""A model of the usual shape of 7B of Megatron-DeepSpeed."""


def _cite_split(
    stage: int, recompute: Recompute, figure: float, parallel: Mapping[str, Any], kind: Kind, note: str
) -> Reference:
    config = make_config(stage, "bf16", "Adam", train_micro_batch_size_per_gpu=1, **parallel)
    computed = compute_memory(1, 8, config, replace(OF_7B, recompute=recompute), GB)
    how = "sequence_parallel_size" if "sequence_parallel_size" in parallel else "tensor parallelism"
    case = f"7B, 32k tokens, 8 x A100, stage {stage}, {how} 4, recomputation {recompute}"
    return Reference(case, "deepspeedai/DeepSpeed#5305", "memory of a GPU", "GB", figure, computed, kind, note=note)


ULYSSES = {"sequence_parallel_size": 4}
TENSOR = {"tensor_parallel": {"autotp_size": 4, "vocab_parallel_lm_head": True}}
SHAPE = "the source says only 7B: the shape is the usual one"
RESERVED = f"{SHAPE}; it does not say whether memory is allocated or reserved, nor the configuration of stage 3"
SPLIT_NORMS = f"{SHAPE}; Megatron's own parallelism, which splits the norms, too"
EXPERT = Inputs(parameters=34_300_000_000, trainable=910_000_000)
RUNS: tuple[Reference, ...] = (
    _cite_misfit(
        "Llama 7B, 8 x V100 32 GB, stage 2, batch 1",
        f"{FACTORY}#1221",
        32,
        compute_memory(1, 8, make_config(2, "fp16", None), replace(LLAMA_7B, optimizer="adamw_torch", micro_batch=1)),
        "out of memory in the optimizer's temporaries",
    ),
    _cite_fit(
        "Llama 7B, 8 x V100 32 GB, stage 3, batch 1",
        f"{FACTORY}#1221",
        32,
        compute_memory(1, 8, make_config(3, "fp16", None), replace(LLAMA_7B, optimizer="adamw_torch", micro_batch=1)),
        LENGTH,
    ),
    _cite_misfit(
        "BaiChuan 7B, 8 x V100 32 GB, stage 2, 32 bits",
        f"{FACTORY}#260",
        32,
        compute_memory(1, 8, make_config(2, "fp32", None), Inputs(parameters=7_000_559_616, optimizer="adamw_torch")),
        "26.08 GiB in one piece, so 4 bytes for each parameter",
    ),
    _cite_misfit(
        "7B, 2 x V100 16 GB, stage 2, optimizer offloaded",
        "deepspeedai/DeepSpeed#3770",
        16,
        compute_memory(1, 2, make_config(2, "fp16", zero=OFFLOAD), replace(LLAMA_7B, parameters=6_650_000_000)),
        LENGTH,
    ),
    _cite_misfit(
        "Qwen1.5 7B, 8 x A100 40 GB, stage 2, 512 tokens",
        f"{FACTORY}#4133",
        40,
        compute_memory(
            1,
            8,
            make_config(2, "fp16", None, train_micro_batch_size_per_gpu=1),
            replace(_make_llama(4096, 32, 32, 32, 11008, 151936), optimizer="adamw_torch", sequence=512),
        ),
    ),
    _cite_misfit(
        "LLaDA 8B, 2 x A100 40 GB, stage 2, optimizer offloaded",
        "ZHZisZZ/dllm#9",
        40,
        compute_memory(
            1,
            2,
            make_config(2, "bf16", None, zero=OFFLOAD, train_micro_batch_size_per_gpu=2),
            replace(_make_llama(4096, 32, 32, 32, 12288, 126464), optimizer="adamw_torch", sequence=4096),
        ),
        "the source does not say the length; 4096 is that of the model",
    ),
    _cite_misfit(
        "DeepSeek Coder 33B, 8 x A800 80 GB, stage 3, batch 1",
        "deepseek-ai/DeepSeek-Coder#78",
        80,
        compute_memory(1, 8, make_config(3, "bf16", None), replace(CODER_33B, optimizer="adamw_torch", micro_batch=1)),
        LENGTH,
    ),
    _cite_fit(
        "DeepSeek Coder 33B, 8 x A800 80 GB, stage 3, offloaded, 2048 tokens",
        "deepseek-ai/DeepSeek-Coder#78",
        80,
        compute_memory(
            1,
            8,
            make_config(3, "bf16", None, zero=BOTH),
            replace(CODER_33B, optimizer="adamw_torch", micro_batch=1, sequence=2048),
        ),
    ),
    _cite_fit(
        "LLaMA 33B, 8 x A100 40 GB, stage 3, both offloaded, 2048 tokens",
        "deepspeedai/DeepSpeed#3448",
        40,
        compute_memory(
            1, 8, make_config(3, "bf16", zero=BOTH), replace(LLAMA_33B, micro_batch=1, sequence=2048, attention="flash")
        ),
    ),
    Reference(
        "LLaMA 33B, 8 x A100 40 GB, stage 3, both offloaded, 2048 tokens",
        "deepspeedai/DeepSpeed#3448",
        "memory of the worker",
        "GB",
        775,
        compute_worker_memory(1, 8, make_config(3, "bf16", zero=BOTH), LLAMA_33B, GB),
        note="750 to 800 in the source",
    ),
    Reference(
        "GPT-J 6B, one T4, stage 3 with offload, 512 tokens",
        "huggingface/transformers#13329",
        "memory of the worker",
        "GiB",
        100,
        compute_worker_memory(1, 1, make_config(3, "fp16", zero=BOTH), GPT_J),
        tolerance=0.02,
        note="rounded in the source",
    ),
    _cite_fit(
        "GPT-J 6B, one T4, stage 3 with offload, 512 tokens",
        "huggingface/transformers#13329",
        16,
        compute_memory(1, 1, make_config(3, "fp16", zero=BOTH), replace(GPT_J, micro_batch=1, sequence=512)),
        "12 GB were used",
    ),
    *(
        Reference(
            f"{name}, one GPU, stage 2, optimizer offloaded",
            T5,
            "memory of the worker",
            "GB",
            figure,
            compute_worker_memory(1, 1, make_config(2, zero=OFFLOAD), Inputs(parameters=parameters), GB),
        )
        for name, parameters, figure in (("t5-3b", 2_851_598_336, 71), ("t5-11b", 11_307_321_344, 234))
    ),
    *(
        _cite_fit(
            f"{name}, one GPU of {gib} GB, stage 2, optimizer offloaded",
            T5,
            gib,
            compute_memory(1, 1, make_config(2, zero=OFFLOAD), Inputs(parameters=parameters)),
            LENGTH,
        )
        for name, parameters, gib in (("t5-3b", 2_851_598_336, 24), ("t5-11b", 11_307_321_344, 40))
    ),
    Reference(
        "GPT-J 6B, 2 and 4 GPUs, stage 3 with offload",
        "deepspeedai/DeepSpeed#4093",
        "memory of a GPU",
        "GB",
        13,
        compute_memory(1, 2, make_config(3, "fp16", zero=BOTH), GPT_J, GB),
        "at least",
        note="the source does not say the batch; DeepSpeed's estimate is 0.77 GB",
    ),
    Reference(
        "7B, 4 GPUs, stage 3, both offloaded",
        "deepspeedai/DeepSpeed#4527",
        "memory of a GPU",
        "GiB",
        20148 / 1024,
        compute_memory(1, 4, make_config(3, "fp16", zero=BOTH), replace(LLAMA_7B, parameters=6_805_000_000)),
        "at least",
        note="the source does not say the batch; DeepSpeed's estimate is 0.49 GB",
    ),
    Reference(
        "34.3B with 0.91B trained, 8 x A100 80 GB, stage 2",
        "TensorAuto/OpenTau#429",
        "memory of a GPU",
        "GB",
        72.2,
        compute_memory(1, 8, make_config(2, "bf16", None), replace(EXPERT, optimizer="adamw_torch"), GB),
        "at least",
        note="two images and 50 actions; activations are not computed",
    ),
    Reference(
        "34.3B with 0.91B trained, 8 x A100 80 GB, stage 3",
        "TensorAuto/OpenTau#429",
        "memory of a GPU",
        "GB",
        12.5,
        compute_memory(1, 8, make_config(3, "bf16", None), replace(EXPERT, optimizer="adamw_torch"), GB),
        "at least",
        note="two images and 50 actions; activations are not computed",
    ),
    _cite_fit(
        "Llama 2 70B, 8 x A100 80 GB, stage 3, optimizer offloaded, Adafactor",
        "jondurbin/airoboros-l2-70b-gpt4-1.4.1, discussion 2",
        80,
        compute_memory(1, 8, make_config(3, "bf16", None, zero=OFFLOAD), replace(LLAMA_2_70B, optimizer="adafactor")),
        "very close to the limit by the source, which does not say the batch",
    ),
    _cite_misfit(
        "Llama 2 70B with LoRA, 24 x A100 40 GB, stage 3, 16 x 2048 tokens",
        f"{FACTORY}#747",
        40,
        compute_memory(
            3,
            8,
            make_config(3, "fp16", None, train_micro_batch_size_per_gpu=16),
            replace(LLAMA_2_70B, trainable=16_384_000, optimizer="adamw_torch", sequence=2048, recompute="full"),
        ),
    ),
    _cite_misfit(
        "OPT 1.3B, one T4, stage 0",
        "deepspeedai/DeepSpeed#3208",
        14.56,
        compute_memory(1, 1, make_config(0, "fp16"), Inputs(parameters=1_315_758_080)),
    ),
    _cite_misfit(
        "LoRA of Llama 13B in 32 bits, 8 x 32 GB, stage 3, batch 64",
        "deepspeedai/DeepSpeed#5484",
        32,
        compute_memory(
            1,
            8,
            make_config(3, "fp32", None, train_micro_batch_size_per_gpu=64),
            replace(LLAMA_13B, trainable=26_000_000, optimizer="adamw_torch", recompute="full"),
        ),
        LENGTH,
    ),
    _cite_fit(
        "LoRA of Llama 13B in 32 bits, 8 x 32 GB, stage 3, batch 32",
        "deepspeedai/DeepSpeed#5484",
        32,
        compute_memory(
            1,
            8,
            make_config(3, "fp32", None, train_micro_batch_size_per_gpu=32),
            replace(LLAMA_13B, trainable=26_000_000, optimizer="adamw_torch", recompute="full"),
        ),
        LENGTH,
    ),
    _cite_split(3, "full", 52.8, ULYSSES, "shown", RESERVED),
    _cite_split(2, "full", 43.8, ULYSSES, "shown", RESERVED),
    _cite_split(3, "none", 75.2, ULYSSES, "value", SHAPE),
    _cite_split(2, "none", 62.3, ULYSSES, "value", SHAPE),
    _cite_split(1, "full", 32.5, TENSOR, "shown", SPLIT_NORMS),
    _cite_split(1, "none", 45.0, TENSOR, "shown", SPLIT_NORMS),
)
ALL: tuple[Reference, ...] = (*STATES, *ESTIMATORS, *SPEED, *RUNS)
"""All rows."""


def compute_rows() -> list[Comparison]:
    """All rows, computed."""
    return compare_references(ALL)
