"""Users of other tools get a valid file by following the hints of two runs of `dsgen validate`."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import schema
from dsgen.schema import suggestions
from tests import hints

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "mistakes.yaml").read_text())
GIVEN = {"name": "cifar", "namespace": "training", "image": {"repository": "r/x", "tag": "v3"}}
MOST = 2


def test_there_are_enough() -> None:
    assert (7, True) == (len(CASES["jobs"]), len(CASES["mistakes"]) >= 25)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, cases in CASES.items() for name in cases])
def test_hints_lead_to_what_is_meant(kind: str, name: str) -> None:
    case = CASES[kind][name]
    data, meant = copy.deepcopy(GIVEN | case["wrong"]), GIVEN | case["meant"]
    assert hints.problems(data)

    hints.runs(data, meant, MOST)

    assert meant == data
    assert [] == [problem for problem in hints.problems(data) if problem.severity == "error"]


# A value for each key that the tables of words name.
VALUES: dict[str, Any] = {
    "code.git": {"repository": "https://git.example.com/x.git", "revision": "0" * 40},
    "code.git.repository": "https://git.example.com/x.git",
    "image": {"repository": "r/y", "tag": "v4"},
    "image.pullPolicy": "Always",
    "image.pullSecrets": [{"name": "registry"}],
    "image.repository": "r/y",
    "image.tag": "v4",
    "launch.masterPort": 29501,
    "launch.method": "torchrun",
    "lifecycle": {"maxRestarts": 1},
    "lifecycle.activeDeadlineSeconds": 3600,
    "lifecycle.maxRestarts": 1,
    "lifecycle.suspend": True,
    "lifecycle.terminationGracePeriodSeconds": 90,
    "lifecycle.ttlSecondsAfterFinished": 2592000,
    "name": "cifar",
    "network.hostNetwork": False,
    "network.rdma.resources": {"rdma/hca": 1},
    "run.id": "2",
    "scheduling.gang": "volcano",
    "scheduling.queue": "team",
    "security.podSecurityContext": {"fsGroup": 1000},
    "ssh.port": 2022,
    "ssh.secret.name": "keys",
    "storage": {"data": {"mountPath": "/data", "existingClaim": "x"}},
    "training.args": ["--epochs", "3"],
    "training.deepspeed.args": ["--log_level", "debug"],
    "training.deepspeed.autotuning": "none",
    "training.deepspeed.config": {"train_batch_size": 8},
    "training.env": {"A": "b"},
    "training.envFrom": [{"configMapRef": {"name": "x"}}],
    "training.exec": ["bash", "run.sh"],
    "training.python": "other.py",
    "training.workingDir": "/work",
    "workers.accelerator.resource": "amd.com/gpu",
    "workers.nodeSelector": {"pool": "gpu"},
    "workers.extraPodSpec.runtimeClassName": "nvidia",
    "workers.priorityClassName": "high",
    "workers.replicas": 3,
    "workers.resources": {"limits": {"cpu": 8}},
    "workers.resources.requests.cpu": 4,
    "workers.resources.requests.memory": "64Gi",
    "workers.serviceAccountName": "trainer",
    "workers.sharedMemory": "16Gi",
    "workers.sidecars": [{"name": "logs", "image": "busybox:1"}],
    "workers.slots": 8,
}
BESIDE: dict[str, Any] = {
    "ssh.secret.name": {"training": {"python": "train.py"}, "ssh": {"secret": {"mode": "existing"}}},
    "training.exec": {"training": {}},
    "training.python": {"training": {}},
}
"""What makes sense of some keys, or contradicts them if it is there."""
OTHERS = [
    ("cleanPodPolicy", "Running", "lifecycle.keepWorkers", "none"),
    ("cleanPodPolicy", "All", "lifecycle.keepWorkers", "none"),
    ("cleanPodPolicy", "None", "lifecycle.keepWorkers", "always"),
    ("cleanUpWorkers", True, "lifecycle.keepWorkers", "none"),
    ("cleanUpWorkers", False, "lifecycle.keepWorkers", "always"),
    ("mpiImplementation", "Intel", "launch.method", "openmpi"),
    ("restartPolicy", "Never", "lifecycle.maxRestarts", 0),
]


def words() -> list[tuple[str, str, str]]:
    """Every word of the tables, with the section where it is written and the keys that it stands for."""
    keys_at_the_top = {key.lower() for key in schema.list_keys(schema.load())}
    named = [("", word, keys) for word, keys in suggestions.ANYWHERE.items() if word not in keys_at_the_top]
    return named + [(top, word, keys) for top, below in suggestions.IN_SECTION.items() for word, keys in below.items()]


@pytest.mark.parametrize(("section", "word", "keys"), words(), ids=lambda text: text)
def test_a_word_of_another_tool_leads_to_its_key(section: str, word: str, keys: str) -> None:
    key = keys.split()[0]
    wrong = _with(GIVEN, BESIDE.get(key, {"training": {"python": "train.py"}}))
    meant = _with(wrong, _nested(key, VALUES[key]))
    wrong = _with(wrong, {section: {word: VALUES[key]}} if section else {word: VALUES[key]})
    if section == "image":
        del wrong["image"][key.split(".")[1]]

    hints.runs(wrong, meant, 1)

    assert meant == wrong
    assert [] == [problem for problem in hints.problems(wrong) if problem.severity == "error"]


@pytest.mark.parametrize(("word", "value", "key", "meant"), OTHERS)
def test_a_word_with_other_values_leads_to_the_right_one(word: str, value: Any, key: str, meant: Any) -> None:
    data = _with(GIVEN, {"training": {"python": "train.py"}, word: value})

    hints.runs(data, {}, 1)

    assert meant == hints.get(data, tuple(key.split(".")))
    assert [] == hints.problems(data)


def test_every_word_with_other_values_has_a_case() -> None:
    in_jobs = {"containers", "hostfile", "numprocesses", "syncmode"}
    without_a_key = {
        word for word, text in suggestions.OTHER_VALUES.items() if not re.match(r"[\w.]+: ", text)
    } - in_jobs
    seen = {word.lower() for word, *_ in OTHERS} | in_jobs

    assert {"cron", "s3", "vllm"} < without_a_key
    assert suggestions.OTHER_VALUES.keys() - without_a_key == seen - without_a_key


def _nested(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def _with(below: Any, above: Any) -> Any:
    """Maps merged, everything else replaced; a copy."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return copy.deepcopy(above)
    return {
        key: _with(below.get(key), above[key]) if key in above else copy.deepcopy(below[key]) for key in below | above
    }
