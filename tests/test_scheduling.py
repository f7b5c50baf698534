"""Queues, gangs, affinity and topology, in manifests and chart."""

from typing import Any

import pytest

from tests.parity import dump, problems
from tests.test_objects import documents, objects

JOB = {
    "name": "cifar",
    "namespace": "training",
    "image": {"repository": "registry.example.com/team/cifar", "tag": "v3"},
    "training": {"python": "train.py"},
}
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
KUEUE = "kueue.x-k8s.io"
WORKERS = {"dsgen.dev/job": "cifar", "dsgen.dev/run": "1", "dsgen.dev/role": "worker"}
GPU_NODES = {"key": "gpu", "operator": "Exists"}
A100 = {"key": "pool", "operator": "In", "values": ["a100"]}
NORTH = {"key": "zone", "operator": "In", "values": ["north"]}
SELECTOR = {"pool": "a100", "zone": "north"}
HERE = {"key": "metadata.name", "operator": "In", "values": ["here"]}
ZONE = "topology.kubernetes.io/zone"


def rendered(**values: Any) -> dict[str, Any]:
    """Kind/name -> object of the job with these values."""
    return objects(dump(JOB | values))


def job(role: str, **values: Any) -> Any:
    """The Job of the workers or the launcher."""
    return rendered(**values)[f"Job/cifar-1-{role}"]


def pod(role: str, **values: Any) -> Any:
    """Its pod template."""
    return job(role, **values)["spec"]["template"]


def queue_labels(thing: Any) -> dict[str, str]:
    return {key: value for key, value in thing["metadata"]["labels"].items() if key.startswith(KUEUE)}


def test_nothing_is_asked_of_a_scheduler_by_default() -> None:
    things = rendered()

    assert "PodGroup" not in {thing["kind"] for thing in things.values()}
    for role in ("worker", "launcher"):
        made = things[f"Job/cifar-1-{role}"]
        assert {} == queue_labels(made) == queue_labels(made["spec"]["template"])
        assert not {"affinity", "schedulerName", "nodeSelector"} & made["spec"]["template"]["spec"].keys()


# -- Kueue ------------------------------------------------------------------------------------------------------------


def test_only_the_worker_job_is_in_the_queue() -> None:
    """Neither its pods nor the launcher, which waits for the workers; Kueue alone suspends."""
    scheduling = {"queue": "gpus", "priorityClass": "high"}
    workers, launcher = (job(role, scheduling=scheduling) for role in ("worker", "launcher"))

    assert {f"{KUEUE}/queue-name": "gpus", f"{KUEUE}/priority-class": "high"} == queue_labels(workers)
    assert {} == queue_labels(launcher) == queue_labels(workers["spec"]["template"])
    assert "suspend" not in workers["spec"]
    assert "suspend" not in launcher["spec"]


def test_no_priority_is_written_without_a_class() -> None:
    assert {f"{KUEUE}/queue-name": "gpus"} == queue_labels(job("worker", scheduling={"queue": "gpus"}))


def test_the_launcher_has_a_queue_of_its_own() -> None:
    scheduling = {"queue": "gpus", "launcherQueue": "small", "priorityClass": "high"}

    assert {f"{KUEUE}/queue-name": "small", f"{KUEUE}/priority-class": "high"} == queue_labels(
        job("launcher", scheduling=scheduling)
    )


def terms(*given: Any) -> dict[str, Any]:
    """Required node affinity with these terms."""
    return {REQUIRED: {"nodeSelectorTerms": list(given)}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, terms({"matchExpressions": [A100, NORTH]})),
        ({"nodeAffinity": {}}, terms({"matchExpressions": [A100, NORTH]})),
        (
            {"nodeAffinity": terms({"matchExpressions": [GPU_NODES]})},
            terms({"matchExpressions": [A100, NORTH, GPU_NODES]}),
        ),
        (
            {"nodeAffinity": terms({"matchExpressions": [GPU_NODES]}, {"matchFields": [HERE]})},
            terms(
                {"matchExpressions": [A100, NORTH, GPU_NODES]},
                {"matchExpressions": [A100, NORTH], "matchFields": [HERE]},
            ),
        ),
        (
            {"nodeAffinity": terms({"matchExpressions": [GPU_NODES], "matchFields": [HERE]})},
            terms({"matchExpressions": [A100, NORTH, GPU_NODES], "matchFields": [HERE]}),
        ),
        (
            {"nodeAffinity": terms({}, {"matchExpressions": []}, {"matchExpressions": [GPU_NODES]})},
            terms({}, {}, {"matchExpressions": [A100, NORTH, GPU_NODES]}),
        ),
        (
            {"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": {"matchExpressions": [GPU_NODES]}}]}},
            terms({"matchExpressions": [A100, NORTH]})
            | {PREFERRED: [{"weight": 1, "preference": {"matchExpressions": [GPU_NODES]}}]},
        ),
    ],
    ids=[
        "no affinity",
        "empty node affinity",
        "one term",
        "expressions or fields",
        "expressions and fields",
        "terms that match nothing",
        "preferred only",
    ],
)
def test_node_selector_in_a_queue_is_part_of_every_term(given: Any, expected: Any) -> None:
    """Terms are alternatives, so each has it; a term that matches nothing goes on to match nothing."""
    for role, key in (("worker", "workers"), ("launcher", "launcher")):
        options = {key: {"nodeSelector": SELECTOR, "affinity": given}}
        spec = pod(role, scheduling={"queue": "gpus", "launcherQueue": "small"}, **options)["spec"]

        assert {"nodeAffinity": expected} == spec["affinity"]
        assert "nodeSelector" not in spec


