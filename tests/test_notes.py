"""The notes after an installation show the next commands for this job, with the same text in both Helm majors."""

from pathlib import Path
from typing import Any

import pytest

from dsgen import __version__
from dsgen.compiler import make_chart_files
from dsgen.language.environment import make_environment
from shared.methods import METHODS
from tests.helm import MAJORS
from tests.parity import RELEASE, batch_comments, batch_run, dump, load

JOB = {"image": {"repository": "r/x", "tag": "1"}, "training": {"python": "train.py"}}
COMMAND = {"training": {}, "launch": {"method": "worker-command", "command": ["a"]}}
LAUNCHER_LOG = "kubectl -n space logs -f job/rel-1-launcher -c launcher"
WORKER_LOG = (
    "kubectl -n space logs -f -l dsgen.dev/job=rel,dsgen.dev/run=1,batch.kubernetes.io/job-completion-index=0 -c worker"
)
ENDED = "kubectl -n space get configmap rel-status -o jsonpath=\"{.data['1']}\""
STOP = "kubectl -n space delete job rel-1-launcher"
PODS = "kubectl -n space get pods -l dsgen.dev/job=rel,dsgen.dev/run=1"
SHELLS = [f"kubectl -n space exec -it job/rel-1-{role} -c {role} -- bash" for role in ("launcher", "worker")]
KUEUE = (
    "kubectl -n space get workloads.kueue.x-k8s.io"
    " -o custom-columns='JOB:.metadata.ownerReferences[0].name,WHY:.status.conditions[*].message'"
)
VOLCANO = "kubectl -n space describe podgroups.scheduling.volcano.sh rel-1-1"
COSCHEDULING = "kubectl -n space describe podgroups.scheduling.x-k8s.io rel-1-1"
BOARD = "kubectl -n space port-forward service/rel-tensorboard 6006:80"
TENSORBOARD = {"tensorboard": {"enabled": True, "logDir": "/data", "port": 80}}
STORAGE = {"data": {"mountPath": "/data", "existingClaim": "c"}}
KEPT = {
    "data": {"mountPath": "/data", "create": {}},
    "tmp": {"mountPath": "/tmp/x", "create": {"protect": False}},
}

CASES: list[tuple[dict[str, Any], list[str]]] = [
    *(
        ({"launch": {"method": name}}, [PODS, LAUNCHER_LOG if method.ssh else WORKER_LOG, STOP, ENDED])
        for name, method in METHODS.items()
        if not method.whole
    ),
    (COMMAND, [PODS, WORKER_LOG, STOP, ENDED]),
    ({"lifecycle": {"debug": {"enabled": True}}}, [*SHELLS, PODS, LAUNCHER_LOG, STOP, ENDED]),
    ({"scheduling": {"queue": "gpus"}}, [KUEUE, PODS, LAUNCHER_LOG, STOP, ENDED]),
    ({"scheduling": {"queue": "gpus", "gang": "volcano"}}, [VOLCANO, PODS, LAUNCHER_LOG, STOP, ENDED]),
    (
        {"scheduling": {"queue": "gpus", "gang": "coscheduling"}},
        [KUEUE, COSCHEDULING, PODS, LAUNCHER_LOG, STOP, ENDED],
    ),
    ({"monitoring": TENSORBOARD, "storage": STORAGE}, [PODS, LAUNCHER_LOG, STOP, BOARD, ENDED]),
    ({"lifecycle": {"keepWorkers": "failed"}}, [PODS, LAUNCHER_LOG, STOP, ENDED]),
    ({"lifecycle": {"keepWorkers": "always"}}, [PODS, LAUNCHER_LOG, f"{STOP} rel-1-worker", ENDED]),
    ({"lifecycle": {"suspend": True, "debug": {"enabled": True}}}, [ENDED]),
    ({"lifecycle": {"suspend": False}}, [PODS, LAUNCHER_LOG, STOP, ENDED]),
    ({"storage": KEPT}, [PODS, LAUNCHER_LOG, STOP, ENDED]),
]


def notes(values: dict[str, Any]) -> str:
    """As the templates say it."""
    context = {"values": load(dump(values)), "release": {"name": RELEASE.name, "namespace": RELEASE.namespace}}
    return make_environment().get_template("NOTES.txt").render(context)


@pytest.mark.parametrize(("more", "commands"), CASES)
def test_notes_say_what_to_do_next(more: dict[str, Any], commands: list[str]) -> None:
    """Every command in its order, each on a line of its own, for what this job has and nothing else."""
    text = notes(JOB | more)

    assert commands == [line.strip() for line in text.splitlines() if line.startswith("  kubectl")]
    assert "\n\n\n" not in text


def test_a_suspended_run_is_resumed() -> None:
    suspended, running = (notes(JOB | {"lifecycle": {"suspend": value}}) for value in (True, False))

    assert "lifecycle.suspend=false" in suspended
    assert "lifecycle.suspend=false" not in running


@pytest.mark.parametrize(
    ("storage", "kept"),
    [
        ({}, []),
        (STORAGE, []),
        ({"a": {"create": {"protect": False}}}, []),
        ({"b": {"create": {}}, "a": {"create": {"size": "1Gi"}}, **STORAGE}, ["- rel-a", "- rel-b"]),
    ],
)
def test_only_protected_claims_are_kept(storage: dict[str, Any], kept: list[str]) -> None:
    lines = notes(JOB | {"storage": storage}).splitlines()

    assert kept == [line for line in lines if line.startswith("- ")]
    assert bool(kept) == any("keeps these claims" in line for line in lines)


def test_a_chart_names_the_version_that_made_it() -> None:
    """Another minor version may write the objects of a run differently."""
    assert f"\n\nThis chart was made by dsgen {__version__}. " in make_chart_files()["templates/NOTES.txt"]


@pytest.mark.parametrize("major", MAJORS)
def test_helm_shows_the_same(major: int, tmp_path: Path) -> None:
    """All cases in one run of Helm, which shows the notes of a chart alone: those of a part are a comment here."""
    values = [JOB | more for more, _ in CASES]
    files = make_chart_files()
    shown = '# {{ include (print .Template.BasePath "/NOTES.txt") . | b64enc }}.\n'
    kept = {path: text for path, text in files.items() if path.endswith((".tpl", "NOTES.txt", "values.yaml"))}
    chart = {**kept, "Chart.yaml": files["Chart.yaml"], "templates/shown.yaml": shown}

    texts = batch_comments(batch_run(major, tmp_path, [dump(each) for each in values], chart).stdout)

    assert {*range(len(values))} == texts.keys()
    assert [] == [texts[number] for number, each in enumerate(values) if notes(each).strip() not in texts[number]]
