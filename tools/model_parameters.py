"""Writes tests/data/model_parameters.json: parameters that transformers counts on PyTorch's meta device.

For each family of dsgen.estimate.families, and for configurations drawn at random: the config.json, the number of
parameters, and those of the largest module. Needs torch and transformers, which the tests do not:

    python -m venv /tmp/counted && /tmp/counted/bin/pip install torch transformers
    PYTHONPATH=. /tmp/counted/bin/python tools/model_parameters.py
"""

import json
import random
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import CONFIG_MAPPING, AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from dsgen.estimate.families import FAMILIES, Family

TARGET = Path(__file__).parent.parent / "tests" / "data" / "model_parameters.json"
OF_EACH = 6
CLASSES = {
    "decoder": AutoModelForCausalLM,
    "encoder": AutoModel,
    "t5": AutoModelForSeq2SeqLM,
    "bart": AutoModelForSeq2SeqLM,
}
SWITCHES = {
    *("attention_bias", "mlp_bias", "use_bias", "bias", "qkv_bias", "use_qkv_bias", "enable_bias", "lm_head_bias"),
    *("attention_out_bias", "qk_layernorm", "use_qk_norm", "use_parallel_residual", "tie_word_embeddings"),
    *("new_decoder_architecture", "multi_query", "parallel_attn", "do_layer_norm_before"),
}
WITHOUT = {"stablelm": {"qk_layernorm"}, **{name: {"tie_word_embeddings"} for name in ("t5", "mt5", "umt5")}}
"""Switches that are not drawn: dsgen does not count the other form, or transformers 5 ignores what models say."""
KEPT = SWITCHES | {
    *("model_type", "num_local_experts", "num_experts", "n_routed_experts", "num_experts_per_tok", "n_shared_experts"),
    *("moe_intermediate_size", "shared_expert_intermediate_size", "decoder_sparse_step", "mlp_only_layers", "d_kv"),
    *("first_k_dense_replace", "kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"),
    *("interleave_moe_layer_step", "moe_layers", "intermediate_size_mlp", "num_kv_heads", "num_ln_in_parallel_attn"),
    *("word_embed_proj_dim", "type_vocab_size", "feed_forward_proj", "num_decoder_layers"),
    *("decoder_layers", "decoder_ffn_dim", "relative_attention_num_buckets"),
}


def drawn(name: str, family: Family, draw: random.Random) -> dict[str, Any]:
    """Numbers for a small model of a family."""
    heads, layers = draw.choice((2, 4, 8)), draw.randint(1, 6)
    defaults = CONFIG_MAPPING[name]().to_dict()
    sizes = {
        "hidden": heads * draw.choice((8, 16, 24)),
        "layers": layers,
        "heads": heads,
        "kvHeads": draw.choice([one for one in (1, 2, 4, 8) if heads % one == 0]),
        "headDim": draw.choice((8, 16, 32)),
        "intermediate": draw.randint(3, 30) * 4,
        "vocabulary": draw.randint(60, 600),
        "positions": draw.randint(20, 200),
    }
    config = {family.names[symbol]: size for symbol, size in sizes.items() if family.names[symbol] in defaults}
    if name in ("arcee", "llama", "granite", "phi3") or family.kind == "encoder":
        config.pop("head_dim", None)
    config |= {key: draw.random() < 0.5 for key in SWITCHES - WITHOUT.get(name, set()) if key in defaults}
    some = {
        "num_local_experts": draw.randint(2, 6),
        "num_experts": draw.randint(2, 6),
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "n_group": 1,
        "topk_group": 1,
        "n_shared_experts": draw.randint(1, 2),
        "moe_intermediate_size": draw.randint(3, 20) * 4,
        "shared_expert_intermediate_size": draw.randint(3, 20) * 4,
        "decoder_sparse_step": draw.randint(1, 2),
        "mlp_only_layers": [0] if draw.random() < 0.3 else [],
        "first_k_dense_replace": draw.randint(0, layers),
        "kv_lora_rank": 16,
        "q_lora_rank": draw.choice((None, 24)),
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 16,
        "v_head_dim": draw.choice((8, 16)),
        "interleave_moe_layer_step": draw.randint(1, 2),
        "intermediate_size_mlp": draw.randint(3, 20) * 4,
        "num_kv_heads": draw.choice([one for one in (1, 2, 4, 8) if heads % one == 0]),
        "word_embed_proj_dim": draw.choice((sizes["hidden"], 8)),
        "type_vocab_size": draw.randint(1, 3),
        "feed_forward_proj": draw.choice(("relu", "gated-gelu")),
        "num_decoder_layers": draw.randint(1, 4),
        "decoder_layers": draw.randint(1, 4),
        "decoder_ffn_dim": draw.randint(3, 20) * 4,
        "decoder_attention_heads": heads,
        "num_nextn_predict_layers": 0,
        "pad_token_id": 0,
    }
    config |= {key: value for key, value in some.items() if key in defaults}
    if name == "gpt_neo":
        config["attention_types"] = [[["global"], layers]]
    return {**config, "model_type": name}


def counted(config: dict[str, Any], family: Family) -> tuple[int, int]:
    """All parameters, and those of the module that has the most of its own."""
    given = {key: value for key, value in config.items() if key != "model_type"}
    with torch.device("meta"):
        model = CLASSES[family.kind].from_config(CONFIG_MAPPING[config["model_type"]](**given))
    own = (sum(one.numel() for one in module.parameters(recurse=False)) for module in model.modules())
    return sum(one.numel() for one in model.parameters()), max(own)


def main() -> None:
    """Writes the file; names on the command line limit it to these families, which are printed instead."""
    draw, rows = random.Random(24), []
    for name, family in FAMILIES.items():
        if name not in CONFIG_MAPPING or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        for _ in range(OF_EACH):
            config = drawn(name, family, draw)
            parameters, largest = counted(config, family)
            kept = {key: value for key, value in config.items() if key in KEPT or key in family.names.values()}
            rows.append({"config": kept, "parameters": parameters, "largest": largest})
    source = f"transformers {version('transformers')}, torch {version('torch')}; made by tools/model_parameters.py"
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    if not sys.argv[1:]:
        TARGET.write_text(f'{{\n "source": "{source}",\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
