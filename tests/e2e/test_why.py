"""`dsgen why` names the cause of each job that cannot run, on a real cluster."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen.cluster.client import Cluster
from dsgen.cluster.diagnosis import Cause, find_causes
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import find_status
from dsgen.cluster.reader import add_surroundings, read_run
from tests.cluster.recorded import Keeping
from tests.e2e import provoked
from tests.e2e.causes import CASES, Case
from tests.e2e.cluster import Namespace, kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.test_kueue import GROUP, LABEL, Queue
from tests.e2e.training import Job, training_values

LEVELS = {"restricted": "restricted", "registry": "privileged"}
BARE = bool(os.environ.get("DSGEN_E2E_BARE"))
QUEUES = (
    "Preempted",
    "WorkloadInactive",
    "QuotaNever",
    "QuotaTaken",
    "QueueInactive",
    "FlavorMismatch",
    "QueueMissing",
    "QueueNamespace",
)


@pytest.fixture(scope="module")
def spaces(namespaces: Callable[..., Namespace]) -> Iterator[Callable[[str], Namespace]]:
    """A namespace for each kind of trouble; it has the queues where Kueue is there."""
    made: dict[str, Namespace] = {}
    scoped: list[str] = []

    def make(kind: str) -> Namespace:
        if kind not in made:
            made[kind] = namespaces(f"why-{kind}", LEVELS.get(kind, "baseline"))
            if kind == "plain" and f"{GROUP}" in kubectl("api-versions"):
                scoped.extend(_queues(made[kind]))
        return made[kind]

    yield make
    for name in scoped:
        kubectl("delete", name, "--wait=false")


def _queues(space: Namespace) -> list[str]:
    """Queues that admit nothing, each for another reason; the names of what is not in the namespace."""
    version = next(line for line in kubectl("api-versions").splitlines() if line.startswith(GROUP))
    name = space.name
    objects: list[dict[str, Any]] = []
    quotas = {
        "never": ("50m", name),
        "taken": ("100m", name),
        "inactive": ("1", f"{name}-none"),
        "flavor": ("1", f"{name}-t"),
        "elsewhere": ("1", name),
        "free": ("1", name),
    }
    taint = {"key": "example.com/only", "value": "others", "effect": "NoSchedule"}
    for flavor, spec in ((name, {"nodeLabels": LABEL}), (f"{name}-t", {"nodeLabels": LABEL, "nodeTaints": [taint]})):
        objects.append({"kind": "ResourceFlavor", "metadata": {"name": flavor}, "spec": spec})
    for queue, (cpu, flavor) in quotas.items():
        resources = [{"name": "cpu", "nominalQuota": cpu}, {"name": "memory", "nominalQuota": "8Gi"}]
        group = {"coveredResources": ["cpu", "memory"], "flavors": [{"name": flavor, "resources": resources}]}
        takes = {"matchLabels": {"team": "none"}} if queue == "elsewhere" else {}
        spec = {"namespaceSelector": takes, "resourceGroups": [group]}
        objects.append({"kind": "ClusterQueue", "metadata": {"name": f"{name}-{queue}"}, "spec": spec})
        metadata = {"name": queue, "namespace": name}
        objects.append({"kind": "LocalQueue", "metadata": metadata, "spec": {"clusterQueue": f"{name}-{queue}"}})
    orphan = {"name": "orphan", "namespace": name}
    objects.append({"kind": "LocalQueue", "metadata": orphan, "spec": {"clusterQueue": f"{name}-orphan"}})
    text = yaml.safe_dump_all([{"apiVersion": version, **entry} for entry in objects])
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=text), 60)
    Queue(space, os.environ["DSGEN_E2E_IMAGE"], "taken").take("taker")
    return [
        f"{entry['kind'].lower()}.{GROUP}/{entry['metadata']['name']}"
        for entry in objects
        if entry["kind"] != "LocalQueue"
    ]


def apply(job: Job, case: Case) -> None:
    """Apply what is around the job and the job itself, without what shall be missing."""
    if case.before:
        case.before(job)
    values = yaml.safe_load(yaml.safe_dump(case.values).replace("SPACE", job.space.name))
    objects: list[dict[str, Any]] = [
        entry for entry in yaml.safe_load_all(job.render(**values)) if not _left_out(entry, case)
    ]
    if case.objects:
        job.space.kubectl("apply", "--filename", "-", text=provoked.around(case.objects, job))
    job.space.kubectl("apply", "--server-side", "--filename", "-", text=yaml.safe_dump_all(objects))
    if case.after:
        case.after(job)


def remove(job: Job, case: Case) -> None:
    """Its pods would be in the way of the next, and what is cluster-wide would stay."""
    job.space.kubectl("delete", "jobs", "--selector", f"dsgen.dev/job={job.name}", "--wait=false")
    if case.objects:
        text = provoked.around(case.objects, job)
        job.space.kubectl("delete", "--filename", "-", "--wait=false", "--ignore-not-found", text=text)
    if case.clean:
        case.clean(job)


def _left_out(entry: dict[str, Any], case: Case) -> bool:
    component = entry["metadata"]["labels"]["app.kubernetes.io/component"]
    return bool({entry["kind"], f"{entry['kind']}/{component}"} & set(case.without))


def look(cluster: Cluster, job: Job) -> tuple[RunState, list[Cause], Keeping]:
    """What `dsgen why` finds now, and what it read for it."""
    kept = Keeping(cluster)
    state = read_run(kept, job.space.name, job.name)
    assert state
    state = add_surroundings(kept, state)
    return state, find_causes(state, find_status(state)), kept


@pytest.mark.by_turns("name")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.bare == BARE])
def test_the_cause_is_named(
    name: str, spaces: Callable[[str], Namespace], image: str, tmp_path: Path, cluster: Cluster
) -> None:
    case, reason = CASES[name], name.partition("-")[0]
    if reason in QUEUES and GROUP not in kubectl("api-versions"):
        unavailable("these causes need Kueue in the cluster")
    values = training_values(image)
    values.pop("storage")
    says = case.says.replace("SPACE", spaces(case.space).name)
    job = Job(spaces(case.space), tmp_path, values, name.lower())

    def named() -> tuple[RunState, Keeping] | None:
        state, blamed, kept = look(cluster, job)
        return (state, kept) if blamed and blamed[0].reason == reason else None

    try:
        apply(job, case)
        state, kept = soon(reason, named, case.seconds)
    except AssertionError:
        raise AssertionError(look(cluster, job)[1]) from None
    finally:
        remove(job, case)
    message = find_causes(state, find_status(state))[0].message
    assert says in message
    if os.environ.get("DSGEN_E2E_KEEP_ANSWERS"):
        kept.write(name, state)


@pytest.fixture(scope="module")
def cluster(_cluster: None) -> Cluster:
    return Cluster()
