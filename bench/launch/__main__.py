"""`make bench-launch`: seconds from `kubectl apply` until all ranks have met, and until the job is complete.

Needs KUBECONFIG of an administrator, an image with DeepSpeed, torchrun, sshd and mpirun on the nodes, and the
controllers of JobSet, MPIJob and TrainJob. Nothing else may run on the machine, nor a storage provisioner that asks
the API server again and again.
The figures of docs/benchmark.md are the medians.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import median
from subprocess import PIPE
from typing import NamedTuple

import yaml

from bench import environment
from bench.launch import picture, timeline
from bench.launch.ways import AGAINST, WAYS, Place, Way

PAGE = Path(__file__).parents[2] / "docs" / "benchmark.md"
BETWEEN = re.compile("(?<=<!-- starts -->\n).*(?=<!-- end of starts -->)", re.DOTALL)
DONE, FAILED = {"Complete", "Completed", "Succeeded"}, {"Failed"}
LIMIT_SECONDS = 600
LOOK_SECONDS, IDLE = 5, 0.3  # processors that an idle cluster with its controllers uses at most
# Kubelets remove the sandboxes of deleted pods once a minute, which needs a tenth of a second of CPU time for each.
CLEANUP_SECONDS = 150  # to wait for it at most
SANDBOXES = re.compile(r'(?m)^kubelet_runtime_operations_total\{operation_type="(run|remove)_podsandbox"\} (\S+)')
TRUE_CONDITIONS = '{.metadata.name} {.status.conditions[?(@.status=="True")].type}{"\\n"}'


class StartError(Exception):
    """A job has not started, or has failed. The others are measured all the same."""


class Result(NamedTuple):
    """One start. Times in seconds since `kubectl apply`; `end`: from the end of rank 0 until the job is complete.

    `cpu`: seconds, until all pods have ended.
    """

    way: str
    workers: int
    met: float
    end: float
    cpu: float


def kubectl(*words: str, given: str | None = None, check: bool = True) -> str:
    """Raises CalledProcessError."""
    return subprocess.run(["kubectl", *words], input=given, check=check, capture_output=True, text=True).stdout


def cpu_seconds() -> float:
    """Of the whole machine since its start."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def warn_if_busy() -> None:
    """Say so if something else uses the machine, which would count as CPU time of the starts."""
    before = cpu_seconds()
    time.sleep(LOOK_SECONDS)
    busy = (cpu_seconds() - before) / LOOK_SECONDS
    if busy > IDLE:
        print(f"warning: before the first start, {busy:.1f} processors are busy", file=sys.stderr, flush=True)


def count_sandboxes() -> float:
    """Sandboxes on all nodes, with those of deleted pods that the kubelets have not removed yet."""
    nodes = kubectl("get", "nodes", "-o", "name").splitlines()
    pages = [kubectl("get", "--raw", f"/api/v1/nodes/{node.partition('/')[2]}/proxy/metrics") for node in nodes]
    counts = [(way, float(count)) for page in pages for way, count in SANDBOXES.findall(page)]
    return sum(count if way == "run" else -count for way, count in counts)


def wait_for_cleanup() -> None:
    """Wait until there are no more sandboxes than pods, so that no start pays for the one before."""
    until = time.monotonic() + CLEANUP_SECONDS
    while count_sandboxes() > len(kubectl("get", "pods", "--all-namespaces", "-o", "name").splitlines()):
        if time.monotonic() > until:
            print("warning: the kubelets have not removed all ended pods", file=sys.stderr, flush=True)
            return
        time.sleep(LOOK_SECONDS)


def wait(namespace: str, kind: str, names: set[str]) -> float:
    """The time when all of them are complete. StartError: one has failed, or it is too late."""
    # One watch: a request at intervals would cost as much CPU time as what is measured.
    options = ["--watch", "-o", f"jsonpath={TRUE_CONDITIONS}", f"--request-timeout={LIMIT_SECONDS}s"]
    with subprocess.Popen(["kubectl", "-n", namespace, "get", kind, *options], stdout=PIPE, text=True) as watch:
        try:
            for name, *states in map(str.split, watch.stdout or ()):
                if DONE.intersection(states):
                    names = names - {name}
                if not names:
                    return time.time()
                if FAILED.intersection(states):
                    break
        finally:
            watch.kill()
    raise StartError(f"{namespace}: not complete: {kubectl('-n', namespace, 'get', 'pods', check=False)}")


def said(namespace: str, pattern: str) -> float:
    """The time that rank 0 has printed, wherever its output is. StartError: it has not."""
    for pod in kubectl("-n", namespace, "get", "pods", "-o", "name").split():
        found = re.search(pattern, kubectl("-n", namespace, "logs", pod, "--all-containers", check=False))
        if found:
            return float(found[1])
    raise StartError(f"{namespace}: no rank has printed {pattern}")


