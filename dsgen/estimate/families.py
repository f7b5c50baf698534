"""The families of models whose parameters dsgen counts: what each calls its numbers, and what its layers contain.

The counts equal those of the classes of Hugging Face transformers; tools/model_parameters.py compares them with models
that it builds on PyTorch's meta device, and tests/estimate/test_parameters.py with published counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Config = Mapping[str, Any]
Switch = bool | tuple[str, bool]
"""Fixed, or the key of config.json with its value where the file does not have it."""
Number = int | Callable[[Config], int]
"""Fixed, or computed from config.json."""

MOST = 10**8
"""The largest number of a config.json. No model has one that is larger, and what is computed from them stays small."""


class ConfigError(ValueError):
    """The parameters do not follow from this config.json; the text says why, and what to write instead."""


def read_number(config: Config, key: str, default: int | None = None, least: int = 0) -> int:
    """A number of config.json; default: for a key that is absent or null. Raises ConfigError if there is no number."""
    value = config.get(key)
    if value is None and default is not None:
        return default
    if value is None:
        raise ConfigError(f"{key} is missing in config.json")
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise ConfigError(f"{key} must be an integer from {least} to {MOST}, not {str(value)[:40]}")
    return value


USUAL = {
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "kvHeads": "num_key_value_heads",
    "headDim": "head_dim",
    "intermediate": "intermediate_size",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
}
"""What most families call their numbers."""
OF_GPT2 = {
    **USUAL,
    "hidden": "n_embd",
    "layers": "n_layer",
    "heads": "n_head",
    "intermediate": "n_inner",
    "positions": "n_positions",
}
OPTIONAL = {"kvHeads", "headDim", "intermediate", "positions"}
"""Numbers that follow from others where the file does not have them."""


@dataclass(frozen=True)
class Experts:
    """The routed experts of a layer.

    count, chosen, width: keys of config.json with the number of experts, of experts for each token, and their
    intermediate size. shared: the intermediate size of the experts that every token passes. shared_gate: they have a
    gate. router_bias, bias: the router and the experts have biases. dense: the number of layers without experts.
    """

    count: str = "num_local_experts"
    chosen: str = "num_experts_per_tok"
    width: str = "intermediate_size"
    shared: Number = 0
    shared_gate: bool = False
    router_bias: bool = False
    bias: bool = False
    dense: Number = 0
    dense_width: str = "intermediate_size"


@dataclass(frozen=True)
class Family:
    """One architecture.

    kind: what the model consists of. names: what config.json calls the numbers. qkv_bias, output_bias, mlp_bias,
    head_bias: which linear layers have a bias; that of the output of attention is qkv_bias where it is None. qk_norm:
    queries and keys are normalized; qk_norm_of: each head with the same weights ("head"), or all with their own
    ("heads"). norm: vectors of a norm: 1 without, 2 with a bias, 0 without weights. norms: norms of a layer;
    first_norms: how many more or fewer the first one has. gated: the MLP has three matrices rather than two. positions:
    rows of the learned position embedding beyond the number of positions; None without one. embedding: key with the
    width of the embedding, if it may be narrower than the layers. extra: further parameters of a layer. further:
    further parameters of the model. pooler: an encoder has token types and a pooler. tied: the output layer shares the
    weights of the embedding, where config.json does not say so.
    """

    kind: Literal["decoder", "encoder", "t5", "bart"] = "decoder"
    names: Mapping[str, str] = field(default_factory=lambda: USUAL)
    attention: Literal["heads", "latent"] = "heads"
    kv_heads: Number | None = None
    head_dim: int | None = None
    intermediate: Number | None = None
    qkv_bias: Switch = False
    output_bias: Switch | None = None
    mlp_bias: Switch = False
    head_bias: Switch = False
    qk_norm: Switch = False
    qk_norm_of: Literal["head", "heads"] = "head"
    norm: int = 1
    norms: Number = 2
    first_norms: int = 0
    gated: bool = True
    positions: int | None = None
    embedding: str | None = None
    embedding_norm: bool = False
    final_norm: Switch = True
    tied: bool = False
    extra: Callable[[Config], int] | None = None
    further: Callable[[Config], int] | None = None
    pooler: bool = True
    experts: Experts | None = None


def _count_qwen_dense(config: Config) -> int:
    """The layers without experts: those that a list names, and all but every step-th."""
    layers, step = read_number(config, "num_hidden_layers"), read_number(config, "decoder_sparse_step", 0) or 1
    named = {layer for layer in config.get("mlp_only_layers") or () if layer in range(step - 1, layers, step)}
    return layers - layers // step + len(named)


def _count_first_dense(config: Config) -> int:
    return min(read_number(config, "first_k_dense_replace", 0), read_number(config, "num_hidden_layers"))


def _count_falcon_kv_heads(config: Config) -> int:
    heads = read_number(config, "num_attention_heads")
    if config.get("new_decoder_architecture"):
        return read_number(config, "num_kv_heads", 0) or heads
    return 1 if config.get("multi_query", True) else heads


def _count_falcon_norms(config: Config) -> int:
    if config.get("new_decoder_architecture"):
        return read_number(config, "num_ln_in_parallel_attn", 0) or 2
    return 1 if config.get("parallel_attn", True) else 2


def _count_stablelm_norms(config: Config) -> int:
    return 1 if config.get("use_parallel_residual") else 2


def _count_bigcode_kv_heads(config: Config) -> int:
    return 1 if config.get("multi_query", True) else read_number(config, "n_head")


def _compute_usual_width(config: Config) -> int:
    """The usual width of an MLP where config.json has none."""
    return 4 * next(filter(None, (read_number(config, key, 0) for key in ("hidden_size", "n_embd", "d_model"))))


def _count_distances(config: Config) -> int:
    """T5's bias of attention: one number for each head and class of distances."""
    return (read_number(config, "relative_attention_num_buckets", 0) or 32) * read_number(config, "num_heads")


