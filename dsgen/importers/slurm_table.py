"""What becomes of each option of sbatch and srun."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers import slurm_fields as of
from dsgen.importers.conversion import Conversion
from dsgen.importers.slurm_fields import BINDING, LOGS, QUEUE, SELECT, STARTS, Directive, Request, Write, drop, lose

CLUSTER = "it is a name of the old cluster"


STEPS = (
    "mpi jobid overlap pty propagate het-group bcast multi-prog task-prolog task-epilog prolog epilog immediate"
    " relative network resv-ports threads slurmd-debug gpu-freq cpu-freq acctg-freq profile get-user-env parsable"
    " ignore-pbs environment interactive"
)
"""Options of srun about how it starts processes."""
QUEUEING = (
    "oversubscribe overcommit contiguous spread-job use-min-nodes hold nice priority begin deadline time-min delay-boot"
    " comment power reboot thread-spec uid gid mcs-label bb bbf extra tres-per-task tres-bind cluster-constraint"
)
"""Options about how a job waits, for which there is nothing in its place."""
DIRECTIVES: Mapping[str, Write] = {
    "job-name": of.write_job_name,
    "nodes": of.write_nodes,
    "ntasks-per-node": of.write_count("tasks", "workers.slots"),
    "tasks-per-node": of.write_count("tasks", "workers.slots"),
    "ntasks": of.write_count("all_tasks", "workers.slots"),
    "ntasks-per-gpu": drop("each process has a GPU of its own"),
    "cpus-per-task": of.write_count("cpus_of_task", "workers.resources.requests.cpu"),
    "cpus-per-gpu": lose("dsgen requests CPUs for a whole worker", "set workers.resources.requests.cpu"),
    "gres": of.write_gres,
    "gpus-per-node": of.write_devices("devices"),
    "gpus-per-task": of.write_devices("devices_of_task"),
    "gpus": of.write_devices("all_devices"),
    "mem": of.write_node_memory,
    "mem-per-cpu": of.write_memory_each("memory_of_cpu"),
    "mem-per-gpu": of.write_memory_each("memory_of_device"),
    "time": of.write_time_limit,
    "exclusive": of.write_exclusive,
    "exclude": of.write_excluded_nodes,
    "chdir": of.write_folder,
    "workdir": of.write_folder,
    "signal": of.write_signal,
    "export": of.write_exported_variables,
    "container-image": of.write_pyxis_image,
    "container-mounts": of.write_pyxis_mounts,
    "container-workdir": of.write_folder,
    **dict.fromkeys(("partition", "account", "qos", "reservation", "clusters", "wckey"), lose(CLUSTER, QUEUE)),
    **dict.fromkeys(("nodelist", "nodefile"), lose("it names nodes of the old cluster", SELECT)),
    **dict.fromkeys(("constraint", "prefer", "tmp", "mincpus", "licenses"), lose("it asks for a kind of node", SELECT)),
    "switches": lose("it asks for nodes that are close to each other", "set scheduling.topology"),
    **dict.fromkeys(("output", "error", "open-mode", "input", "label", "unbuffered", "quiet", "verbose"), drop(LOGS)),
    **dict.fromkeys(
        ("hint", "cpu-bind", "cpu_bind", "mem-bind", "mem_bind", "distribution", "gpu-bind", "threads-per-core",
         "ntasks-per-core", "ntasks-per-socket", "sockets-per-node", "cores-per-socket", "core-spec", "extra-node-info",
         "gpus-per-socket", "accel-bind", "gres-flags"),
        lose(BINDING, "set training.deepspeed.bindCores"),
    ),
    **dict.fromkeys(("mail-type", "mail-user"), lose("dsgen sends no mail", "set status.webhook")),
    "array": lose("a job of dsgen is one training", "make a values file for each, or a matrix in dsgen.yaml"),
    "dependency": lose("a job of dsgen waits for no other", "let a workflow engine apply the jobs one after the other"),
    "requeue": drop("a worker that is evicted is replaced, and the training starts again"),
    "no-requeue": drop("a run that has ended does not train again"),
    "wait-all-nodes": drop("the launcher waits for all workers"),
    **dict.fromkeys(("kill-on-bad-exit", "wait", "no-kill"), drop("if a rank fails, all ranks end")),
    **dict.fromkeys(STEPS.split(), drop(STARTS)),
    **dict.fromkeys(QUEUEING.split(), lose("dsgen knows no equivalent of this option of Slurm")),
    **dict.fromkeys(
        ("container-name", "container-save", "container-env", "container-mount-home", "no-container-mount-home",
         "container-remap-root", "no-container-remap-root", "container-entrypoint", "no-container-entrypoint",
         "container-writable", "container-readonly", "container", "container-id"),
        drop("each pod has a container of its own"),
    ),
}  # fmt: skip
"""What becomes of each option of sbatch and srun."""


def write_directive(conversion: Conversion, request: Request, directive: Directive) -> None:
    """Write an option into the values or the request, and account for it."""
    write = DIRECTIVES.get(directive.name)
    if write is None:
        conversion.lose(directive.whole, "dsgen knows no equivalent of this option of Slurm")
    else:
        write(conversion, request, directive)
    for word in directive.words[1:]:
        if word is not directive.value:
            conversion.lose(word, "it belongs to no option")
