"""tiny.py FOLDER writes FOLDER/model, a Llama of two layers with a tokenizer of bytes, and FOLDER/data, sums.

It needs the standard library only, so that each environment has the same ones.
"""

import json
import random
import struct
import sys
from array import array
from math import prod
from pathlib import Path
from typing import Any

HIDDEN, WIDTH, LAYERS, HEADS, GROUPS = 32, 64, 2, 4, 2
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTES = [chr(number) for number in SHOWN] + [chr(256 + number) for number in range(256 - len(SHOWN))]
WORDS = {word: number for number, word in enumerate(SPECIAL + BYTES)}
CHAT = "{% for m in messages %}{{ bos_token }}{{ m['role'] }}: {{ m['content'] }}{{ eos_token }}{% endfor %}"
SQUARE, NARROW = [HIDDEN, HIDDEN], [HIDDEN // HEADS * GROUPS, HIDDEN]
LAYER = {
    "input_layernorm": [HIDDEN],
    **{f"self_attn.{name}_proj": shape for name, shape in zip("qkvo", [SQUARE, NARROW, NARROW, SQUARE], strict=True)},
    "post_attention_layernorm": [HIDDEN],
    **{f"mlp.{name}_proj": [WIDTH, HIDDEN] for name in ("gate", "up")},
    "mlp.down_proj": [HIDDEN, WIDTH],
}
SHAPES = {
    "model.embed_tokens": [len(WORDS), HIDDEN],
    **{f"model.layers.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in LAYER.items()},
    "model.norm": [HIDDEN],
    "lm_head": [len(WORDS), HIDDEN],
}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": len(WORDS),
    "hidden_size": HIDDEN,
    "intermediate_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "max_position_embeddings": 256,
    "torch_dtype": "float32",
    **{f"{name}_token_id": number for number, name in enumerate(("pad", "bos", "eos"))},
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
ALONE = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
TOKENIZER = {
    "version": "1.0",
    "added_tokens": [{"id": WORDS[word], "content": word, "special": True, **ALONE} for word in SPECIAL],
    "pre_tokenizer": BYTE_LEVEL,
    "decoder": BYTE_LEVEL,
    "model": {"type": "BPE", "vocab": WORDS, "merges": []},
}
NAMES = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL, strict=True))
SETTINGS = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 256, "chat_template": CHAT, **NAMES}


def write_weights(file: Path) -> None:
    """Random numbers in the format safetensors: the length of the head, the head, the numbers."""
    dice, at, head, data = random.Random(0), 0, {}, b""
    for name, shape in SHAPES.items():
        drawn = [1.0 if len(shape) == 1 else dice.gauss(0, 0.05) for _ in range(prod(shape))]
        data += array("f", drawn).tobytes()
        head[f"{name}.weight"] = {"dtype": "F32", "shape": shape, "data_offsets": [at, len(data)]}
        at = len(data)
    text = json.dumps({"__metadata__": {"format": "pt"}, **head}).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main(folder: Path) -> None:
    model, data = folder / "model", folder / "data"
    for made in (model, data):
        made.mkdir(parents=True)
    for name, content in (("config", CONFIG), ("tokenizer", TOKENIZER), ("tokenizer_config", SETTINGS)):
        (model / f"{name}.json").write_text(json.dumps(content))
    write_weights(model / "model.safetensors")
    sums = [(f"{a} and {b} are", f" {a + b}.") for a in range(8) for b in range(8)]
    forms: dict[str, list[Any]] = {
        "text": [{"text": one + two} for one, two in sums],
        "prompts": [{"prompt": one, "completion": two} for one, two in sums],
        "chats": [{"messages": [{"role": "user", "content": a}, {"role": "assistant", "content": b}]} for a, b in sums],
        "alpaca": [{"instruction": one, "input": "", "output": two} for one, two in sums],
    }
    for name, rows in forms.items():
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (data / "dataset_info.json").write_text(json.dumps({"sums": {"file_name": "alpaca.jsonl"}}))  # of LLaMA-Factory


main(Path(sys.argv[1]))