def test_node_selector_outside_of_a_queue_stays_one() -> None:
    """Of the launcher without a queue of its own, and in Volcano's queue."""
    options = {"workers": {"nodeSelector": SELECTOR}, "launcher": {"nodeSelector": SELECTOR}}

    for role, scheduling in (("launcher", {"queue": "gpus"}), ("worker", {"queue": "gpus", "gang": "volcano"})):
        spec = pod(role, scheduling=scheduling, **options)["spec"]
        assert (SELECTOR, False) == (spec["nodeSelector"], "affinity" in spec)


def fields(*nodes: str) -> list[dict[str, Any]]:
    return [{"key": "metadata.name", "operator": "NotIn", "values": [node]} for node in nodes]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, terms({"matchFields": fields("a", "b.c")})),
        (
            {"nodeAffinity": terms({"matchExpressions": [GPU_NODES]}, {"matchFields": [HERE]}, {})},
            terms(
                {"matchExpressions": [GPU_NODES], "matchFields": fields("a", "b.c")},
                {"matchFields": [*fields("a", "b.c"), HERE]},
                {},
            ),
        ),
    ],
    ids=["no affinity", "three terms"],
)
def test_workers_run_on_no_excluded_node(given: Any, expected: Any) -> None:
    """Each of the user's terms excludes them; the launcher may run there."""
    workers = {"affinity": given, "excludeNodes": ["a", "b.c"], "nodeSelector": SELECTOR}

    outside = pod("worker", workers=workers)["spec"]
    assert ({"nodeAffinity": expected}, SELECTOR) == (outside["affinity"], outside["nodeSelector"])
    assert "affinity" not in pod("launcher", workers=workers)["spec"]
    queued = pod("worker", workers=workers, scheduling={"queue": "gpus"})["spec"]["affinity"]["nodeAffinity"]
    first = queued[REQUIRED]["nodeSelectorTerms"][0]
    assert [A100, NORTH] == first["matchExpressions"][:2]
    assert fields("a", "b.c") == first["matchFields"]


