"""The faults: one function for each."""

from __future__ import annotations

import time
from collections.abc import Callable

import yaml

from tests.e2e.cluster import kubectl, soon
from tests.e2e.queues import GROUP, api_version, queue_objects
from tests.e2e.test_kueue import Queue
from tests.faults.trial import PLANTED, Trial

OUTAGE_SECONDS = 60
# A worker that accepts another key than the launcher's.
OTHER_KEY = """
ssh-keygen -q -t ed25519 -N '' -f /tmp/other
(while sleep 0.2; do ! [ -e /run/dsgen/authorized_keys ] || cat /tmp/other.pub >/run/dsgen/authorized_keys; done) &
"""
# A worker that starts until `Trial.continue_training`, however quick the cluster is.
HELD = "until [ -e /checkpoints/go ]; do sleep 0.2; done"
# A `deepspeed` before the real one in PATH, which trains on one node less.
SMALLER = """
if [ "$DSGEN_ROLE" = launcher ]; then
  mkdir /run/dsgen/smaller
  printf '#!/bin/sh\\nexec %s --num_nodes 1 "$@"\\n' "$(type -P deepspeed)" > /run/dsgen/smaller/deepspeed
  chmod +x /run/dsgen/smaller/deepspeed
  export PATH=/run/dsgen/smaller:$PATH
fi
"""


def during_training(act: Callable[[Trial], object]) -> Callable[[Trial], None]:
    """A fault that is caused when the training has written a few checkpoints."""

    def cause(trial: Trial) -> None:
        trial.trains()
        act(trial)

    return cause


def only(role: str, command: str) -> str:
    """training.setup that runs in only one of the two roles."""
    return f'if [ "$DSGEN_ROLE" = {role} ]; then\n{command}\nfi\n'


# Processes


def kill_rank_supervisor(trial: Trial) -> None:
    """With worker-command, it is a fork of the worker, and has its command line."""
    trial.trains()
    program = "main.py" if trial.method == "worker-command" else "rank.py"
    trial.kill(trial.worker(), "worker", f"/etc/dsgen/worker/{program}")


kill_session = during_training(lambda trial: trial.kill(trial.worker(), "worker", "ssh/session.py"))
kill_sshd = during_training(lambda trial: trial.kill(trial.worker(), "worker", "sshd -D"))
kill_launch_py = during_training(lambda trial: trial.kill(trial.worker(), "worker", "deepspeed.launcher.launch"))
kill_agent = during_training(
    lambda trial: trial.kill(
        trial.worker(), "worker", "torch.distributed.run" if trial.method == "torchrun" else "accelerate launch"
    )
)
kill_starter = during_training(
    lambda trial: trial.kill(trial.launcher(), "launcher", "mpirun -n" if trial.method == "openmpi" else "pdsh -S")
)


def stop_sidecar(trial: Trial) -> None:
    """SIGTERM, because nothing in a container can send SIGKILL to its process 1."""
    trial.trains()
    trial.execute(trial.launcher(), "status", "sh", "-c", "kill -TERM 1")


kill_sidecar = during_training(lambda trial: trial.on_host(trial.launcher(), "status", "kill -KILL $process"))
kill_worker = during_training(lambda trial: trial.on_host(trial.worker(), "worker", "kill -KILL $process"))
kill_launcher = during_training(lambda trial: trial.on_host(trial.launcher(), "launcher", "kill -KILL $process"))

# Pods

delete_worker = during_training(lambda trial: trial.delete(trial.worker()))
evict_worker = during_training(lambda trial: trial.evict(trial.worker(0)))
force_worker = during_training(lambda trial: trial.delete(trial.worker(), "--grace-period=0", "--force"))
delete_launcher = during_training(lambda trial: trial.delete(trial.launcher()))
evict_launcher = during_training(lambda trial: trial.evict(trial.launcher()))
cut_launcher_pod = during_training(
    lambda trial: trial.on_host(trial.launcher(), "launcher", "nsenter --target $process --net ip link set eth0 down")
)


