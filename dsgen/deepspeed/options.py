"""What the command line of a program, and the files that it reads, say by options that frameworks have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dsgen.problems import KeyPath

COMMANDS = (("training", "exec"), ("training", "args"), ("launch", "command"))
FILES: KeyPath = ("training", "files")
WORD = re.compile(r"(?:--?|\+{0,2}(?=[\w.-]*=))[A-Za-z][\w.-]*(?:=(.*))?", re.DOTALL)
"""`--save_dir /x`, `--save_dir=/x`, and as programs with Hydra take it, `trainer.save_dir=/x`."""
IN_SCRIPT = r"(?<!\S)--?([A-Za-z][\w.-]*)[=\s]+[\"']?([^\s\"']+)"
COMMENT = r"(?m)^[ \t]*#(?!SBATCH)[^\n]*"
ASSIGNMENT = r"\b(\w+)=[\"']?([^\s\"';]*)"
VARIABLE = r"[$]\{?(\w+)\}?(?=/|$)"
IN_FILE = r"(?m)^[ \t{,\"']*([A-Za-z][\w-]*)[\"']?:[ \t]+[\"']?([^\s\"',}#]+)"
DIVIDING = ("tensor", "pipeline", "context")
"""The kinds of parallelism whose ranks share one copy of the model, and get the same data."""
SIZES = {
    "tensor": ("tensor_model_parallel_size", "model_parallel_size"),
    "pipeline": ("pipeline_model_parallel_size", "pipe_parallel_size"),
    "context": ("context_parallel_size", "ds_sequence_parallel_size"),
    "expert": ("expert_model_parallel_size", "moe_expert_parallel_size"),
}
"""Key of training.parallel -> options of Megatron-LM, Megatron-DeepSpeed, GPT-NeoX and Megatron-SWIFT."""

BATCH = {
    "train_batch_size": ("global_batch_size",),
    "train_micro_batch_size_per_gpu": ("per_device_train_batch_size", "micro_batch_size"),
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
}
"""Key of DeepSpeed's configuration -> options of the Trainer, axolotl and Megatron that must say the same."""


class ProgramOption(NamedTuple):
    """One option: its place in the values, its name with underscores and dots, as it is written, and its value."""

    path: KeyPath
    name: str
    written: str
    value: str


def list_options(values: Mapping[str, Any]) -> Iterator[ProgramOption]:
    """The options of a program in its command, and in the YAML files and scripts of training.files, in their order."""
    for path in COMMANDS:
        words = values[path[0]][path[1]] or ()
        for index, word in enumerate(words):
            if found := WORD.fullmatch(word):
                following = words[index + 1] if index + 1 < len(words) else ""
                value = following if found[1] is None else found[1]
                yield _make_option((*path, index), word.partition("=")[0], value)
            for one in re.finditer(IN_SCRIPT, word) if re.search(r"\s", word) else ():
                yield _make_option((*path, index), f"--{one[1]}", one[2])
    for name, text in values["training"]["files"].items():
        if text.startswith("#!"):
            folders = _find_folders(text)
            for one in re.finditer(IN_SCRIPT, re.sub(COMMENT, "", text)):
                start = re.match(VARIABLE, one[2])
                value = folders[start[1]] + one[2][start.end() :] if start and start[1] in folders else one[2]
                yield _make_option((*FILES, name), f"--{one[1]}", value)
        for one in re.finditer(IN_FILE, text) if name.endswith((".yaml", ".yml")) else ():
            yield _make_option((*FILES, name), one[1], one[2])


def _find_folders(script: str) -> dict[str, str]:
    """The variables that a script sets once, to a folder."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(ASSIGNMENT, re.sub("#[^\n]*", "", script)):
        found.setdefault(name, []).append(value)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and values[0].startswith("/")}


def _make_option(path: KeyPath, written: str, value: str) -> ProgramOption:
    return ProgramOption(path, written.lstrip("-+").replace("-", "_").lower(), written, value)


def find_numbers(values: Mapping[str, Any], table: Mapping[str, tuple[str, ...]]) -> dict[str, ProgramOption]:
    """The last option of each row of a table whose value is a number of at least 1."""
    rows = {name: key for key, names in table.items() for name in names}
    numbers = (option for option in list_options(values) if re.fullmatch("[1-9][0-9]{0,8}", option.value))
    named = ((rows.get(number.name.rpartition(".")[2]), number) for number in numbers)
    return {key: one for key, one in named if key}


def find_parallel(values: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of training.parallel, or where they are 1 those of the options of the program."""
    said = {kind: int(option.value) for kind, option in find_numbers(values, SIZES).items()}
    return {kind: size if size > 1 else said.get(kind, 1) for kind, size in values["training"]["parallel"].items()}
