"""Writes dsgen/deepspeed/keys.json: the configuration keys of the installed DeepSpeed.

    path/to/python-with-deepspeed tools/deepspeed_keys.py           the newest version: keys.json
    path/to/python-with-deepspeed tools/deepspeed_keys.py --older   an older one: its differences, in older.json

Run it with a Python that has deepspeed and torch (an unpacked source package on PYTHONPATH is sufficient); dsgen itself
needs neither. The keys at the top are those that DeepSpeed reads from its configuration. Blocks that it reads with
pydantic come from its models, all others from the objects that it creates for an empty configuration. Plain keys at the
top have no type in DeepSpeed; PLAIN has the types with which its code uses them.

The format: `keys` maps each key to its possible values. types: JSON types, absent for anything; enum, minimum,
exclusiveMinimum, maximum, exclusiveMaximum: as in JSON Schema; case: "any" if the case of an enum is ignored; auto: the
text "auto" is allowed; newName: the new name of this old key; keys: the keys of a map; unknown: how DeepSpeed treats
other keys of this map, "rejected" (then it also reads "2" as 2), "ignored" or "used".

The keys of an optimizer or a scheduler are the parameters of its class, with the types of the defaults. stage: the
highest stage of ZeRO that DeepSpeed allows with an optimizer; tested: whether it does so without
zero_allow_untested_optimizer; needed: parameters without a default.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import json
import logging
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any

Rule = dict[str, Any]

TARGET = Path(__file__).parent.parent / "dsgen" / "deepspeed" / "keys.json"
OLDER = TARGET.with_name("older.json")
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
    """A block of which DeepSpeed reads only the known keys."""
    return {"types": ["object"], "unknown": unknown, "keys": keys}


# Blocks that are read without pydantic, and cannot be read from an object.
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
# Attributes that DeepSpeed computes from others; they are not keys.
COMPUTED = {"start_step", "end_step"}


# -- blocks that pydantic reads ---------------------------------------------------------------------------------------


def model_block(model: Any) -> Rule:
    """A block whose fields, with their limits, are those of a pydantic model."""
    keys: dict[str, Rule] = {}
    is_old = not hasattr(model, "model_fields")  # of pydantic 1, up to DeepSpeed 0.15.0
    fields = model.__fields__ if is_old else model.model_fields
    for name, field in fields.items():
        rule = old_field_rule(field) if is_old else field_rule(field)
        if renamed := fields.get(rule.get("newName", "")):  # the model's name; an alias is the one in the documentation
            rule["newName"] = renamed.alias or rule["newName"]
        keys[field.alias or name] = rule
        if field.alias and field.alias != name:  # the models take both names
            keys[name] = rule
    return {"types": ["object"], "unknown": "rejected", "keys": keys}


def field_rule(field: Any) -> Rule:
    """The possible values of a field."""
    rule = annotated(field.annotation)
    for limit in field.metadata:
        rule |= {name: getattr(limit, key) for key, name in LIMITS.items() if getattr(limit, key, None) is not None}
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    if extra.get("deprecated"):
        rule["newName"] = extra.get("new_param", "")
    if field.default == "auto":
        rule["auto"] = True
    return rule


def old_field_rule(field: Any) -> Rule:
    """The same for a field of pydantic 1."""
    rule, info = annotated(field.outer_type_), field.field_info
    rule |= {name: getattr(info, key) for key, name in LIMITS.items() if getattr(info, key, None) is not None}
    if info.extra.get("deprecated"):
        rule["newName"] = info.extra.get("new_param", "")
    return rule | ({"auto": True} if field.default == "auto" else {})


def annotated(annotation: Any) -> Rule:
    """The possible values of a type annotation."""
    origin, arguments = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        return united([annotated(one) for one in arguments if one is not type(None)])
    if origin is typing.Literal:
        return {"types": [JSON_TYPES[type(arguments[0])]], "enum": list(arguments)}
    if not inspect.isclass(origin):
        return {}
    if hasattr(origin, "model_fields") or hasattr(origin, "__fields__"):
        return model_block(origin)
    if issubclass(origin, enum.Enum):
        values = list(dict.fromkeys(one.value for one in origin))
        return {"types": [JSON_TYPES[type(values[0])]], "enum": values}
    if issubclass(origin, list | tuple | set):
        return LIST
    if issubclass(origin, PurePath):
        return TEXT
    plain = next((JSON_TYPES[base] for base in origin.__mro__ if base in JSON_TYPES), None)
    return {"types": [plain]} if plain else {}


def united(rules: list[Rule]) -> Rule:
    """The values of any of the rules; an unknown type allows anything."""
    if len(rules) == 1:
        return rules[0]
    return {"types": [name for rule in rules for name in rule["types"]]} if all("types" in one for one in rules) else {}


# -- blocks that DeepSpeed reads by hand ------------------------------------------------------------------------------


def parsed_block(defaults: dict[str, Any], unknown: str = "ignored") -> Rule:
    """A block whose keys and types are those of its defaults; None does not determine a type."""
    given = {name: value for name, value in defaults.items() if not name.startswith("_") and name not in COMPUTED}
    return read_by_hand({name: like(value) for name, value in given.items()}, unknown)


def like(default: Any) -> Rule:
    """The possible values of a key with this default."""
    if default == "auto":
        return {"auto": True}
    return {"types": [JSON_TYPES[type(default)]]} if type(default) in JSON_TYPES else {}


def part(module: str, name: str) -> Any:
    """A part of the installed DeepSpeed; None if this version does not have it."""
    try:
        return getattr(importlib.import_module(f"deepspeed.{module}"), name, None)
    except ModuleNotFoundError:
        return None


MODELS = {
    "zero_optimization": ("runtime.zero.config", "DeepSpeedZeroConfig"),
    "bf16": ("runtime.precision_config", "DeepSpeedBF16Config"),
    "fp16": ("runtime.precision_config", "DeepSpeedFP16Config"),
    "tensorboard": ("monitor.config", "TensorBoardConfig"),
    "wandb": ("monitor.config", "WandbConfig"),
    "csv_monitor": ("monitor.config", "CSVConfig"),
    "comet": ("monitor.config", "CometConfig"),
    "comms_logger": ("comm.config", "CommsLoggerConfig"),
    "compile": ("compile.config", "CompileConfig"),
    "hybrid_engine": ("runtime.config", "HybridEngineConfig"),
    "weight_quantization": ("inference.config", "WeightQuantConfig"),
    "tensor_parallel": ("runtime.tensor_parallel.config", "TPTrainingConfig"),
}


def models() -> dict[str, Rule]:
    """The blocks with a model."""
    blocks = {name: model_block(model) for name, place in MODELS.items() if (model := part(*place))}
    zero = blocks["zero_optimization"]
    zero["types"] = ["object", "boolean"]  # true is the old form of stage 1
    stage = zero["keys"]["stage"]
    stage["enum"] = sorted(set(stage["enum"]))
    throughput = part("utils.config", "DeepSpeedThroughputTimerConfig")
    return {**blocks, "timers": read_by_hand({"throughput": model_block(throughput)})}


def parsed() -> dict[str, Rule]:
    """The blocks without a model."""
    from deepspeed.autotuning.config import DeepSpeedAutotuningConfig
    from deepspeed.profiling.config import DeepSpeedFlopsProfilerConfig
    from deepspeed.runtime.activation_checkpointing.config import DeepSpeedActivationCheckpointingConfig
    from deepspeed.runtime.config import get_pipeline_config
    from deepspeed.runtime.swap_tensor.aio_config import AIO_DEFAULT_DICT

    auto = part("module_inject.auto_ep_config", "AutoEPConfig")
    experts = {field.name: field.default for field in dataclasses.fields(auto)} if auto else {}
    return {
        "activation_checkpointing": parsed_block(vars(DeepSpeedActivationCheckpointingConfig({}))),
        "aio": parsed_block(AIO_DEFAULT_DICT),
        "autotuning": parsed_block(vars(DeepSpeedAutotuningConfig({}))),
        "checkpoint": checkpoint_block(),
        **({"expert_parallel": parsed_block(experts)} if auto else {}),
        "flops_profiler": parsed_block(vars(DeepSpeedFlopsProfilerConfig({}))),
        "pipeline": parsed_block(get_pipeline_config({}), unknown="used"),
    }


def checkpoint_block() -> Rule:
    """Its keys are constants only."""
    from deepspeed.runtime import constants

    plain = ("LOAD_UNIVERSAL_CHECKPOINT", "USE_NODE_LOCAL_STORAGE_CHECKPOINT")
    block = parsed_block({getattr(constants, name): getattr(constants, f"{name}_DEFAULT") for name in plain})
    block["keys"] |= {
        constants.CHECKPOINT_TAG_VALIDATION: any_case(constants.CHECKPOINT_TAG_VALIDATION_MODES),
        constants.CHECKPOINT_PARALLEL_WRITE: read_by_hand({"pipeline_stage": FLAG}),
    }
    block["keys"] |= checkpoint_files() if part("runtime.model_checkpointing.constants", "__name__") else {}
    return block


def checkpoint_files() -> dict[str, Rule]:
    """The keys of the block for the output of files."""
    from deepspeed.runtime.model_checkpointing import constants

    writer = ("IO_BUFFER_SIZE", "IO_BUFFER_DOUBLE", "IO_STATISTICS", "WRITER_DECOUPLED", "IO_MULTIPLIER")
    names = [f"CHECKPOINT_{name}" for name in writer]
    below = parsed_block({getattr(constants, name): getattr(constants, f"{name}_DEFAULT") for name in names})
    below["keys"] |= {
        constants.CHECKPOINT_WRITER_TYPE: any_case(constants.CHECKPOINT_WRITER_TYPES),
        constants.CHECKPOINT_DATA_PARALLEL: any_case(constants.CHECKPOINT_DATA_PARALLEL_UNITS),
    }
    serialization = {constants.CHECKPOINT_SERIALIZATION: constants.CHECKPOINT_SERIALIZATION_DEFAULT}
    return {**parsed_block(serialization)["keys"], constants.CHECKPOINT_WRITER: below}


def any_case(values: Any) -> Rule:
    """One of these words, in upper or lower case."""
    return {"types": ["string"], "enum": [getattr(value, "value", value) for value in values], "case": "any"}


# -- optimizers and schedulers ----------------------------------------------------------------------------------------


def torch_classes(module: Any, base: Any) -> list[str]:
    """The public subclasses of a base class in a module."""
    public = ((name, part) for name, part in vars(module).items() if not name.startswith("_"))
    classes = ((name, part) for name, part in public if inspect.isclass(part))
    return sorted(name for name, part in classes if issubclass(part, base) and part is not base)


def torch_optimizers() -> dict[str, Rule]:
    """The classes of torch, by the names with which DeepSpeed finds them."""
    import torch

    made = {name: getattr(torch.optim, name) for name in torch_classes(torch.optim, torch.optim.Optimizer)}
    return {name: {"tested": is_tested(one), "keys": parameters(one)} for name, one in made.items()}


OPTIMIZERS: dict[str, tuple[str, ...]] = {
    "adagrad": ("torch.optim.Adagrad", "deepspeed.ops.adagrad.DeepSpeedCPUAdagrad"),
    "adam": ("deepspeed.ops.adam.FusedAdam", "deepspeed.ops.adam.DeepSpeedCPUAdam"),
    "adamw": ("deepspeed.ops.adam.FusedAdam", "deepspeed.ops.adam.DeepSpeedCPUAdam"),
    "lamb": ("deepspeed.ops.lamb.FusedLamb",),
    "lion": ("deepspeed.ops.lion.FusedLion", "deepspeed.ops.lion.DeepSpeedCPULion"),
    "muadam": ("torch.optim.Adam",),
    "muadamw": ("torch.optim.AdamW",),
    "muon": ("deepspeed.runtime.zero.muon.muon_optimizer.MuonWithAuxAdam",),
    "musgd": ("torch.optim.SGD",),
    "onebitadam": ("deepspeed.runtime.fp16.onebit.adam.OnebitAdam",),
    "onebitlamb": ("deepspeed.runtime.fp16.onebit.lamb.OnebitLamb",),
    "zerooneadam": ("deepspeed.runtime.fp16.onebit.zoadam.ZeroOneAdam",),
}
"""The classes that the engine may create for a name. MuAdam and similar ones are functions of the package mup."""
MUON = "muon"
PASSED = ("adamw_mode", "deepspeed", "max_grad_norm")
"""Parameters that the engine sets itself, and one that it refuses."""
TAKEN: dict[str, dict[str, Rule]] = {
    **{name: {"torch_adam": FLAG, "adam_w_mode": FLAG} for name in ("adam", "adamw", MUON)},
    **{name: {"decoupled_wd": FLAG} for name in ("muadam", "muadamw", "musgd")},
}
"""Parameters that the engine, or mup, removes before it creates the object."""
PARAMETER_TYPES = {float: "number", int: "number", bool: "boolean", str: "string", tuple: "array", list: "array"}
DOCUMENTED_TYPES = {"float": float, "int": int, "bool": bool}


def found_class(place: str) -> Any:
    """The class with a dotted name."""
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(module), name)


def parameters(made: Any) -> dict[str, Rule]:
    """The parameters of a class, except for the first one, which is its subject."""
    given = list(inspect.signature(made.__init__).parameters.values())[2:]
    return {one.name: parameter_rule(one, made) for one in given if one.name not in PASSED}


def parameter_rule(one: inspect.Parameter, made: Any) -> Rule:
    """The type of a parameter: that of its default, otherwise the one in the documentation of the class."""
    text = inspect.getdoc(made) or ""
    told = re.search(rf"^ *{one.name} *\((\w+)( or list)?", text, re.MULTILINE)
    kind = type(one.default)
    if one.default in (None, one.empty):
        kind = DOCUMENTED_TYPES.get(told[1], kind) if told else kind
    if kind not in PARAMETER_TYPES:
        return {}
    many = ["array"] if (told and told[2]) or "List" in str(one.annotation) else []
    return {"types": list(dict.fromkeys([PARAMETER_TYPES[kind], *many]))}


def optimizers() -> dict[str, Rule]:
    """The schedulers of DeepSpeed."""
    from deepspeed.runtime.config import DEEPSPEED_OPTIMIZERS

    return {name: optimizer(name) for name in sorted(DEEPSPEED_OPTIMIZERS)}


def optimizer(name: str) -> Rule:
    """An optimizer; it has the parameters of all classes that may be created for the name."""
    made = [found_class(place) for place in OPTIMIZERS[name]]
    taken = TAKEN.get(name, {})
    own = {key: rule for one in made for key, rule in parameters(one).items()} if name != MUON else muon_parameters()
    return {
        "stage": highest_stage(name),
        "tested": any(is_tested(one) for one in made),
        "unknown": "ignored" if name == MUON else "rejected",
        "keys": {**own, **taken},
    }


def branch(name: str) -> str:
    """Whether and with which stages the engine accepts this optimizer."""
    from deepspeed.runtime import engine

    source = inspect.getsource(engine.DeepSpeedEngine._configure_basic_optimizer)
    parts = re.split(r"self\.optimizer_name\(\) ==", source)
    constants = [part.partition(":")[0].strip() for part in parts]
    return "".join(
        part for constant, part in zip(constants, parts, strict=True) if getattr(engine, constant, "") == name
    )


def highest_stage(name: str) -> int:
    """The highest stage of ZeRO that the engine does not refuse."""
    from deepspeed.runtime.zero.config import ZeroStageEnum

    limit = re.search(r"assert zero_stage <= ZeroStageEnum\.(\w+)", branch(name))
    highest = ZeroStageEnum[limit[1]] if limit else max(ZeroStageEnum)
    return 0 if "assert not self.zero_optimization()" in branch(name) else int(highest)


def is_tested(made: Any) -> bool:
    """Whether ZeRO accepts objects of this class without zero_allow_untested_optimizer."""
    from deepspeed.runtime.zero import utils

    utils.dist = SimpleNamespace(get_rank=lambda: 1)
    return bool(utils.is_zero_supported_optimizer(object.__new__(made)))


def muon_parameters() -> dict[str, Rule]:
    """Muon gets the parameters that the engine selects, by names in its source, with the types of other classes."""
    from deepspeed.runtime import engine

    source = inspect.getsource(engine.DeepSpeedEngine)
    lists = re.findall(r"for key in \[([^\]]*)\]", branch(MUON)) + re.findall(r"_HALF_KEYS = \(([^)]*)\)", source)
    picked = [name for words in lists for name in re.findall(r'"(\w+)"', words)]
    picked += re.findall(r'"(\w+_lr)"', source)
    chooser = getattr(engine.DeepSpeedEngine, "get_optimizer_configuration", None)
    picked += re.findall(r"pop\('(\w+)'", inspect.getsource(chooser)) if chooser else []
    known = {**parameters(found_class("torch.optim.SGD")), **parameters(found_class("torch.optim.Adam"))}
    return {name: known.get("lr" if name.endswith("_lr") else name, {}) for name in dict.fromkeys(picked)}


def schedulers() -> dict[str, Rule]:
    """DeepSpeed's own: the parameters that each takes and those that it must have."""
    from deepspeed.runtime import lr_schedules

    rules = {}
    for name in lr_schedules.VALID_LR_SCHEDULES:
        made = getattr(lr_schedules, name)
        given = list(inspect.signature(made.__init__).parameters.values())[2:]
        needed = [one.name for one in given if one.default is one.empty]
        rules[name] = {"needed": needed, "unknown": "rejected", "keys": parameters(made)}
    return rules


