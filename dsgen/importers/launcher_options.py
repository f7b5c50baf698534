"""The options of programs that start trainings, one table for each program: what becomes of each option."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.fields import Row, drop, lose

Options = Mapping[str, Row]
RANKS = "dsgen gives every process its rank and the address of worker 0"
LOGS = "the log of the pods has the output of all ranks; training.rankLogs also writes files"
PASSED_ON = "the ranks have it from the environment of the pods"
HOSTS = "dsgen writes the hostfile"
KEEP, FLAG = Row(lambda part: part.keep()), Row(lambda part: part.keep(), 0)


def take(field: str, values: int = 1) -> Row:
    """The value is a fact about the job."""
    return Row(lambda part: part.take(field), values)


def replace(field: str) -> Row:
    """In each pod, a variable of dsgen has the value."""
    return Row(lambda part: part.replace(field))


def _make_rules(names: str, rule: Row) -> dict[str, Row]:
    return dict.fromkeys(names.split(), rule)


WAIT = "set lifecycle.startTimeoutSeconds to how long the run may wait for its workers"
TORCHRUN: Options = {
    "--nnodes": take("nodes"),
    "--nproc-per-node": take("slots"),
    "--master-port": take("port"),
    "--rdzv-endpoint": take("endpoint"),
    "--max-restarts": take("restarts"),
    **_make_rules("-m --module", take("module", 0)),
    "--no-python": take("exec", 0),
    **_make_rules("--node-rank --master-addr --rdzv-id --rdzv-backend --local-addr", drop(RANKS)),
    **_make_rules("--standalone --use-env --use_env", drop(RANKS, 0)),
    **_make_rules(
        "--tee -t --redirects -r --log-dir --local-ranks-filter --logs-specs --duplicate-stdout-filters"
        " --duplicate-stderr-filters",
        drop(LOGS),
    ),
    "--rdzv-conf": lose("dsgen has its own rendezvous", WAIT),
    "--numa-binding": lose("it binds processes to cores", "set training.deepspeed.bindCores"),
    **_make_rules(
        "--monitor-interval --start-method --role --event-log-handler --signals-to-handle --shutdown-timeout",
        lose("dsgen watches the processes itself"),
    ),
    **_make_rules("--run-path --virtual-local-rank", lose("dsgen starts the program itself", values=0)),
}
DLROVER: Options = {
    **TORCHRUN,
    "--network-check": lose(
        "dsgen has a check of its own",
        "set launch.preflight.network: true",
        0,
    ),
    "--node-check": lose("launch.method torchrun has no check of the nodes", values=0),
    "--comm-perf-test": lose("dsgen does not measure the network before a run", values=0),
    **_make_rules("--node-unit", lose("a run shrinks after a loss only (workers.min)")),
    **_make_rules(
        "--auto-config --auto-tunning --exclude-straggler --save-at-breakpoint",
        lose("dsgen has no tuning or elasticity", values=0),
    ),
    **_make_rules("--accelerator --training-port --precheck", lose("it is an option of DLRover's agent")),
}
HYPERPOD: Options = {
    **TORCHRUN,
    **_make_rules(
        "--server-host --server-port --server-log-level --server-shutdown-timeout --tail-log-lines --pre-train-script"
        " --pre-train-args --post-train-script --post-train-args --inprocess-restart",
        lose("it is an option of HyperPod's agent"),
    ),
}
DEEPSPEED: Options = {
    **_make_rules("--hostfile -H", drop(HOSTS)),
    "--num-nodes": take("nodes"),
    **_make_rules("--num-gpus --num-accelerators", take("slots")),
    "--master-port": take("port"),
    **_make_rules("--master-addr --node-rank", drop(RANKS)),
    "--module": take("module", 0),
    "--no-python": take("exec", 0),
    "--no-local-rank": take("no_local_rank", 0),
    "--launcher": take("launcher"),
    "--autotuning": take("autotuning"),
    "--bind-cores-to-rank": take("bind_cores", 0),
    "--no-ssh": take("no_ssh", 0),
    **_make_rules("--include -i", take("include")),
    **_make_rules(
        "--exclude -e",
        lose(
            "it names hosts or devices of the old cluster",
            "set workers.excludeNodes, or training.deepspeed.args with the names of the workers",
        ),
    ),
    "--ssh-port": drop("dsgen starts sshd on ssh.port"),
    "--force-multi": drop("dsgen passes it", 0),
    "--save-pid": drop("dsgen ends the processes", 0),
    "--enable-each-rank-log": drop(LOGS),
    "--bind-core-list": lose("it binds processes to cores", "set training.deepspeed.bindCores"),
    **_make_rules("--min-elastic-nodes --max-elastic-nodes", lose("a run shrinks after a loss only (workers.min)")),
    "--elastic-training": lose("a run shrinks after a loss only (workers.min)", values=0),
    "--venv-script": lose("dsgen starts the program itself", "set training.pythonCommand"),
    **_make_rules("--launcher-args --log-level", KEEP),
    **_make_rules("--no-ssh-check --quiet -q", FLAG),
}
ACCELERATE: Options = {
    "--num-machines": replace("NNODES"),
    "--machine-rank": replace("NODE_RANK"),
    "--num-processes": replace("WORLD_SIZE"),
    "--main-process-ip": replace("MASTER_ADDR"),
    "--main-process-port": replace("MASTER_PORT"),
    "--deepspeed-hostfile": drop(HOSTS),
    **_make_rules("--aws-access-key-id --aws-secret-access-key", lose("it is a secret", "put it into a Secret")),
    **_make_rules(
        "--quiet -q --cpu --multi-gpu --tpu --enable-cpu-affinity --dynamo-use-fullgraph --dynamo-use-dynamic --debug"
        " --dynamo-use-regional-compilation --use-deepspeed --use-fsdp --use-parallelism-config --use-megatron-lm"
        " --same-network -m --module --no-python --tpu-cluster --no-tpu-cluster --tpu-use-sudo --downcast-bf16"
        " --fp8-use-autocast-during-eval --use-xpu --ipex --mps --use-mps-device",
        FLAG,
    ),
}
COMPOSER: Options = {
    **_make_rules("-n --nproc", replace("NPROC_PER_NODE")),
    "--world-size": replace("WORLD_SIZE"),
    "--base-rank": replace("BASE_RANK"),
    "--node-rank": replace("NODE_RANK"),
    "--master-addr": replace("MASTER_ADDR"),
    "--master-port": replace("MASTER_PORT"),
    **_make_rules("-m --module-mode -c --command-mode -v --verbose", FLAG),
}
TUNE: Options = {
    "--nnodes": replace("NNODES"),
    "--nproc-per-node": replace("NPROC_PER_NODE"),
    "--node-rank": replace("NODE_RANK"),
    "--master-addr": replace("MASTER_ADDR"),
    "--master-port": replace("MASTER_PORT"),
    "--rdzv-endpoint": replace("ENDPOINT"),
    "--rdzv-id": replace("RUN"),
    **_make_rules("--standalone --no-python -m --module --use-env", FLAG),
}
"""Also of other programs that pass options on to torchrun."""
MSRUN: Options = {
    "--worker-num": replace("WORLD_SIZE"),
    "--local-worker-num": replace("NPROC_PER_NODE"),
    "--node-rank": replace("NODE_RANK"),
    "--master-addr": replace("MASTER_ADDR"),
    "--master-port": replace("MASTER_PORT"),
}
MCA = "^-?-?(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames|(tag|timestamp|xml)_output))$"
"""Parameters of Open MPI that dsgen sets."""
MPIRUN: Options = {
    **_make_rules("np n c", take("processes")),
    **_make_rules("N npernode ppn", take("slots")),
    "pernode": take("one_each", 0),
    **_make_rules("hostfile machinefile f H host hosts default-hostfile", drop(HOSTS)),
    "x": take("variable"),
    **_make_rules("env genv", take("pair", 2)),
    **_make_rules("envlist genvlist", drop(PASSED_ON)),
    "genvall": drop(PASSED_ON, 0),
    **_make_rules("mca gmca pmca prtemca omca", take("mca", 2)),
    **_make_rules("bind-to map-by", take("placement")),
    "allow-run-as-root": drop("dsgen sets OMPI_ALLOW_RUN_AS_ROOT", 0),
    **_make_rules("tag-output timestamp-output merge-stderr-to-stdout xml l prepend-rank", drop(LOGS, 0)),
    **_make_rules("output-filename output xml-file outfile-pattern errfile-pattern", drop(LOGS)),
    **_make_rules("wdir wd", take("folder")),
    **_make_rules(
        "plm launcher launcher-exec bootstrap bootstrap-exec launch-agent",
        drop("dsgen sets how mpirun reaches the workers"),
    ),
    **_make_rules("timeout", lose("it limits the time of the program", "set lifecycle.activeDeadlineSeconds")),
    **_make_rules(
        "iface tune am path rmk", lose("it is no option of Open MPI that dsgen can pass on", "set it in training.env")
    ),
    **_make_rules(
        "oversubscribe nooversubscribe report-bindings display-map display-allocation v q quiet verbose"
        " use-hwthread-cpus nolocal bind-to-core bind-to-socket bind-to-none bynode byslot do-not-resolve"
        " enable-recovery disable-recovery leave-session-attached debug-daemons",
        FLAG,
    ),
}
"""mpirun takes options with one dash or two; these are without."""
HOROVODRUN: Options = {
    **_make_rules("np num-proc", take("processes")),
    **_make_rules("H hosts hostfile host-discovery-script", drop(HOSTS)),
    **_make_rules("p ssh-port i ssh-identity-file", drop("dsgen connects with its own key and port")),
    **_make_rules("start-timeout", lose("dsgen waits for the workers itself", WAIT)),
    **_make_rules(
        "network-interfaces network-interface nics",
        lose("it chooses network interfaces", "set network.socketInterface"),
    ),
    "mpi-args": lose("its options are for mpirun", "set launch.mpirunArgs"),
    **_make_rules(
        "gloo mpi use-gloo use-mpi verbose disable-cache check-build", drop("launch.method openmpi starts the ranks", 0)
    ),
    **_make_rules("min-np max-np slots-per-host reset-limit", lose("a run shrinks after a loss only (workers.min)")),
    **_make_rules(
        "log-level fusion-threshold-mb cycle-time-ms cache-capacity timeline-filename output-filename",
        lose("it configures Horovod", "set its variable HOROVOD_... in training.env"),
    ),
}
