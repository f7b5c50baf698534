"""A job in three states, whose values are changed under the same run id, and the effect on its Jobs and pods."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from dsgen.language.functions import SHIPPED, compute_digest
from tests.e2e.cluster import Namespace, kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.queues import HOW_KUEUE, api_version, delete, held_queue
from tests.e2e.training import Job, merged, training_values

CHART = Path(__file__).parents[2] / "charts" / "deepspeed-job"
SCRIPTS = compute_digest(SHIPPED.texts, "**")
OTHER_SCRIPTS = "0" * len(SCRIPTS)
"""The digest of the scripts of another dsgen."""
STATES: dict[str, dict[str, Any]] = {
    "running": {},
    "queued": {"scheduling": {"queue": "queue"}},
    "suspended": {"lifecycle": {"suspend": True}},
}
"""The name of a job, and the values that bring it into this state."""
ROLES = ("launcher", "worker")
UNCHANGED, SCRIPTS_CHANGED = "unchanged", "scripts"
CHANGES: dict[str, dict[str, Any]] = {
    UNCHANGED: {},
    "up": {"workers": {"replicas": 3}, "lifecycle": {"workerReplacements": 5}},
    "down": {"workers": {"replicas": 1}, "lifecycle": {"workerReplacements": 0}},
    "stay": {"lifecycle": {"ttlSecondsAfterFinished": 600}},
    SCRIPTS_CHANGED: {},
}
"""What is given under the same run id; the last one is an upgrade of dsgen."""

Deliver = Callable[[str, str], str]
"""Gives a change (its name) to the job of a state; what the channel says when it is refused, else nothing."""


@dataclass(frozen=True)
class Seen:
    """What there is of a run. A Job's generation counts the changes of its spec; `missing`: what its pods mount."""

    jobs: Mapping[str, tuple[str, int]]
    pods: frozenset[str]
    missing: frozenset[str]


@dataclass
class Story:
    """What was seen before, and the answer to each change with what was seen after it, by state and change."""

    before: dict[str, Seen] = field(default_factory=dict)
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    after: dict[tuple[str, str], Seen] = field(default_factory=dict)


class Jobs:
    """The three jobs in one namespace."""

    def __init__(self, space: Namespace, image: str, folder: Path) -> None:
        self.space, self._folder = space, folder
        values = training_values(image, "--until", "100000", "--pause", "1")
        self._jobs: dict[str, Job] = {}
        for state, given in STATES.items():
            (folder / state).mkdir()
            self._jobs[state] = Job(space, folder / state, merged(values, given), state)
        for chart in ("chart", "other-chart"):
            shutil.copytree(CHART, folder / chart)
        names = folder / "other-chart" / "templates" / "_names.tpl"
        names.write_text(names.read_text().replace(SCRIPTS, OTHER_SCRIPTS))

    def values(self, state: str, change: str) -> dict[str, Any]:
        """The values of a job, changed, with its names."""
        names = {"name": state, "namespace": self.space.name}
        return merged(merged(self._jobs[state].values, CHANGES[change]), names)

    def manifests(self, state: str, change: str) -> str:
        """The flat manifests."""
        text = self._jobs[state].render("1", **CHANGES[change])
        return text.replace(SCRIPTS, OTHER_SCRIPTS) if change == SCRIPTS_CHANGED else text

    def values_file(self, state: str, change: str) -> Path:
        """The values as a file."""
        path = self._folder / f"{state}-{change}.yaml"
        path.write_text(yaml.safe_dump(self.values(state, change), allow_unicode=True))
        return path

    def chart(self, change: str) -> Path:
        """The chart, as another dsgen would make it where the scripts change."""
        return self._folder / ("chart" if change != SCRIPTS_CHANGED else "other-chart")

    def begun(self, state: str) -> None:
        """Wait until the job is in its state."""
        if state == "running":
            self._jobs[state].recorded("1", lambda record: record["phase"] == "Running", 240)
            self._jobs[state].trained(checkpoint=5)
        elif state == "queued":
            self._jobs[state].recorded("1", lambda record: record["phase"] == "Queued", 240)
        else:
            for role in ROLES:
                self.space.watched("job", f"{state}-1-{role}", lambda job: bool(job.spec.suspend), 60)

    def seen(self, state: str) -> Seen:
        """What there is of the job."""
        jobs = {role: self.space.batch.read_namespaced_job(f"{state}-1-{role}", self.space.name) for role in ROLES}
        mounted = {
            volume.config_map.name
            for job in jobs.values()
            for volume in job.spec.template.spec.volumes
            if volume.config_map
        }
        there = {entry.metadata.name for entry in self.space.core.list_namespaced_config_map(self.space.name).items}
        return Seen(
            jobs={role: (job.metadata.uid, job.metadata.generation) for role, job in jobs.items()},
            pods=frozenset(
                pod.metadata.uid for pod in self.space.pods(job=state) if not pod.metadata.deletion_timestamp
            ),
            missing=frozenset(mounted - there),
        )


def story(jobs: Jobs, deliver: Deliver) -> Story:
    """Gives every change to the jobs in all states, and the first text again after each."""
    told = Story()
    assert dict.fromkeys(STATES, "") == _to_all(deliver, UNCHANGED)
    for state in STATES:
        jobs.begun(state)
        told.before[state] = jobs.seen(state)
    for change in [*(change for change in CHANGES if change != UNCHANGED), UNCHANGED]:
        for state, answer in _to_all(deliver, change).items():
            told.answers[state, change] = answer
            told.after[state, change] = jobs.seen(state)
    return told


def _to_all(deliver: Deliver, change: str) -> dict[str, str]:
    """The answers by state; the channel has all of them to do at once."""
    with ThreadPoolExecutor(len(STATES)) as pool:
        return dict(zip(STATES, pool.map(lambda state: deliver(state, change), STATES), strict=True))


@contextmanager
def three_jobs(space: Namespace, image: str, folder: Path) -> Iterator[Jobs]:
    """The jobs, and a queue of Kueue's that admits nothing."""
    version = api_version() or unavailable(HOW_KUEUE)
    made = held_queue(space.name, version)
    text = yaml.safe_dump_all(made)
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=text), 60)
    yield Jobs(space, image, folder)
    delete(made)


def check_refused(told: Story, state: str, change: str) -> None:
    """The message names the Job and the field; where the numbers are as they were, nothing is refused."""
    answer = told.answers[state, change]

    assert (answer == "") == (change == UNCHANGED)
    assert change == UNCHANGED or f'"{state}-1-worker" is invalid: spec.template: ' in answer


def check_first_refused(told: Story, state: str, change: str) -> None:
    """The same for a channel that names only the first object that is refused, and applies none."""
    answer = told.answers[state, change]
    first = rf'"{state}-1-(config" is invalid: data|(launcher|worker)" is invalid: spec\.template): '

    assert (answer == "") == (change == UNCHANGED)
    assert change == UNCHANGED or re.search(first, answer)


def check_untouched(told: Story, state: str, change: str) -> None:
    """No Job changed, no pod was made or deleted, and what the pods mount is there."""
    assert told.before[state].pods if state != "suspended" else not told.before[state].pods
    assert told.before[state] == told.after[state, change]


def said(command: list[str], text: str | None = None) -> str:
    """What a command that failed has said; nothing when it succeeded."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" or "exit without a word" if done.returncode else ""


def of(kind: str, name: str, space: str) -> dict[str, Any]:
    """An object of the cluster."""
    thing: dict[str, Any] = json.loads(kubectl("--namespace", space, "get", kind, name, "--output", "json"))
    return thing