# -- the requested file, and older versions ---------------------------------------------------------------------------


class Compared(str):
    """A name that notes what it is compared with: DeepSpeed looks for some keys in a list of those that are given."""

    names: set[str]
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        self.names.add(str(other))
        return super().__eq__(other)


class Asked(dict[str, Any]):
    """A configuration that notes which keys DeepSpeed looks for."""

    def __init__(self, **given: Any) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.names.add(str(key))
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Any:
        self.names.add(str(key))
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As in any map."""
        self.names.add(str(key))
        return super().get(key, default)

    def keys(self) -> Any:
        """Itself: what is looked for among the keys is noted, too."""
        return self

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            name = Compared(key)
            name.names = self.names
            yield name

    def __copy__(self) -> Asked:
        return self

    def __deepcopy__(self, _: Any) -> Asked:
        return self


NOT_ASKED = ("data_parallel_size", "sequence_parallel_size", "eigenvalue", "quantize_training")
"""Looked for only where a mesh of devices is made, or beside compression_training."""
OTHER_NAME = "bfloat16"
"""Looked for where bf16 is not there."""
REMOVED = (
    *("amp", "compression_training", "curriculum_learning", "eigenvalue", "elasticity", "graph_harvesting"),
    *("nebula", "progressive_layer_drop", "quantize_training", "sparse_attention", "sparse_gradients"),
)
"""Looked for by versions that have them, and by the newest to refuse them."""


def asked() -> dict[str, set[str]]:
    """The keys at the top that DeepSpeed looks for, and those below blocks that have no model."""
    from deepspeed.runtime import config

    precision = {name: Asked(enabled=name == "fp16") for name in ("fp16", "bf16")}
    whole = Asked(train_batch_size=1, **precision)
    config.DeepSpeedConfig(whole)
    places = ("deepspeed", "deepspeed.runtime.config", "deepspeed.runtime.constants")
    source = "".join(inspect.getsource(importlib.import_module(place)) for place in places)
    refused = set(whole.names)
    whole.names |= {name for name in NOT_ASKED if f'"{name}"' in source or f"'{name}'" in source}
    return {"": whole.names, "refused": refused, **{name: block.names for name, block in precision.items()}}


def versioned_keys() -> dict[str, Rule]:
    """The keys at the top of the installed version."""
    read_keys = asked()
    known = {**PLAIN, **SPECIAL, **models(), **parsed()}
    newest = json.loads(TARGET.read_text(encoding="utf-8"))["keys"] if TARGET.exists() else known
    for name in ("fp16", "bf16"):
        if name not in known:
            below = newest[name]["keys"]
            known[name] = read_by_hand({key: loosely(below.get(key, {})) for key in sorted(read_keys[name])})
    is_newest = all(name in read_keys["refused"] for name in REMOVED)
    others = {name: {} for name in read_keys[""] - known.keys() if not (is_newest and name in REMOVED)}
    return {name: rule for name, rule in {**known, **others}.items() if name in read_keys[""] | {OTHER_NAME}}


def loosely(rule: Rule) -> Rule:
    """What a key takes in a block without a model, which has no limits, and no whole numbers."""
    return {"types": ["number" if name == "integer" else name for name in rule["types"]]} if "types" in rule else {}


def table() -> Rule:
    """All of it."""
    import deepspeed
    import torch

    version = deepspeed.__version__.strip()
    return {
        "source": f"deepspeed {version}, torch {torch.__version__}; made by tools/deepspeed_keys.py",
        "optimizers": optimizers(),
        "torchOptimizers": torch_optimizers(),
        "schedulers": schedulers(),
        "torchSchedulers": torch_classes(torch.optim.lr_scheduler, torch.optim.lr_scheduler.LRScheduler),
        "keys": dict(sorted(versioned_keys().items())),
    }


def differences(new: Rule, old: Rule, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Rule | None]]:
    """What a version has in place of the newest one's rules, by dotted path; None for a key that it does not have."""
    newer, older = new.get("keys", {}), old.get("keys", {})
    for key in sorted(newer.keys() | older.keys()):
        here = (*path, key)
        if key not in older:
            yield ".".join(here), None
        elif key not in newer or not newer[key].get("keys") or not older[key].get("keys"):
            if newer.get(key) != older[key]:
                yield ".".join(here), older[key]
        else:
            plain = [
                {name: value for name, value in rule.items() if name != "keys"} for rule in (newer[key], older[key])
            ]
            if plain[0] != plain[1]:
                yield ".".join(here), older[key]
            else:
                yield from differences(newer[key], older[key], here)


