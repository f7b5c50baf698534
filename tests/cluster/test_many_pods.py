"""Large runs and many jobs: few list requests; memory and time are proportional to the size."""

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from dsgen.cluster.diagnosis import diagnose
from dsgen.cluster.format_text import format_status
from dsgen.cluster.models import INDEX, JOB
from dsgen.cluster.phase import find_status
from dsgen.cluster.reader import RECORD_SUFFIX, add_surroundings, read_run
from dsgen.cluster.report import make_report
from dsgen.cluster.runs import list_states
from tests import hostile
from tests.cluster import recorded

MEBIBYTE = 2**20


class Counting:
    """Reads kept answers, by the last part of the path, and counts the lists."""

    def __init__(self, name: str) -> None:
        self.kept, self.lists = recorded.load(name), list[str]()
        self.entries: dict[str, list[dict[str, Any]]] = {}
        for key, answer in self.kept.content["answers"].items():
            kind = key.partition(" ")[0].rpartition("/")[2]
            if isinstance(answer, list):
                self.entries.setdefault(kind, []).extend(answer)

    def now(self) -> float:
        return self.kept.now()

    def get(self, path: str) -> dict[str, Any]:
        return self.kept.get(path)

    def list_items(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        self.lists.append(path)
        wanted = query.get("labelSelector", "")
        for entry in self.entries.get(path.rpartition("/")[2], []):
            if "component=status" not in wanted or entry["metadata"]["name"].endswith(RECORD_SUFFIX):
                yield entry

    def with_workers(self, count: int) -> "Counting":
        """With so many workers, all as the first one is."""
        first = next(pod for pod in self.entries["pods"] if "worker" in pod["metadata"]["name"])
        job = next(one for one in self.entries["jobs"] if "worker" in one["metadata"]["name"])
        job["spec"]["parallelism"] = count
        for index in range(2, count):
            annotations = {**first["metadata"]["annotations"], INDEX: str(index)}
            name = f"{job['metadata']['name']}-{index}"
            names = {"name": name, "uid": str(index), "annotations": annotations}
            one = {**first, "metadata": {**first["metadata"], **names}}
            self.entries["pods"].append(one)
        return self

    def with_jobs(self, count: int) -> "Counting":
        """With the job so many times, each time under another name."""
        for kind in ("jobs", "pods", "configmaps"):
            for number in range(1, count):
                for entry in [one for one in self.entries[kind] if one["metadata"]["labels"][JOB] == "cifar"]:
                    labels = {**entry["metadata"]["labels"], JOB: f"cifar{number}"}
                    name = entry["metadata"]["name"].replace("cifar", f"cifar{number}")
                    one = {**entry, "metadata": {**entry["metadata"], "name": name, "labels": labels}}
                    self.entries[kind].append(one)
        return self


def status(reader: Counting) -> str:
    """What `dsgen status` does with a run."""
    space, job = (reader.kept.content[key] for key in ("namespace", "job"))
    state = read_run(reader, space, job, thrifty=True)
    assert state
    add_surroundings(reader, state, thrifty=True)
    shown, _ = diagnose(state)
    return format_status(make_report(state, shown), state)


def test_the_status_of_a_thousand_workers_takes_four_lists_and_little_memory() -> None:
    reader = Counting("running").with_workers(1000)
    tracemalloc.start()
    try:
        text = status(reader)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert "more pods are well" in text
    assert len(reader.lists) <= 4
    assert most < 50 * MEBIBYTE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NoNodeBigEnough", "8 nvidia.com/gpu requested, no node has more than 0"),
        ("NoNodeSelected", "no node has the label example.com/pool=none"),
    ],
)
def test_the_status_of_a_thousand_workers_that_no_node_takes_takes_four_lists_as_well(name: str, said: str) -> None:
    reader = Counting(name).with_workers(1000)
    for job in reader.entries["jobs"]:  # as many pods as there are: else events are looked at
        job["spec"]["parallelism"] = sum(
            job["metadata"]["name"] in pod["metadata"]["name"] for pod in reader.entries["pods"]
        )

    assert said in status(reader)
    assert len(reader.lists) <= 4, reader.lists


def test_the_work_of_a_status_is_linear() -> None:
    assert not hostile.grows(lambda count: Counting("running").with_workers(count), status, 125)


@pytest.mark.parametrize("count", [200])
def test_many_jobs_are_listed_with_few_lists(count: int) -> None:
    reader = Counting("running").with_jobs(count)
    listed = list(list_states(reader, ""))

    assert count == len(listed)
    assert {"Running"} == {find_status(state).phase for state in listed}
    assert len(reader.lists) <= 5
