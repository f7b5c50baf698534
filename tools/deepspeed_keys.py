"""Writes dsgen/deepspeed/keys.json: what the installed DeepSpeed takes in its configuration.

    path/to/python-with-deepspeed tools/deepspeed_keys.py

Run it with a Python that has deepspeed and torch; dsgen itself needs neither. Blocks that DeepSpeed reads with pydantic
are taken from its models, blocks that it reads by hand from the objects that it makes of an empty configuration. Plain
keys at the top have no type in DeepSpeed; theirs, in PLAIN, are what its code does with them.

The form: `keys` is a map of a key to what may stand there. types: JSON types, absent for anything; enum, minimum,
exclusiveMinimum, maximum, exclusiveMaximum: as in JSON Schema; case: "any" when the case of an enum does not matter;
auto: the word "auto" is a value of its own; newName: this is an old name of that; keys: of a map; unknown: what
DeepSpeed does with other keys of this map, "rejected" (then it also reads "2" as 2), "ignored" or "used".
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import logging
import typing
from pathlib import Path, PurePath
from typing import Any

Rule = dict[str, Any]

TARGET = Path(__file__).parent.parent / "dsgen" / "deepspeed" / "keys.json"
JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
LIMITS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
DTYPES = ["fp32", "float32", "float", "fp16", "float16", "half", "bf16", "bfloat16"]
DTYPES += [f"torch.{name}" for name in ("float32", "float16", "bfloat16")]

COUNT: Rule = {"types": ["integer"], "minimum": 1}
INTEGER: Rule = {"types": ["integer"]}
NUMBER: Rule = {"types": ["number"]}
FLAG: Rule = {"types": ["boolean"]}
TEXT: Rule = {"types": ["string"]}
MAP: Rule = {"types": ["object"]}
LIST: Rule = {"types": ["array"]}
TRAINING_DTYPE: Rule = {"types": ["string"], "enum": [*DTYPES, "int8"]}
COMMUNICATION_DTYPE: Rule = {"types": ["string"], "enum": ["fp16", "bf16", "fp32"], "case": "any"}
PLAIN: dict[str, Rule] = {
    "train_batch_size": COUNT,
    "train_micro_batch_size_per_gpu": COUNT,
    "gradient_accumulation_steps": COUNT,
    "sequence_parallel_size": COUNT,
    "data_parallel_size": COUNT,
    "steps_per_print": INTEGER,
    "vocabulary_size": INTEGER,
    "managed_gradient_accumulation": FLAG,
    "dump_state": FLAG,
    "disable_python_gc": FLAG,
    "disable_allgather": FLAG,
    "prescale_gradients": FLAG,
    "zero_allow_untested_optimizer": FLAG,
    "zero_force_ds_cpu_optimizer": FLAG,
    "wall_clock_breakdown": FLAG,
    "memory_breakdown": FLAG,
    "dataloader_drop_last": FLAG,
    "use_data_before_expert_parallelism": FLAG,
    "communication_data_type": COMMUNICATION_DTYPE,
    "seq_parallel_communication_data_type": COMMUNICATION_DTYPE,
    "gradient_predivide_factor": NUMBER,
    "gradient_clipping": {**NUMBER, "minimum": 0},
    "gradient_allreduce_op": {"types": ["string"], "enum": ["mean", "sum"], "case": "any"},
    "log_level": TEXT,
}


def read_by_hand(keys: dict[str, Rule], unknown: str = "ignored") -> Rule:
    """A block that DeepSpeed takes its keys from and does not look at otherwise."""
    return {"types": ["object"], "unknown": unknown, "keys": keys}


# Read by hand, and not to be had from an object.
SPECIAL: dict[str, Rule] = {
    "optimizer": read_by_hand({"type": TEXT, "params": MAP, "legacy_fusion": FLAG}),
    "scheduler": read_by_hand({"type": TEXT, "params": MAP}),
    "data_types": read_by_hand(
        {
            "grad_accum_dtype": TRAINING_DTYPE,
            "param_dtype": TRAINING_DTYPE,
            "buffer_dtype": TRAINING_DTYPE,
            "keep_in_fp32_modules": {**LIST, "auto": True},
        }
    ),
    "torch_autocast": read_by_hand(
        {"enabled": FLAG, "dtype": {**TEXT, "enum": DTYPES}, "lower_precision_safe_modules": LIST}
    ),
    "bfloat16": {**MAP, "newName": "bf16"},
    "data_efficiency": MAP,
    "datastates_ckpt": MAP,
}
# What it makes of two others; they are no keys.
COMPUTED = {"start_step", "end_step"}


# -- blocks that pydantic reads ---------------------------------------------------------------------------------------


def model_block(model: Any) -> Rule:
    """A block whose fields, with their limits, are those of a pydantic model."""
    keys: dict[str, Rule] = {}
    for name, field in model.model_fields.items():
        rule = field_rule(field)
        keys[field.alias or name] = rule
        if field.alias and field.alias != name:  # the models take both names
            keys[name] = rule
    return {"types": ["object"], "unknown": "rejected", "keys": keys}


def field_rule(field: Any) -> Rule:
    """What one field takes."""
    rule = annotated(field.annotation)
    for limit in field.metadata:
        rule |= {name: getattr(limit, key) for key, name in LIMITS.items() if getattr(limit, key, None) is not None}
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    if extra.get("deprecated"):
        rule["newName"] = extra.get("new_param", "")
    if field.default == "auto":
        rule["auto"] = True
    return rule


def annotated(annotation: Any) -> Rule:
    """What a type annotation takes."""
    origin, arguments = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        return united([annotated(one) for one in arguments if one is not type(None)])
    if origin is typing.Literal:
        return {"types": [JSON_TYPES[type(arguments[0])]], "enum": list(arguments)}
    if not inspect.isclass(origin):
        return {}
    if hasattr(origin, "model_fields"):
        return model_block(origin)
    if issubclass(origin, enum.Enum):
        values = list(dict.fromkeys(one.value for one in origin))
        return {"types": [JSON_TYPES[type(values[0])]], "enum": values}
    if issubclass(origin, list | tuple | set):
        return LIST
    if issubclass(origin, PurePath):
        return TEXT
    return {"types": [JSON_TYPES[origin]]} if origin in JSON_TYPES else {}


def united(rules: list[Rule]) -> Rule:
    """What any of the rules takes; types that are not known make it anything."""
    if len(rules) == 1:
        return rules[0]
    return {"types": [name for rule in rules for name in rule["types"]]} if all("types" in one for one in rules) else {}


# -- blocks that DeepSpeed reads by hand ------------------------------------------------------------------------------


def parsed_block(defaults: dict[str, Any], unknown: str = "ignored") -> Rule:
    """A block whose keys and types are those of its defaults; None says nothing about the type."""
    given = {name: value for name, value in defaults.items() if not name.startswith("_") and name not in COMPUTED}
    return read_by_hand({name: like(value) for name, value in given.items()}, unknown)


def like(default: Any) -> Rule:
    """What may stand where this is the default."""
    if default == "auto":
        return {"auto": True}
    return {"types": [JSON_TYPES[type(default)]]} if type(default) in JSON_TYPES else {}


def models() -> dict[str, Rule]:
    """The blocks with a model."""
    from deepspeed.comm.config import CommsLoggerConfig
    from deepspeed.compile.config import CompileConfig
    from deepspeed.inference.config import WeightQuantConfig
    from deepspeed.monitor.config import CometConfig, CSVConfig, TensorBoardConfig, WandbConfig
    from deepspeed.runtime.config import HybridEngineConfig
    from deepspeed.runtime.precision_config import DeepSpeedBF16Config, DeepSpeedFP16Config
    from deepspeed.runtime.tensor_parallel.config import TPTrainingConfig
    from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
    from deepspeed.utils.config import DeepSpeedThroughputTimerConfig

    zero = model_block(DeepSpeedZeroConfig)
    zero["types"] = ["object", "boolean"]  # true is the old form of stage 1
    stage = zero["keys"]["stage"]
    stage["enum"] = sorted(set(stage["enum"]))
    return {
        "zero_optimization": zero,
        "bf16": model_block(DeepSpeedBF16Config),
        "fp16": model_block(DeepSpeedFP16Config),
        "tensorboard": model_block(TensorBoardConfig),
        "wandb": model_block(WandbConfig),
        "csv_monitor": model_block(CSVConfig),
        "comet": model_block(CometConfig),
        "comms_logger": model_block(CommsLoggerConfig),
        "compile": model_block(CompileConfig),
        "hybrid_engine": model_block(HybridEngineConfig),
        "weight_quantization": model_block(WeightQuantConfig),
        "tensor_parallel": model_block(TPTrainingConfig),
        "timers": read_by_hand({"throughput": model_block(DeepSpeedThroughputTimerConfig)}),
    }


def parsed() -> dict[str, Rule]:
    """The blocks without a model."""
    from deepspeed.autotuning.config import DeepSpeedAutotuningConfig
    from deepspeed.module_inject.auto_ep_config import AutoEPConfig
    from deepspeed.profiling.config import DeepSpeedFlopsProfilerConfig
    from deepspeed.runtime.activation_checkpointing.config import DeepSpeedActivationCheckpointingConfig
    from deepspeed.runtime.config import get_pipeline_config
    from deepspeed.runtime.swap_tensor.aio_config import AIO_DEFAULT_DICT

    experts = {field.name: field.default for field in dataclasses.fields(AutoEPConfig)}
    return {
        "activation_checkpointing": parsed_block(vars(DeepSpeedActivationCheckpointingConfig({}))),
        "aio": parsed_block(AIO_DEFAULT_DICT),
        "autotuning": parsed_block(vars(DeepSpeedAutotuningConfig({}))),
        "checkpoint": checkpoint_block(),
        "expert_parallel": parsed_block(experts),
        "flops_profiler": parsed_block(vars(DeepSpeedFlopsProfilerConfig({}))),
        "pipeline": parsed_block(get_pipeline_config({}), unknown="used"),
    }


def checkpoint_block() -> Rule:
    """Its keys are constants only."""
    from deepspeed.runtime import constants
    from deepspeed.runtime.model_checkpointing import constants as of_files

    plain = ("LOAD_UNIVERSAL_CHECKPOINT", "USE_NODE_LOCAL_STORAGE_CHECKPOINT")
    keys = {getattr(constants, name): getattr(constants, f"{name}_DEFAULT") for name in plain}
    keys[of_files.CHECKPOINT_SERIALIZATION] = of_files.CHECKPOINT_SERIALIZATION_DEFAULT
    writer = ("IO_BUFFER_SIZE", "IO_BUFFER_DOUBLE", "IO_STATISTICS", "WRITER_DECOUPLED", "IO_MULTIPLIER")
    names = [f"CHECKPOINT_{name}" for name in writer]
    block = parsed_block(keys)
    below = parsed_block({getattr(of_files, name): getattr(of_files, f"{name}_DEFAULT") for name in names})
    below["keys"] |= {
        of_files.CHECKPOINT_WRITER_TYPE: any_case(of_files.CHECKPOINT_WRITER_TYPES),
        of_files.CHECKPOINT_DATA_PARALLEL: any_case(of_files.CHECKPOINT_DATA_PARALLEL_UNITS),
    }
    block["keys"] |= {
        constants.CHECKPOINT_TAG_VALIDATION: any_case(constants.CHECKPOINT_TAG_VALIDATION_MODES),
        constants.CHECKPOINT_PARALLEL_WRITE: read_by_hand({"pipeline_stage": FLAG}),
        of_files.CHECKPOINT_WRITER: below,
    }
    return block


def any_case(values: Any) -> Rule:
    """One of some words, in capitals or not."""
    return {"types": ["string"], "enum": [getattr(value, "value", value) for value in values], "case": "any"}


# -- optimizers and schedulers ----------------------------------------------------------------------------------------


def torch_classes(module: Any, base: Any) -> list[str]:
    """The public classes of a module that are made from a base class."""
    found = ((name, part) for name, part in vars(module).items() if inspect.isclass(part) and not name.startswith("_"))
    return sorted(name for name, part in found if issubclass(part, base) and part is not base)


def schedulers() -> dict[str, Rule]:
    """DeepSpeed's own: the parameters that each takes and those that it must have."""
    from deepspeed.runtime import lr_schedules

    found = {}
    for name in lr_schedules.VALID_LR_SCHEDULES:
        given = list(inspect.signature(getattr(lr_schedules, name).__init__).parameters.values())[2:]
        needed = [one.name for one in given if one.default is one.empty]
        found[name] = {"needed": needed, "possible": [one.name for one in given]}
    return found


def table() -> Rule:
    """All of it."""
    import deepspeed
    import torch
    from deepspeed.runtime.config import DEEPSPEED_OPTIMIZERS

    keys = {**PLAIN, **SPECIAL, **models(), **parsed()}
    return {
        "source": f"deepspeed {deepspeed.__version__}, torch {torch.__version__}; made by tools/deepspeed_keys.py",
        "optimizers": sorted(DEEPSPEED_OPTIMIZERS),
        "torchOptimizers": torch_classes(torch.optim, torch.optim.Optimizer),
        "schedulers": schedulers(),
        "torchSchedulers": torch_classes(torch.optim.lr_scheduler, torch.optim.lr_scheduler.LRScheduler),
        "keys": dict(sorted(keys.items())),
    }


def as_text(part: Any, margin: str = "") -> str:
    """JSON with a line for each key."""
    if not isinstance(part, dict) or not any(isinstance(value, dict) for value in part.values()):
        return json.dumps(part)
    lines = (f"{margin} {json.dumps(key)}: {as_text(value, margin + ' ')}" for key, value in part.items())
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    TARGET.write_text(as_text(table()) + "\n", encoding="utf-8")
