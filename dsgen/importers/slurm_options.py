"""The options of sbatch and srun."""

from __future__ import annotations

VALUED = frozenset(
    (
        *("-A", "-b", "-c", "-C", "-d", "-D", "-e", "-g", "-G", "-i", "-J", "-L", "-m", "-M", "-n", "-N", "-o", "-p"),
        *("-q", "-r", "-S", "-t", "-T", "-w", "-x", "-B", "-F", "-a"),
        *(
            f"--{name}"
            for name in (
                *(
                    "account",
                    "acctg-freq",
                    "array",
                    "batch",
                    "bb",
                    "bbf",
                    "bcast",
                    "begin",
                    "chdir",
                    "cluster-constraint",
                ),
                *("clusters", "comment", "constraint", "container", "container-env", "container-id"),
                *("container-image", "container-mounts", "container-name", "container-save", "container-workdir"),
                *("core-spec", "cores-per-socket", "cpu-bind", "cpu-freq", "cpus-per-gpu", "cpus-per-task", "deadline"),
                *("delay-boot", "dependency", "distribution", "epilog", "error", "exclude", "export", "export-file"),
                *(
                    "extra",
                    "extra-node-info",
                    "gid",
                    "gpu-bind",
                    "gpu-freq",
                    "gpus",
                    "gpus-per-node",
                    "gpus-per-socket",
                ),
                *("gpus-per-task", "gres", "gres-flags", "het-group", "hint", "input", "job-name", "jobid"),
                *("licenses", "mail-type", "mail-user", "mcs-label", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu"),
                *("mincpus", "mpi", "msg-timeout", "multi-prog", "network", "nodefile", "nodelist", "nodes"),
                *("ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket", "open-mode"),
                *("output", "partition", "power", "prefer", "priority", "profile", "prolog", "qos", "relative"),
                *(
                    "reservation",
                    "signal",
                    "slurmd-debug",
                    "sockets-per-node",
                    "switches",
                    "task-epilog",
                    "task-prolog",
                ),
                *(
                    "thread-spec",
                    "threads",
                    "threads-per-core",
                    "time",
                    "time-min",
                    "tmp",
                    "tres-bind",
                    "tres-per-task",
                ),
                *("uid", "wait", "wait-all-nodes", "wckey", "workdir", "wrap", "environment", "container-env"),
            )
        ),
    )
)
"""Options that take a value, in the next word or after `=`. `--exclusive`, `--nice` and `--requeue` may stand alone."""
OPTIONAL = frozenset(("--exclusive", "--kill-on-bad-exit", "-K", "-I", "--propagate", "--get-user-env"))
"""Options whose value can only follow `=`."""