def changes(new: Rule, old: Rule) -> Rule:
    """What a version has in place of the newest one's optimizers or schedulers; None for one that it does not have."""
    return {name: old.get(name) for name in sorted(new.keys() | old.keys()) if new.get(name) != old.get(name)}


def write_older() -> None:
    """Adds the installed version to older.json."""
    import deepspeed

    newest, old = json.loads(TARGET.read_text(encoding="utf-8")), json.loads(json.dumps(table()))
    older = json.loads(OLDER.read_text(encoding="utf-8")) if OLDER.exists() else {}
    named = {kind: changes(newest[kind], old[kind]) for kind in ("optimizers", "schedulers")}
    older[deepspeed.__version__.strip()] = {**named, "keys": dict(differences(newest, old))}
    OLDER.write_text(as_text(dict(sorted(older.items()))) + "\n", encoding="utf-8")


def as_text(part: Any, margin: str = "") -> str:
    """JSON with a line for each key."""
    if not isinstance(part, dict) or not any(isinstance(value, dict) for value in part.values()):
        return json.dumps(part)
    lines = (f"{margin} {json.dumps(key)}: {as_text(value, margin + ' ')}" for key, value in part.items())
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if sys.argv[1:] == ["--older"]:
        write_older()
    else:
        TARGET.write_text(as_text(table()) + "\n", encoding="utf-8")
