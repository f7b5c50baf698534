"""Reads what a checkpoint of DeepSpeed contains: ranks, names, shapes and options, but no numbers of tensors.

torch.save writes a zip file, in which data.pkl describes everything except the numbers. It is read here without torch,
so nothing is loaded into memory, and nothing that the file names is executed.
"""

from __future__ import annotations

import math
import pickle
import re
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

# As of DeepSpeedEngine._get_zero_ckpt_prefix and _get_ckpt_name (deepspeed/runtime/engine.py).
OPTIMIZER_FILE = re.compile(r"((?:bf16_|fp16_)?zero_pp_rank_)([0-9]+)(_mp_rank_([0-9_]+?)_optim_states\.pt)")
EXPERT_FILE = re.compile(r"(?:layer_[0-9]+_)?exp(?:ert_[0-9]+|p_rank_[0-9]+)_mp_rank_.*\.pt")
TRAINER_FOLDER = re.compile(r"checkpoint-([0-9]+)")  # of the Hugging Face Trainer, which continues from the highest one
LATEST, TAG_BYTES = "latest", 4096
ADAM = {"step", "exp_avg", "exp_avg_sq"}
OPTIONS_NOT_SAVED = ("params", "initial_lr")  # of a parameter group; the scheduler sets initial_lr
OLDEST = (0, 18)  # DeepSpeed, which resumes several parameter groups of stage 3 from here on
STAGE_3 = 3
NAMED = 3  # names in a message


class UnusableCheckpointError(Exception):
    """The files are incomplete, damaged, or of a form that is not known, or their copy does not fit."""


class Tensor(NamedTuple):
    """A tensor, without its numbers."""

    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Unknown:
    """In place of an object of any other class. It accepts what pickle does to objects."""

    def __new__(cls, *_: Any, **__: Any) -> Unknown:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None: ...
    def __setstate__(self, _: Any) -> None: ...
    def __setitem__(self, _: Any, __: Any) -> None: ...
    def append(self, _: Any) -> None: ...
    def extend(self, _: Any) -> None: ...
    def add(self, _: Any) -> None: ...


class Stage(int):
    """DeepSpeed's ZeroStageEnum. Python 3.11.0 to 3.11.3 write the name of a member, others its value."""

    NAMES = ("disabled", "optimizer_states", "gradients", "weights")


def _find_attribute(owner: Any, name: Any) -> Any:
    """What getattr is used for in a checkpoint."""
    return Stage(Stage.NAMES.index(name)) if owner is Stage and name in Stage.NAMES else Unknown()


KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("builtins", "set"): set,
    ("torch", "Size"): tuple,
    ("builtins", "getattr"): _find_attribute,
    ("deepspeed.runtime.zero.config", "ZeroStageEnum"): Stage,
    ("torch._utils", "_rebuild_tensor_v2"): lambda _storage, _offset, shape, *_: Tensor(tuple(shape)),
    ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
}


class CheckpointReader(pickle.Unpickler):
    """Executes nothing of the file: whatever is not in KNOWN becomes Unknown."""

    def find_class(self, module: str, name: str) -> Any:
        known = KNOWN.get((module.replace("__builtin__", "builtins"), name))  # as protocol 2 has it
        return known or type(name, (Unknown,), {})

    def persistent_load(self, _: Any) -> None:
        return None  # the numbers of a tensor


def read(path: Path) -> dict[str, Any]:
    """The content of a file of torch.save. Raises UnusableCheckpointError."""
    try:
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
            with archive.open(name) as file:
                content = CheckpointReader(file).load()
    except FileNotFoundError:
        raise UnusableCheckpointError(f"{path.name} is missing") from None
    except Exception as error:  # a damaged file may raise anything
        raise UnusableCheckpointError(f"{path.name} cannot be read: {error or type(error).__name__}") from error
    if not isinstance(content, dict):
        raise UnusableCheckpointError(f"{path.name} has another form than that of DeepSpeed")
    return content


