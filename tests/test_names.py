"""Two jobs of a namespace never have objects of the same kind and name."""

import itertools

from dsgen.render import render
from dsgen.values import Release
from tests.parity import load, parsed

# Whatever dsgen puts behind the name of a job or run, and what stands between.
PARTS = ("1", "ssh", "status", "watch", "worker", "launcher", "tensorboard", "data")
RUNS = ("1", "watch", "worker", "data")
JOB = """
image: {repository: r/x, tag: v1}
training: {python: train.py, files: {a: b}}
storage:
  data: {mountPath: /data, create: {}}
  data-ssh: {mountPath: /more, create: {persistentVolume: {nfs: {server: s, path: /p}}}}
  ssh: {mountPath: /ssh, create: {persistentVolume: {nfs: {server: s, path: /p}}}}
monitoring: {tensorboard: {enabled: true, logDir: /data}, podMonitor: {enabled: true}}
scheduling: {gang: volcano}
"""


def made(name: str, run: str) -> set[tuple[str, str]]:
    """Kind and name of each object of a run."""
    data = load(f"{JOB}\nname: {name}\nnamespace: space\nrun: {{id: '{run}'}}\n")
    things = [parsed(document.text) for document in render(data, Release(name, "space"))]
    return {(thing["kind"], thing["metadata"]["name"]) for thing in things}


def test_objects_of_two_jobs_never_share_a_name() -> None:
    """Names that are made to collide: of one job the end, of the other what dsgen adds."""
    names = ["a", *("-".join(("a", *rest)) for size in (1, 2) for rest in itertools.product(PARTS, repeat=size))]
    owners: dict[tuple[str, str], str] = {}
    for index, name in enumerate(names):
        for thing in made(name, RUNS[index % len(RUNS)]) | (made(name, "1") if name.count("-") < 2 else set()):
            assert name == owners.setdefault(thing, name), thing
    assert len(owners) > 10 * len(names)