def delete_jobs(trial: Trial) -> None:
    trial.trains()
    run = f"{trial.job.name}-{trial.run}"
    trial.job.space.kubectl("delete", "job", f"{run}-launcher", f"{run}-worker", "--wait=false")


def delete_kept_workers(trial: Trial) -> None:
    """After the end, the workers run without ranks until they are deleted."""
    trial.wait_for_end(240)
    soon("the launcher's end", lambda: not trial.pods("launcher", "Running"), 60)
    time.sleep(15)
    workers = trial.pods("worker", "Running")
    assert len(workers) == 2, [pod.metadata.name for pod in workers]
    assert not [line for line in trial.job.processes(trial.run) if "program.py" in line]
    trial.job.space.kubectl("delete", "job", f"{trial.job.name}-{trial.run}-worker", "--wait=false")


# Nodes

kill_node = during_training(lambda trial: _kill(trial, "worker", OUTAGE_SECONDS))
reboot_node = during_training(lambda trial: _kill(trial, "worker", 0))
kill_launcher_node = during_training(lambda trial: _kill(trial, "launcher", OUTAGE_SECONDS))
reboot_launcher_node = during_training(lambda trial: _kill(trial, "launcher", 0))


def _kill(trial: Trial, role: str, seconds: float) -> None:
    """Switch the power of a node off, and on again after this time."""
    node = trial.node(role)
    trial.end_with("start", node)
    trial.power("kill", node)
    time.sleep(seconds)
    trial.power("start", node)


cut_node = during_training(lambda trial: _cut(trial, trial.node("worker")))
cut_launcher = during_training(lambda trial: _cut(trial, trial.node("launcher")))


def _cut(trial: Trial, node: str) -> None:
    trial.end_with("heal", node)
    trial.power("cut", node)
    time.sleep(OUTAGE_SECONDS)
    trial.power("heal", node)


def cut_at_start(trial: Trial) -> None:
    soon("both workers on a node", lambda: len(trial.pods("worker", "Running")) == 2, 120)
    node = trial.node("worker")
    trial.end_with("heal", node)
    trial.power("cut", node)


# Keys, runs and queues


def start_with_bad_key(trial: Trial) -> None:
    """Creates the Secret of ssh.secret.mode existing after the job."""
    data = {"ssh-privatekey": PLANTED["words"], "ssh-publickey": "ssh-ed25519 nothing"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "nokey"}, "stringData": data}
    trial.job.space.kubectl("apply", "--filename", "-", text=yaml.safe_dump(secret))


def begin_another_run(trial: Trial) -> None:
    """The other run waits for its turn, and trains when this one has ended."""
    trial.trains()
    trial.job.apply("2")
    waiting = trial.job.recorded("2", lambda record: record["reason"] == "WaitingForTurn", 60)
    assert waiting["phase"] == "Pending"
    assert trial.record()["phase"] == "Running"
    trial.continue_training()
    trial.wait_for_end(120)
    trial.run = "2"


def enter_queue(trial: Trial) -> Queue:
    """Creates a queue of Kueue for the namespace, before the job is applied."""
    name, version = trial.job.space.name, api_version()
    local = {"apiVersion": version, "kind": "LocalQueue", "metadata": {"name": "queue", "namespace": name}}
    made = [*queue_objects(name, version), {**local, "spec": {"clusterQueue": name}}]
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=yaml.safe_dump_all(made)), 60)
    image = trial.job.values["image"]
    return Queue(trial.job.space, f"{image['repository']}:{image['tag']}")


preempt = during_training(lambda trial: _preempt(trial))


def preempt_early(trial: Trial) -> None:
    trial.starts()
    soon("a worker", lambda: trial.pods("worker"), 120)
    _preempt(trial)
    soon("a worker that runs", lambda: trial.pods("worker", "Running"), 120)  # for whoever lets the training go on


def _preempt(trial: Trial) -> None:
    queue = enter_queue(trial)
    queue.take("urgent", **{f"{GROUP}/priority-class": trial.job.space.name})
    trial.job.recorded(trial.run, lambda record: record["phase"] == "Queued", 90)
    queue.give_back("urgent")