class Checkpoint(NamedTuple):
    """What decides whether a checkpoint can be continued with another number of ranks.

    `folder`: that of `latest`; `tag`: what it contains; `files`: all files of the tag that belong to the checkpoint.
    `ranks`: the number of ranks that saved it; `parallel`: of them, those that share one copy of the model. `stage`: of
    ZeRO; `version`: of DeepSpeed; `parameters`: the sizes of the trained ones. `step_tensors`: how many parts of the
    optimizer's state have their own count of steps as a tensor, as in torch's optimizers. The others are names: of
    frozen parameters, buffers, entries of the optimizer's state, and options in which parameter groups differ.
    """

    folder: Path
    tag: str
    files: list[Path]
    ranks: int
    parallel: int
    stage: int
    version: str
    parameters: dict[str, int]
    frozen: list[str]
    buffers: list[str]
    states: list[str]
    step_tensors: int
    differing: list[str]
    experts: bool


def find_folder_of_latest(folder: Path) -> Path | None:
    """The folder with the file `latest`: this one, or of the Trainer's that with the highest number; None without."""
    if (folder / LATEST).is_file():
        return folder
    found = [(TRAINER_FOLDER.fullmatch(path.name), path) for path in folder.glob("checkpoint-*")]
    saved = [(int(match.group(1)), path) for match, path in found if match and (path / LATEST).is_file()]
    return max(saved)[1] if saved else None


def inspect(folder: Path) -> Checkpoint | None:
    """The newest checkpoint. None: there is none, or it has no optimizer state that is divided among ranks.

    Raises UnusableCheckpointError.
    """
    inside = find_folder_of_latest(folder)
    if inside is None:
        return None
    with (inside / LATEST).open("rb") as file:
        tag = file.read(TAG_BYTES).decode("utf-8", "replace").strip()
    if not Path(tag).parts or ".." in Path(tag).parts or Path(tag).is_absolute():
        raise UnusableCheckpointError(f"{inside / LATEST} names {tag or 'nothing'}, which is no folder beside it")
    if not (inside / tag).is_dir():
        raise UnusableCheckpointError(f"{inside / LATEST} names {tag}, which does not exist")
    names = sorted(path.name for path in (inside / tag).iterdir())
    shards = [match for match in map(OPTIMIZER_FILE.fullmatch, names) if match]
    if not shards:
        return None
    return _describe_checkpoint(inside, tag, names, shards)


def _describe_checkpoint(inside: Path, tag: str, names: list[str], shards: list[re.Match[str]]) -> Checkpoint:
    first = min(shards, key=lambda match: (int(match.group(2)), match.group(4)))
    state = _find_optimizer_state(read(inside / tag / first.group()))
    partitions = _count_partitions(state["partition_count"])
    ends = sorted({match.group(3) for match in shards})
    if partitions < 1:
        raise UnusableCheckpointError(f"{first.group()} has {partitions} partitions")
    # A tag that was saved again with fewer ranks still has files of the earlier ranks. The first one that is missing
    # ends this, whatever the number of partitions.
    wanted: list[str] = []
    for name in (f"{first.group(1)}{rank}{end}" for end in ends for rank in range(partitions)):
        other = _find_optimizer_state(read(inside / tag / name))
        if (_count_partitions(other["partition_count"]), other["zero_stage"]) != (partitions, state["zero_stage"]):
            raise UnusableCheckpointError(f"{first.group()} and {name} are of different checkpoints")
        wanted.append(name)
    stage = int(state["zero_stage"])
    models = _list_model_files(names, wanted, stage)
    contents = [read(inside / tag / name) for name in models]
    if len({content.get("global_steps") for content in contents}) > 1:
        raise UnusableCheckpointError("its files are of different steps")
    model = contents[0]
    shapes = _merge_shapes(model.get("param_shapes"))
    base = state.get("optimizer_state_dict" if stage == 3 else "base_optimizer_state") or {}  # a stage
    entries = base.get("state") or {}
    buffers = [str(name) for name in model.get("buffer_names") or ()]
    shared = model.get("shared_params") or {}
    known = {*shapes, *buffers, *shared}
    frozen = {*(model.get("frozen_param_shapes") or {}), *(set(model.get("module") or {}) - known)}
    return Checkpoint(
        folder=inside,
        tag=tag,
        files=[inside / tag / name for name in [*wanted, *models]],
        ranks=partitions * len(ends),
        parallel=len(ends),
        stage=stage,
        version=str(state.get("ds_version") or model.get("ds_version") or ""),
        parameters={name: shape.size for name, shape in shapes.items()},
        frozen=sorted(map(str, frozen - set(buffers))),
        buffers=sorted(buffers),
        states=sorted({str(key) for entry in entries.values() for key in entry}),
        step_tensors=sum(isinstance(entry.get("step"), Tensor) for entry in entries.values()),
        differing=_list_differing_options(base.get("param_groups") or []),
        experts=any(EXPERT_FILE.fullmatch(name) for name in names),
    )