def test_the_users_affinity_and_tolerations_are_written_in_a_queue_too() -> None:
    """A flavor with taints admits only Jobs that tolerate them."""
    near = {REQUIRED: [{"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "data"}}}]}
    affinity = {"nodeAffinity": terms({"matchExpressions": [GPU_NODES]}), "podAffinity": near, "podAntiAffinity": near}
    options = {"affinity": affinity, "tolerations": [GPU_NODES]}

    for scheduling in ({"queue": "gpus"}, {}):
        spec = pod("worker", scheduling=scheduling, workers=options)["spec"]
        assert (affinity, [GPU_NODES]) == (spec["affinity"], spec["tolerations"])


# -- gangs ------------------------------------------------------------------------------------------------------------


def test_gang_of_volcano() -> None:
    """A PodGroup of all workers in Volcano's queue; the launcher is no part of it, and nothing is Kueue's."""
    scheduling = {"gang": "volcano", "queue": "gpus", "priorityClass": "high"}
    things = rendered(scheduling=scheduling, workers={"replicas": 4}, launch={"preflight": {"spares": 2}})
    group = things["PodGroup/cifar-1-6"]
    worker, launcher = (things[f"Job/cifar-1-{role}"]["spec"]["template"] for role in ("worker", "launcher"))

    assert "scheduling.volcano.sh/v1beta1" == group["apiVersion"]
    assert {"minMember": 6, "queue": "gpus", "priorityClassName": "high"} == group["spec"]
    assert 6 == things["Job/cifar-1-worker"]["spec"]["parallelism"]
    assert "cifar-1-6" == worker["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
    assert "volcano" == worker["spec"]["schedulerName"]
    assert "scheduling.k8s.io/group-name" not in launcher["metadata"]["annotations"]
    assert "schedulerName" not in launcher["spec"]
    assert {} == queue_labels(things["Job/cifar-1-worker"])


def test_gang_of_coscheduling() -> None:
    """A PodGroup that the pods name in a label; a queue beside it is Kueue's."""
    things = rendered(scheduling={"gang": "coscheduling", "queue": "gpus"}, workers={"replicas": 4})
    group = things["PodGroup/cifar-1-4"]
    worker, launcher = (things[f"Job/cifar-1-{role}"]["spec"]["template"] for role in ("worker", "launcher"))

    assert ("scheduling.x-k8s.io/v1alpha1", {"minMember": 4}) == (group["apiVersion"], group["spec"])
    assert "cifar-1-4" == worker["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"]
    assert "scheduler-plugins-scheduler" == worker["spec"]["schedulerName"]
    assert "scheduling.x-k8s.io/pod-group" not in launcher["metadata"]["labels"]
    assert "schedulerName" not in launcher["spec"]
    assert {f"{KUEUE}/queue-name": "gpus"} == queue_labels(things["Job/cifar-1-worker"])


@pytest.mark.parametrize("gang", ["none", "volcano", "coscheduling"])
def test_scheduler_of_the_users_choice(gang: str) -> None:
    """It wins over that of the gang; each role has its own."""
    options = {"workers": {"schedulerName": "mine"}, "launcher": {"schedulerName": "yours"}}
    specs = [pod(role, scheduling={"gang": gang}, **options)["spec"] for role in ("worker", "launcher")]

    assert ["mine", "yours"] == [spec["schedulerName"] for spec in specs]


def test_group_comes_before_its_pods_and_belongs_to_the_run() -> None:
    made = documents(dump(JOB | {"scheduling": {"gang": "volcano"}}))
    order = [document.template for document in made]

    assert order.index("scheduling/podgroup.yaml") < order.index("workers/job.yaml")
    assert ["run"] == [document.scope for document in made if document.template == "scheduling/podgroup.yaml"]


@pytest.mark.parametrize(
    "key", ["scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group", f"{KUEUE}/queue-name"]
)
def test_keys_of_schedulers_are_not_the_users(key: str) -> None:
    """What dsgen writes for a gang or a queue is refused in maps of the user's."""
    for values in ({"labels": {key: "x"}}, {"workers": {"podLabels": {key: "x"}}}):
        assert ["DS230"] == [problem[-6:-1] for problem in problems(dump(JOB | values))]


# -- topology ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["required", "preferred"])
def test_topology_in_a_queue_is_kueues(level: str) -> None:
    """An annotation of the worker pods, and no affinity, which Kueue would not look at."""
    scheduling = {"queue": "gpus", "topology": {level: ZONE}}
    worker, launcher = (pod(role, scheduling=scheduling) for role in ("worker", "launcher"))

    assert ZONE == worker["metadata"]["annotations"][f"{KUEUE}/podset-{level}-topology"]
    assert not [key for key in launcher["metadata"]["annotations"] if key.startswith(KUEUE)]
    assert not {"affinity"} & (worker["spec"].keys() | launcher["spec"].keys())


@pytest.mark.parametrize("gang", ["none", "volcano", "coscheduling"])
def test_topology_without_kueue_is_affinity_to_the_runs_own_workers(gang: str) -> None:
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": WORKERS}}

    def affinity_at(level: str) -> Any:
        spec = pod("worker", scheduling={"gang": gang, "topology": {level: ZONE}})["spec"]
        return spec["affinity"]

    assert {"podAffinity": {REQUIRED: [term]}} == affinity_at("required")
    assert {"podAffinity": {PREFERRED: [{"weight": 100, "podAffinityTerm": term}]}} == affinity_at("preferred")
    assert "affinity" not in pod("launcher", scheduling={"topology": {"required": ZONE}})["spec"]


def test_the_terms_of_topology_and_spread_match_the_workers_and_nobody_else() -> None:
    """Not the launcher, which may stand anywhere, and not the workers of another run, which may still be there."""
    scheduling, workers = {"topology": {"required": ZONE}}, {"spread": "required"}
    affinity = pod("worker", scheduling=scheduling, workers=workers)["spec"]["affinity"]
    wanted = [
        affinity[kind][REQUIRED][0]["labelSelector"]["matchLabels"] for kind in ("podAffinity", "podAntiAffinity")
    ]
    worker, launcher = (pod(role)["metadata"]["labels"] for role in ("worker", "launcher"))
    (other,) = [
        thing["spec"]["template"]["metadata"]["labels"]
        for name, thing in rendered(run={"id": "2"}).items()
        if name == "Job/cifar-2-worker"
    ]

    for labels in wanted:
        assert [True, False, False] == [labels.items() <= given.items() for given in (worker, launcher, other)]