def starts(name: str, way: Way, place: Place, show: bool) -> Iterator[Result]:
    """One job with its runs, in a namespace of its own. StartError: one is not complete."""
    namespace = place.namespace
    kubectl("create", "namespace", namespace)
    try:
        for run in map(str, range(1, way.runs + 1)):
            wait_for_cleanup()
            objects = yaml.safe_dump_all(way.objects(place, run))
            cpu, begun = cpu_seconds(), time.time()
            kubectl("-n", namespace, "apply", "--server-side", "-f", "-", given=objects)
            complete = wait(namespace, way.kind, {name.replace("RUN", run) for name in way.names})
            if way.outlast:
                kubectl("-n", namespace, "wait", "pods", "-l", way.outlast, "--for=delete", "--timeout=60s")
            spent = cpu_seconds() - cpu
            met, ended = said(namespace, r"MET \d+ ([\d.]+)"), said(namespace, r"END ([\d.]+)")
            if show:
                print(*timeline.lines(namespace, begun), sep="\n")
            kubectl("-n", namespace, "delete", "jobs,pods", "--all", "--ignore-not-found", check=False)
            label = f"{name}, next run" if run != "1" else name
            yield Result(label, place.workers, met - begun, complete - ended, spent)
    finally:
        kubectl("delete", "namespace", namespace, "--wait=true", "--timeout=120s", check=False)


def table(results: list[Result]) -> str:
    """Medians of dsgen's ways, each also as a ratio to that of the way that it is compared with."""
    keys = Counter((one.way, one.workers) for one in results)
    middle = {key: [median(getattr(one, field) for one in results if (one.way, one.workers) == key)
                    for field in ("met", "end", "cpu")] for key in keys}  # fmt: skip
    rows = ["| way | workers | starts | all ranks have met | end to complete | CPU | compared with | met | end | CPU |"]
    rows.append("|---|---|---|---|---|---|---|---|---|---|")
    own = {key: figures for key, figures in middle.items() if key[0] not in picture.OPERATORS}
    for (way, workers), figures in own.items():
        other = AGAINST.get(way.partition(",")[0], "")
        times = [f"{figure:.1f} s" for figure in figures]
        against = middle.get((other, workers))
        ratios = (
            [f"{mine / theirs:.2f}" for mine, theirs in zip(figures, against, strict=True)] if against else [""] * 3
        )
        which = [way, str(workers), str(keys[way, workers])]
        rows.append("| " + " | ".join([*which, *times, other if against else "", *ratios]) + " |")
    return "\n".join(rows)


def write(results: list[Result], place: str) -> None:
    """Write the page's figures and its picture."""
    words = f"\n{date.today()}, {place}, medians of the starts:\n\n{table(results)}\n\n"
    PAGE.write_text(BETWEEN.sub(lambda _: words, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    points: dict[tuple[str, int], list[float]] = {(one.way, one.workers): [] for one in results}
    for one in results:
        points[one.way, one.workers].append(one.met)
    middle = {key: median(seconds) for key, seconds in points.items()}
    picture.write(PAGE.parent / "pictures" / "launch.svg", middle)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench-launch")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 8, 24, 48])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=600, help="begin no further start after so many")
    parser.add_argument("--image", default="dsgen.test/deepspeed:1")
    parser.add_argument("--node", default="", help="a label of the node, KEY=VALUE")
    parser.add_argument("--timeline", action="store_true", help="print where each second of each start went")
    parser.add_argument("--write", metavar="NODE", help="write docs/benchmark.md; describes the node")
    given = parser.parse_args()
    environment.install()
    warn_if_busy()
    node = dict([given.node.split("=", 1)]) if given.node else {}
    results: list[Result] = []

    def place(workers: int) -> Place:
        return Place(f"launch-{int(time.time())}", given.image, node, workers)

    until = time.monotonic() + given.minutes * 60
    for _, workers, name in itertools.product(range(given.times), given.workers, given.ways):
        if time.monotonic() > until:
            break
        try:
            for result in starts(name, WAYS[name], place(workers), given.timeline):
                results.append(result)
                print(f"{result.way}, {workers} workers: met {result.met:.1f} s, complete {result.end:.1f} s after"
                      f" the end, {result.cpu:.1f} CPU s", file=sys.stderr, flush=True)  # fmt: skip
        except StartError as error:
            print(f"{name}, {workers} workers: {error}", file=sys.stderr, flush=True)
    print(table(results))
    if given.write:
        write(results, given.write)


if __name__ == "__main__":
    main()