def _find_optimizer_state(content: dict[str, Any]) -> dict[str, Any]:
    state = content.get("optimizer_state_dict")
    if not isinstance(state, dict) or not {"zero_stage", "partition_count"} <= set(state):
        raise UnusableCheckpointError("it has another form than that of DeepSpeed's ZeRO")
    return state


def _count_partitions(value: Any) -> int:
    """The number of partitions; stages 1 and 2 have one number for each parameter group."""
    counts = value if isinstance(value, (list, tuple)) else [value]
    if not counts or not all(isinstance(count, int) for count in counts):
        raise UnusableCheckpointError("its partition_count is no number")
    return int(max(counts))


def _list_model_files(names: list[str], wanted: list[str], stage: int) -> list[str]:
    """The files with names and shapes: of stage 3 one for each rank, else one for each copy's part."""
    if stage == 3:  # a stage
        return [re.sub("^(bf16_|fp16_)?", "", name).replace("_optim_", "_model_") for name in wanted]
    found = [name for name in names if re.fullmatch(r"mp_rank_[0-9_]+_model_states\.pt", name)]
    return found or ["mp_rank_00_model_states.pt"]


def _merge_shapes(groups: Any) -> dict[str, Tensor]:
    """The trained parameters by name; DeepSpeed keeps a dict for each parameter group."""
    parts = groups if isinstance(groups, list) else [groups or {}]
    return {str(name): Tensor(tuple(shape)) for part in parts for name, shape in part.items()}


def _list_differing_options(groups: list[dict[str, Any]]) -> list[str]:
    """The options in which parameter groups differ."""
    options = [{key: value for key, value in group.items() if key not in OPTIONS_NOT_SAVED} for group in groups]
    keys = {key for group in options for key in group}
    return sorted(str(key) for key in keys if any(group.get(key) != options[0].get(key) for group in options))


class Wanted(NamedTuple):
    """What the attempt has: ranks, ZeRO stage (None: unknown), and whether the program loads what is frozen."""

    ranks: int
    stage: int | None
    loads_frozen: bool


def format_names(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def is_too_old(version: str) -> bool:
    numbers = re.findall("[0-9]+", version)[:2]
    return bool(numbers) and tuple(map(int, numbers)) < OLDEST


def explain_refusal(found: Checkpoint, wanted: Wanted) -> str:
    """Why the checkpoint is not converted, or "".

    Without these, DeepSpeed 0.19 resumes with other weights or options and says nothing, or fails during the conversion
    or afterwards.
    """
    stage_3 = found.stage == STAGE_3  # stages 1 and 2 read each other's conversion
    refusals = (
        (found.parallel > 1, f"{found.parallel} ranks share a copy of the model (a pipeline, or tensor parallelism)"),
        (found.experts, "it has experts (DeepSpeed MoE), which are not converted"),
        (
            wanted.stage is not None and stage_3 != (wanted.stage == STAGE_3),
            f"ZeRO stage {found.stage} saved it, and stage {wanted.stage} cannot read the conversion",
        ),
        (
            set(found.states) not in (ADAM, ADAM - {"step"}),
            f"its optimizer keeps {format_names(found.states) or 'no state'};"
            " only the state of Adam and AdamW is converted",
        ),
        (
            found.frozen and not wanted.loads_frozen,
            f"frozen parameters are not converted: {format_names(found.frozen)}",
        ),
        (found.buffers and not wanted.loads_frozen, f"buffers are not converted: {format_names(found.buffers)}"),
        (
            stage_3 and found.differing,
            f"its parameter groups differ in {format_names(found.differing)}, and with stage 3 all would get the"
            " options of the first",
        ),
        (
            # DeepSpeed 0.19 gives all parts one tensor, which then counts each step once for every part (stage3.py,
            # load_hp_checkpoint_state_from_checkpoint_dir_stage3).
            stage_3 and found.step_tensors > 1,
            f"its optimizer is torch's, in {found.step_tensors} parts (parameter groups, or sub_group_size), and with"
            " stage 3 DeepSpeed would count their steps together",
        ),
        (
            is_too_old(found.version),
            f"DeepSpeed {found.version} saved it; versions before 0.18 do not convert all checkpoints",
        ),
    )
    return next((words for refused, words in refusals if refused), "")
