"""Frameworks of docs/programs.md on two workers without GPUs: values/common.yaml, and a file for each over it."""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.training import image_values, merged

FOLDER = Path(__file__).parent
OWN = ("own", "megatron", "neox")
FRAMEWORKS = (
    *("trainer", "trl-sft", "trl-grpo", "accelerate", "lightning", "llama-factory", "ms-swift", "axolotl", "torchtune"),
)
# What the second run of those has that do not resume by themselves: in commands, in YAML, and in that of torchtune.
AGAIN = {
    '--max_steps, "3"': '--max_steps, "6", --resume_from_checkpoint, /checkpoints/checkpoint-3',
    "      max_steps: 3": "      max_steps: 6\n      resume_from_checkpoint: /checkpoints/checkpoint-3",
    "resume_from_checkpoint: false": "resume_from_checkpoint: true",
    "[model.safetensors]": "[epoch_0/model-00001-of-00001.safetensors]",
    "recipe_checkpoint: null": "recipe_checkpoint: recipe_state/recipe_state.pt",
}


def values_of(row: str, image: str, *, is_second: bool = False) -> dict[str, Any]:
    """The values of a run, with the programs that they name as files."""
    common, text = ((FOLDER / f"values/{name}.yaml").read_text() for name in ("common", row))
    for old, new in AGAIN.items() if is_second else ():
        text = text.replace(old, new)
    files = {name: (FOLDER / name).read_text() for name in re.findall(r"\b[a-z_]+\.py\b", common + text)}
    shared = {"image": image_values(image), "training": {"files": files}}
    return merged(merged(yaml.safe_load(common), yaml.safe_load(text)), shared)