def _count_all_layers(config: Config) -> int:
    layers = read_number(config, "num_layers")
    return layers + (read_number(config, "num_decoder_layers", 0) or layers)


def _count_sinks(config: Config) -> int:
    """One number for each head, to which attention can go instead of to a token."""
    return read_number(config, "num_attention_heads")


def _make_shared_width(key: str, of: str = "moe_intermediate_size") -> Callable[[Config], int]:
    return lambda config: read_number(config, key, 0) * read_number(config, of)


def _count_llama4_dense(config: Config) -> int:
    listed = config.get("moe_layers")
    layers, step = read_number(config, "num_hidden_layers"), read_number(config, "interleave_moe_layer_step", 0) or 1
    return layers - (len(listed) if listed is not None else layers // step)


ATTENTION_BIAS = ("attention_bias", False)
LLAMA = Family(qkv_bias=ATTENTION_BIAS, mlp_bias=("mlp_bias", False))
MISTRAL = Family()
QWEN3 = Family(qkv_bias=ATTENTION_BIAS, qk_norm=True)
OLMO2 = Family(qkv_bias=ATTENTION_BIAS, qk_norm=True, qk_norm_of="heads")
GEMMA = Family(qkv_bias=ATTENTION_BIAS, head_dim=256, tied=True)
GLM = Family(qkv_bias=("attention_bias", True), output_bias=False, head_dim=128)
BIASED = Family(qkv_bias=True, mlp_bias=True, norm=2, gated=False)
"""Layers as those of the first transformers, with biases everywhere."""
GPT2 = replace(BIASED, names=OF_GPT2, intermediate=_compute_usual_width, positions=0, tied=True)
GPTJ = replace(GPT2, qkv_bias=False, norms=1, positions=None, tied=False, head_bias=True)
COHERE = Family(qkv_bias=ATTENTION_BIAS, norms=1, tied=True, qk_norm=("use_qk_norm", False), qk_norm_of="heads")
BERT = replace(BIASED, kind="encoder", positions=0, embedding_norm=True, final_norm=False, tied=True)
OF_T5 = {
    **USUAL,
    "hidden": "d_model",
    "layers": "num_layers",
    "heads": "num_heads",
    "headDim": "d_kv",
    "intermediate": "d_ff",
}
T5 = Family(kind="t5", names=OF_T5, tied=True, further=lambda config: 2 * _count_distances(config))
OF_BART = {
    **USUAL,
    "hidden": "d_model",
    "layers": "encoder_layers",
    "heads": "encoder_attention_heads",
    "intermediate": "encoder_ffn_dim",
}
BART = Family(
    kind="bart", names=OF_BART, norm=2, gated=False, positions=2, embedding_norm=True, final_norm=False, tied=True
)
QWEN_EXPERTS = Experts(count="num_experts", width="moe_intermediate_size", dense=_count_qwen_dense)
DEEPSEEK_EXPERTS = Experts(
    count="n_routed_experts",
    width="moe_intermediate_size",
    shared=_make_shared_width("n_shared_experts"),
    dense=_count_first_dense,
)

FAMILIES: dict[str, Family] = {
    # -- decoders -----------------------------------------------------------------------------------------------------
    "llama": LLAMA,
    "mistral": MISTRAL,
    "ministral": MISTRAL,
    "mixtral": replace(MISTRAL, experts=Experts()),
    "minimax_m2": Family(qk_norm=True, qk_norm_of="heads", experts=Experts()),
    "qwen2": Family(qkv_bias=True, output_bias=False),
    "qwen2_moe": Family(
        qkv_bias=("qkv_bias", True),
        output_bias=False,
        experts=replace(
            QWEN_EXPERTS, shared=lambda config: read_number(config, "shared_expert_intermediate_size"), shared_gate=True
        ),
    ),
    "qwen3": replace(QWEN3, head_dim=128),
    "qwen3_moe": replace(QWEN3, experts=QWEN_EXPERTS),
    "gemma": GEMMA,
    "gemma2": replace(GEMMA, norms=4),
    "gemma3_text": replace(GEMMA, norms=4, qk_norm=True),
    "phi": Family(
        qkv_bias=True,
        mlp_bias=True,
        head_bias=True,
        norm=2,
        norms=1,
        gated=False,
        qk_norm=("qk_layernorm", False),
    ),
    "phi3": Family(),
    "phimoe": Family(qkv_bias=ATTENTION_BIAS, head_bias=("lm_head_bias", False), norm=2, experts=Experts()),
    "stablelm": Family(qkv_bias=("use_qkv_bias", False), output_bias=False, norm=2, norms=_count_stablelm_norms),
    "starcoder2": Family(qkv_bias=("use_bias", True), mlp_bias=("use_bias", True), norm=2, gated=False, tied=True),
    "olmo": Family(qkv_bias=ATTENTION_BIAS, norm=0),
    "olmo2": OLMO2,
    "olmo3": OLMO2,
    "olmoe": replace(OLMO2, experts=Experts(count="num_experts")),
    "granite": LLAMA,
    "granitemoe": Family(qkv_bias=ATTENTION_BIAS, experts=Experts()),
    "cohere": COHERE,
    "cohere2": replace(COHERE, qk_norm=False),
    "glm": GLM,
    "glm4": replace(GLM, norms=4),
    "glm4_moe": Family(
        qkv_bias=ATTENTION_BIAS, output_bias=False, qk_norm=("use_qk_norm", False), experts=DEEPSEEK_EXPERTS
    ),
    "deepseek_v2": Family(attention="latent", mlp_bias=("mlp_bias", False), experts=DEEPSEEK_EXPERTS),
    "deepseek_v3": Family(attention="latent", experts=DEEPSEEK_EXPERTS),
    "kimi_k2": Family(attention="latent", experts=DEEPSEEK_EXPERTS),
    "dots1": Family(qkv_bias=ATTENTION_BIAS, qk_norm=True, experts=DEEPSEEK_EXPERTS),
    "gpt_oss": Family(
        qkv_bias=("attention_bias", True),
        head_dim=64,
        extra=_count_sinks,
        experts=Experts(router_bias=True, bias=True),
    ),
    "llama4_text": Family(
        qkv_bias=ATTENTION_BIAS,
        head_dim=128,
        experts=Experts(
            shared=lambda config: read_number(config, "intermediate_size"),
            dense=_count_llama4_dense,
            dense_width="intermediate_size_mlp",
        ),
    ),
    "smollm3": replace(LLAMA, tied=True),
    "ernie4_5": Family(qkv_bias=("use_bias", False), mlp_bias=("use_bias", False), head_dim=128, tied=True),
    "seed_oss": Family(
        qkv_bias=("attention_bias", True),
        output_bias=("attention_out_bias", False),
        mlp_bias=("mlp_bias", False),
        head_dim=128,
    ),
    "exaone4": Family(qk_norm=True),
    "hunyuan_v1_dense": replace(QWEN3, mlp_bias=False),
    "nemotron": Family(qkv_bias=ATTENTION_BIAS, mlp_bias=("mlp_bias", False), norm=2, gated=False),
    "arcee": replace(LLAMA, gated=False),
    "persimmon": replace(BIASED, qk_norm=("qk_layernorm", True)),
    "gpt2": GPT2,
    "gpt_bigcode": replace(GPT2, kv_heads=_count_bigcode_kv_heads),
    "gpt_neo": replace(
        GPT2, names={**USUAL, "layers": "num_layers", "heads": "num_heads"}, qkv_bias=False, output_bias=True
    ),
    "gpt_neox": replace(GPT2, names=USUAL, positions=None, tied=False, qkv_bias=("attention_bias", True)),
    "gptj": GPTJ,
    "codegen": GPTJ,
    "opt": Family(
        names={**USUAL, "intermediate": "ffn_dim"},
        qkv_bias=("enable_bias", True),
        mlp_bias=("enable_bias", True),
        norm=2,
        gated=False,
        positions=2,
        tied=True,
        final_norm=("do_layer_norm_before", True),
        embedding="word_embed_proj_dim",
    ),
    "bloom": replace(
        BIASED,
        names={**USUAL, "layers": "n_layer", "heads": "n_head"},
        intermediate=_compute_usual_width,
        embedding_norm=True,
        tied=True,
    ),
    "falcon": Family(
        names={**USUAL, "intermediate": "ffn_hidden_size"},
        kv_heads=_count_falcon_kv_heads,
        intermediate=_compute_usual_width,
        qkv_bias=("bias", False),
        mlp_bias=("bias", False),
        norm=2,
        norms=_count_falcon_norms,
        gated=False,
        tied=True,
    ),
    "mpt": Family(
        names={**USUAL, "hidden": "d_model", "layers": "n_layers", "heads": "n_heads"},
        intermediate=_compute_usual_width,
        gated=False,
        tied=True,
    ),
    # -- encoders -----------------------------------------------------------------------------------------------------
    "bert": BERT,
    "roberta": BERT,
    "xlm-roberta": BERT,
    "camembert": BERT,
    "distilbert": replace(
        BERT,
        pooler=False,
        names={**USUAL, "hidden": "dim", "layers": "n_layers", "heads": "n_heads", "intermediate": "hidden_dim"},
    ),
    "modernbert": Family(
        kind="encoder",
        pooler=False,
        qkv_bias=ATTENTION_BIAS,
        mlp_bias=("mlp_bias", False),
        embedding_norm=True,
        tied=True,
        first_norms=-1,
    ),
    # -- both ---------------------------------------------------------------------------------------------------------
    "t5": T5,
    "mt5": T5,
    "umt5": replace(T5, further=lambda config: _count_distances(config) * _count_all_layers(config)),
    "bart": BART,
    "mbart": replace(BART, final_norm=True),
    "pegasus": replace(BART, positions=0, embedding_norm=False, final_norm=True),
}
"""model_type of config.json -> its family."""
