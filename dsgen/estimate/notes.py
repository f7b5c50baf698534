"""What is missing of a job's description, and which of its features no formula has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.estimate import optimizers
from dsgen.estimate.setup import DEEPSPEED, LeftOut, Setup


def note(setup: Setup, given: Mapping[str, Any]) -> None:
    """Notes in a setup what is missing, and what is left out. given: the values under training.deepspeed."""
    _note_missing(setup, given)
    _note_left_out(setup, given)


def _note_missing(setup: Setup, given: Mapping[str, Any]) -> None:
    if not setup.config.data:
        gives = "the stage of ZeRO, precision and batch, on which memory and time depend"
        if given["configFile"]:
            gives += "; of configFile, only a valid file of training.files is known here"
        setup.note_missing("", gives, DEEPSPEED)
    if not setup.precision:
        setup.note_missing("precision", "the bytes of weights and gradients, where the configuration says auto")
    if setup.inputs.parameters is None:
        setup.note_missing("parameters", "weights, gradients, optimizer, traffic and time")
    if setup.optimizer is optimizers.UNKNOWN:
        setup.note_missing("optimizer", "the bytes of the optimizer's state, which may be 0 to 8 for each parameter")
    if setup.micro is None:
        setup.note_missing(
            "micro_batch", "activations, logits, tokens of a step", f"{DEEPSPEED}.train_micro_batch_size_per_gpu"
        )
    elif setup.accumulation is None:
        setup.note_missing("accumulation", "tokens and traffic of a step", f"{DEEPSPEED}.gradient_accumulation_steps")
    wide = setup.is_on("expert_parallel", "enabled") or setup.expert_ranks > 1
    if wide and setup.inputs.expert_parameters is None:
        setup.note_missing("expert_parameters", "what expert parallelism divides")


LEFT_OUT: tuple[tuple[tuple[str, ...], str], ...] = (
    (("pipeline",), "pipeline parallelism: which layers a stage has is decided by the program"),
    (("zero_optimization", "zenflow"), "ZenFlow: what it keeps on the accelerator depends on the gradients"),
    (("zero_optimization", "offload_optimizer", "super_offload"), "SuperOffload keeps some states on the accelerator"),
    (("hybrid_engine", "enabled"), "the hybrid engine: memory of the generation"),
    (("compile", "deepcompile"), "DeepCompile: its passes move weights, states and activations"),
    (("weight_quantization", "enabled"), "quantization of weights during the training"),
    (("autotuning", "enabled"), "the autotuner changes the batch and the stage"),
    (("data_efficiency",), "curricula and random layer dropping: sequences are shorter at first"),
    (("compression_training",), "compression"),
    (("checkpoint", "writer"), "writers of checkpoints that work in the background keep copies in main memory"),
    (("datastates_ckpt",), "DataStates keeps copies of a checkpoint in main memory"),
    (("elasticity",), "elasticity: the batch and the number of ranks change"),
)
"""Keys of DeepSpeed's configuration that change memory or time in a way that no formula here has."""
Z = "zero_optimization"
WITHOUT_EFFECT: dict[str, tuple[str, ...]] = {
    "logs, monitoring and debugging": (
        *(
            "aio",
            "comet",
            "comms_logger",
            "csv_monitor",
            "tensorboard",
            "wandb",
            "timers",
            "flops_profiler",
            "log_level",
        ),
        *("dump_state", "memory_breakdown", "steps_per_print", "wall_clock_breakdown", "disable_python_gc"),
        *("activation_checkpointing.profile", f"{Z}.log_trace_cache_warnings", f"{Z}.enable_sanity_checks"),
    ),
    "arithmetic": (
        *("fp16.auto_cast", "fp16.loss_scale", "fp16.initial_scale_power", "fp16.loss_scale_window", "fp16.hysteresis"),
        *(
            "fp16.consecutive_hysteresis",
            "fp16.min_loss_scale",
            "bf16.check_grad_overflow",
            "bf16.immediate_grad_update",
        ),
        *("gradient_allreduce_op", "gradient_clipping", "gradient_predivide_factor", "prescale_gradients"),
        *("torch_autocast.dtype", "torch_autocast.lower_precision_safe_modules", f"{Z}.compute_grad_norm"),
        *("managed_gradient_accumulation", "scheduler", "optimizer.legacy_fusion", f"{Z}.ignore_unused_parameters"),
    ),
    "small tensors": (
        *("data_types.buffer_dtype", "data_types.keep_in_fp32_modules", "vocabulary_size"),
        *(f"{Z}.parameter_alignment", f"{Z}.model_persistence_threshold"),
    ),
    "how a checkpoint is written or read": (
        *("checkpoint.load_universal", "checkpoint.use_node_local_storage", "checkpoint.tag_validation"),
        *("checkpoint.parallel_write", "checkpoint.checkpoint_serialization", f"{Z}.elastic_checkpoint"),
        *(f"{Z}.load_from_fp32_weights", f"{Z}.pipeline_loading_checkpoint"),
    ),
    "the order of messages and of buffers whose size is counted": (
        *("disable_allgather", "seq_parallel_communication_data_type", "tensor_parallel.tp_overlap_comm"),
        *(f"{Z}.reduce_scatter", f"{Z}.allgather_partitions", f"{Z}.round_robin_gradients", f"{Z}.legacy_stage1"),
        *(f"{Z}.use_all_reduce_for_fetch_params", f"{Z}.allgather_sequential"),
        *(f"{Z}.module_granularity_threshold", f"{Z}.memory_efficient_linear", f"{Z}.override_module_apply"),
        *(f"{Z}.leaf_module", "activation_checkpointing.contiguous_memory_optimization"),
        *("activation_checkpointing.number_checkpoints", "activation_checkpointing.synchronize_checkpoint_boundary"),
        *(f"{Z}.offload_optimizer.pipeline_read", f"{Z}.offload_optimizer.pipeline_write"),
        *(f"{Z}.offload_optimizer.fast_init",),
        *(f"{Z}.offload_optimizer.cpuadam_cores_perc", f"{Z}.save_muon_momentum_buffer_in_memory"),
    ),
    "names, paths and what a model is recognized by": (
        *("expert_parallel", "tensor_parallel.dtype", "tensor_parallel.tp", "tensor_parallel.tensor_parallel"),
        *("tensor_parallel.vocab_parallel_ce_backend", "tensor_parallel.injection_policy_tuple"),
        *("tensor_parallel.partition_config", "tensor_parallel.preset_model", "tensor_parallel.keep_module_on_host"),
        *("tensor_parallel.kernel_inject", "tensor_parallel.replace_with_kernel_inject", "data_parallel_size"),
        *(f"{Z}.offload_param.nvme_path", f"{Z}.offload_optimizer.nvme_path", "use_data_before_expert_parallelism"),
        *("data_types.param_dtype", "dataloader_drop_last", "zero_allow_untested_optimizer"),
        "zero_force_ds_cpu_optimizer",
    ),
}
"""Why a key does not change what is computed -> keys of DeepSpeed's configuration, with all below them. Some save what
the upper bounds count. A test compares this table, LEFT_OUT and the formulas with all keys that dsgen checks.
"""


def _note_left_out(setup: Setup, given: Mapping[str, Any]) -> None:
    for path, why in LEFT_OUT:
        found = setup.config.get(*path)
        if setup.is_on(*path) or isinstance(found, Mapping):
            setup.left_out.append(LeftOut(".".join((DEEPSPEED, *path)), why))
    if setup.pipeline > 1:
        setup.left_out.append(LeftOut("training.parallel.pipeline", LEFT_OUT[0][1]))
    if given["autotuning"] != "none":
        setup.left_out.append(LeftOut("training.deepspeed.autotuning", "the autotuner changes the batch and the stage"))
