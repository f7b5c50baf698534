"""The measured trainings: models of 10 to 200 million parameters, on 2 and 4 ranks."""

from typing import Any

WIDE_BUCKETS = {"reduce_bucket_size": 500_000_000, "allgather_bucket_size": 500_000_000}


def llama(hidden: int, layers: int, vocabulary: int, **more: Any) -> dict[str, Any]:
    """The config.json of a model of the family llama."""
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "vocab_size": vocabulary}
    heads = {"num_attention_heads": hidden // 64, "num_key_value_heads": max(1, hidden // 128)}
    width = {"intermediate_size": hidden * 3, "max_position_embeddings": 2048, "tie_word_embeddings": False}
    return {"model_type": "llama", **sizes, **heads, **width, **more}


def gpt2(hidden: int, layers: int, vocabulary: int) -> dict[str, Any]:
    """The config.json of a model of the family gpt2, without dropout."""
    sizes = {"n_embd": hidden, "n_layer": layers, "n_head": hidden // 64, "vocab_size": vocabulary}
    none = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    return {"model_type": "gpt2", **sizes, **none, "n_positions": 1024, "n_inner": None}


SMALL = llama(512, 4, 8000)  # 21 million
MIDDLE = llama(768, 8, 16000)  # 82 million
LARGE = llama(1024, 12, 24000)  # 200 million
GPT = gpt2(512, 8, 16000)  # 34 million
EXPERTS = {
    **llama(384, 4, 8000),
    "model_type": "mixtral",
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}


def case(name: str, model: dict[str, Any], ranks: int, stage: int, **more: Any) -> dict[str, Any]:
    """One training; `zero` are keys of zero_optimization, `config` of DeepSpeed's configuration."""
    zero = {"stage": stage, **(WIDE_BUCKETS if stage else {}), **more.pop("zero", {})}
    config = {
        "train_micro_batch_size_per_gpu": more.get("micro", 2),
        "optimizer": {"type": "AdamW", "params": {"lr": 0.0001, "torch_adam": True}},
        "bf16": {"enabled": True},
        "zero_optimization": zero,
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        **more.pop("config", {}),
    }
    defaults = {"micro": 2, "sequence": 128, "attention": "sdpa"}
    return {"name": name, "model": model, "ranks": ranks, **defaults, **more, "config": config}


OFFLOAD = {"offload_optimizer": {"device": "cpu"}}
BOTH = {**OFFLOAD, "offload_param": {"device": "cpu"}}
TWICE = {"gradient_accumulation_steps": 2}

FEW_LIVE = {"stage3_max_live_parameters": 10_000_000, "stage3_max_reuse_distance": 10_000_000}
FEW_LIVE |= {"stage3_prefetch_bucket_size": 1_000_000}
HPZ = {**FEW_LIVE, "zero_hpz_partition_size": 2}
SMALL_BUCKETS = {"reduce_bucket_size": 2_000_000, "allgather_bucket_size": 2_000_000}
FORCED = {"zero_force_ds_cpu_optimizer": True}
CPU_ADAM = {"optimizer": {"type": "AdamW", "params": {"lr": 0.0001}}, **FORCED}
ALL_IN_BF16 = {"enabled": True, "bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}

CASES: list[dict[str, Any]] = [
    *(case(f"small-2-stage{stage}", SMALL, 2, stage) for stage in range(4)),
    *(case(f"middle-2-stage{stage}", MIDDLE, 2, stage) for stage in range(4)),
    *(case(f"middle-4-stage{stage}", MIDDLE, 4, stage) for stage in range(4)),
    *(case(f"gpt2-2-stage{stage}", GPT, 2, stage) for stage in (0, 2, 3)),
    *(case(f"large-2-stage{stage}", LARGE, 2, stage, sequence=64) for stage in (1, 2, 3)),
    *(case(f"middle-2-stage{stage}-accumulate", MIDDLE, 2, stage, config=TWICE) for stage in (1, 2, 3)),
    *(case(f"middle-2-stage{stage}-offload", MIDDLE, 2, stage, zero=OFFLOAD) for stage in (1, 2, 3)),
    case("middle-2-stage3-both", MIDDLE, 2, 3, zero=BOTH),
    case("middle-4-stage2-offload", MIDDLE, 4, 2, zero=OFFLOAD),
    case("middle-4-stage3-offload", MIDDLE, 4, 3, zero=OFFLOAD),
    case("middle-2-stage3-init", MIDDLE, 2, 3, zero_init=True),
    case("middle-2-stage2-long", MIDDLE, 2, 2, micro=4, sequence=512),
    case("middle-2-stage2-recompute", MIDDLE, 2, 2, micro=4, sequence=512, recompute=True),
    case("middle-2-stage2-eager", MIDDLE, 2, 2, micro=2, sequence=512, attention="eager"),
    case("gpt2-2-stage2-long", GPT, 2, 2, micro=4, sequence=512),
    case("middle-2-stage1-fp32-gradients", MIDDLE, 2, 1, config={"data_types": {"grad_accum_dtype": "fp32"}}),
    case("middle-2-stage2-fp32-gradients", MIDDLE, 2, 2, config={"data_types": {"grad_accum_dtype": "fp32"}}),
    case("middle-2-stage2-fp32", MIDDLE, 2, 2, config={"bf16": {"enabled": False}}),
    case("middle-2-stage0-fp32", MIDDLE, 2, 0, config={"bf16": {"enabled": False}}),
    case("middle-2-stage2-frozen", MIDDLE, 2, 2, frozen="mlp"),
    case("middle-2-stage3-frozen", MIDDLE, 2, 3, frozen="mlp"),
    case("middle-2-stage2-sgd", MIDDLE, 2, 2, config={"optimizer": {"type": "SGD", "params": {"lr": 0.001}}}),
    case("experts-2-stage2", EXPERTS, 2, 2),
    case("experts-2-stage3", EXPERTS, 2, 3),
    case("middle-4-stage3-few-live", MIDDLE, 4, 3, zero=FEW_LIVE),
    case("middle-4-stage3-hpz", MIDDLE, 4, 3, zero={"zero_hpz_partition_size": 2}),
    case("middle-4-stage3-hpz-few-live", MIDDLE, 4, 3, zero=HPZ),
    case("middle-4-stage3-hpz-accumulate", MIDDLE, 4, 3, zero=HPZ, config=TWICE),
    case("middle-2-stage3-few-live-recompute", MIDDLE, 2, 3, zero=FEW_LIVE, recompute=True),
    case("middle-4-stage2-tensor", MIDDLE, 4, 2, config={"tensor_parallel": {"autotp_size": 2}}),
    case("middle-2-stage2-cpu-adam", MIDDLE, 2, 2, zero=OFFLOAD, config=CPU_ADAM),
    case("middle-2-stage2-states-in-16-bits", MIDDLE, 2, 2, zero=OFFLOAD, config={**CPU_ADAM, "bf16": ALL_IN_BF16}),
    case("middle-2-stage3-small-buckets", MIDDLE, 2, 3, zero=SMALL_BUCKETS),
    case("middle-2-stage2-small-buckets", MIDDLE, 2, 2, zero=SMALL_BUCKETS),
    case("middle-2-stage2-lion", MIDDLE, 2, 2, zero=OFFLOAD, config={"optimizer": {"type": "Lion"}, **FORCED}),
    case("large-2-stage0", LARGE, 2, 0, sequence=64),
]
