"""The record of one kind of problem, and functions that write values files for examples."""

from __future__ import annotations

from dataclasses import dataclass

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True)
class Kind:
    """What `dsgen explain ID` and the reports say about every problem with this id.

    id: never reused. when: when the problem appears, and why it is a problem. remedy: what to do. example: a values
    file with this problem and no other; empty if one file alone cannot have it. settings: the same for dsgen.yaml, in a
    repository with jobs/cifar/values.yaml and jobs/mnist/values.yaml.
    """

    id: str
    title: str
    when: str
    remedy: str
    example: str = ""
    settings: str = ""


def job(
    *lines: str,
    name: str = "name: cifar",
    namespace: str = "namespace: training",
    image: str = "{repository: registry.example.com/team/cifar, tag: v3}",
    training: str = "training: {python: train.py}",
) -> str:
    """A values file that is valid except for the arguments."""
    return "".join(f"{line}\n" for line in (name, namespace, f"image: {image}", training, *lines) if line)


def deepspeed_job(*lines: str) -> str:
    """A values file whose DeepSpeed configuration is valid except for these lines."""
    config = ("train_micro_batch_size_per_gpu: 8", *lines)
    return job(
        "  python: train.py",
        "  deepspeed:",
        "    config:",
        *(f"      {line}" for line in config),
        "workers: {replicas: 2}",
        training="training:",
    )
