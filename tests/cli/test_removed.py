"""Null in an overlay, in dsgen.yaml, in a job of it or in a flag removes what other values give."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Cli, put

FILE = """\
name: cifar
namespace: training
image: {repository: registry.example.com/team/cifar, tag: v1}
workers:
  nodeSelector: {pool: a}
  tolerations: [{key: gpu, operator: Exists}]
  affinity: {nodeAffinity: {}}
  resources: {requests: {memory: 64Gi}}
training:
  python: train.py
  env: {A: one, B: two}
  deepspeed: {config: {train_batch_size: 2, zero_optimization: {stage: 3, offload_param: {device: cpu}}}}
storage: {d: {mountPath: /d, create: {size: 50Gi}}, e: {mountPath: /e, existingClaim: e}}
"""
PLATFORM = """\
defaults:
  image: {repository: registry.example.com/platform, tag: v1}
  workers: {nodeSelector: {pool: a}, tolerations: [{key: gpu, operator: Exists}]}
  training: {env: {A: one}}
  storage: {scratch: {mountPath: /scratch, emptyDir: {}}}
claims: {storageClass: fast}
"""
REMOVED = [
    ("storage.d", None),
    ("storage.d.create", None),
    ("storage.d.create.size", "100Gi"),
    ("training.env.A", None),
    ("training.env", {}),
    ("workers.nodeSelector", {}),
    ("workers.nodeSelector.pool", None),
    ("workers.affinity.nodeAffinity", None),
    ("workers.resources.requests", {}),
    ("workers.resources.requests.cpu", None),
    ("training.deepspeed.config.zero_optimization.offload_param", None),
]
"""A path, and what is there without the value of FILE; None for nothing."""


def values(cli: Cli, *arguments: str, stdin: str = "") -> dict[str, object]:
    code, out, err = cli("values", *arguments, "-o", "json", stdin=stdin)
    assert (0, "") == (code, err)
    found: dict[str, object] = json.loads(out)
    return found


def at(tree: object, path: str) -> object:
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def null(path: str) -> str:
    """A values file with null at a path."""
    keys = path.split(".")
    return "{" + ": {".join(keys) + ": null" + "}" * len(keys) + "\n"


@pytest.mark.parametrize(("path", "left"), REMOVED)
def test_an_overlay_and_a_flag_remove_it(cli: Cli, folder: Path, path: str, left: object) -> None:
    put(folder / "cifar.yaml", FILE)
    assert left != at(values(cli, "cifar.yaml"), path)

    for found in (
        values(cli, "cifar.yaml", "-f", "-", stdin=null(path)),
        values(cli, "cifar.yaml", "--set", f"{path}=null"),
        values(cli, "cifar.yaml", "--set-json", f"{path}=null"),
    ):
        assert left == at(found, path)
    assert (
        1 == cli("values", "cifar.yaml", "--set-string", f"{path}=null").code
        or at(values(cli, "cifar.yaml", "--set-string", f"{path}=null"), path) == "null"
    )


def test_a_later_file_gives_it_again(cli: Cli, folder: Path) -> None:
    """As in Helm: what was removed does not come back with a part of it."""
    put(folder / "cifar.yaml", FILE)
    put(folder / "without.yaml", null("storage.d"))
    put(folder / "again.yaml", "storage: {d: {mountPath: /new, emptyDir: {}}}\n")

    found = values(cli, "cifar.yaml", "-f", "without.yaml", "-f", "again.yaml")

    assert ("/new", None) == (at(found, "storage.d.mountPath"), at(found, "storage.d.create"))


@pytest.fixture
def platform(repository: Path) -> Path:
    put(repository / "dsgen.yaml", PLATFORM)
    return repository


DROPPED = ["workers.nodeSelector", "training.env.A", "training.env", "storage.scratch", "storage"]


@pytest.mark.parametrize("path", DROPPED)
def test_a_job_drops_what_the_repository_gives(cli: Cli, platform: Path, path: str) -> None:
    put(platform / "jobs/a/values.yaml", f"{{name: cifar, namespace: training, {null(path)[1:]}")
    put(platform / "dsgen.yaml", PLATFORM.replace("training: {", "training: {python: train.py, "))

    found = values(cli, "jobs/a/values.yaml")

    assert at(found, path) in (None, {})
    assert at(values(cli, "jobs/b/values.yaml"), path)


@pytest.mark.parametrize("path", DROPPED)
def test_an_overlay_of_the_repository_drops_what_its_defaults_give(cli: Cli, platform: Path, path: str) -> None:
    put(platform / "dsgen.yaml", f"{PLATFORM}overlays: [{{jobs: [jobs/a/*], values: {null(path).strip()}}}]\n")

    a, b = cli("values").out.split("---\n")

    assert at(yaml.safe_load(a), path) in (None, {})
    assert at(yaml.safe_load(b), path)
    assert 0 == cli("render").code
    assert (0, "") == cli("render", "--check")[:2]


def test_a_default_of_the_repository_removes_a_default_of_dsgen(cli: Cli, platform: Path) -> None:
    put(
        platform / "dsgen.yaml", PLATFORM.replace("workers: {", "workers: {podAnnotations: {linkerd.io/inject: null}, ")
    )

    assert "linkerd.io/inject: disabled" not in cli("values", "jobs/a/values.yaml").out.partition("launcher:")[0]


def test_a_run_without_a_value_is_kept(cli: Cli, folder: Path) -> None:
    """The index has the values that the run had, and these are read again."""
    put(folder / "cifar.yaml", FILE)
    arguments = ("render", "cifar.yaml", "--set", "storage.d=null,workers.affinity.nodeAffinity=null", "-d", "out")
    assert 0 == cli(*arguments).code
    assert ": null" not in (folder / "out" / ".dsgen-index").read_text()

    assert (0, "", "") == cli(*arguments, "--check")
    code, _, err = cli("render", "cifar.yaml", "-d", "out")

    assert 1 == code
    assert 'run "1" would change: storage.d' in err


def test_null_that_removes_nothing_is_a_warning(cli: Cli, folder: Path) -> None:
    put(folder / "cifar.yaml", FILE)
    put(folder / "without.yaml", "storage:\n  dta: null\n")

    code, out, err = cli("validate", "cifar.yaml", "-f", "without.yaml")

    assert (0, "cifar.yaml: ok, job training/cifar\n") == (code, out)
    message = "without.yaml:2:8: warning: storage.dta has no value, and there is none that null could remove [DS106]"
    assert message == err.splitlines()[0]
    assert 1 == cli("validate", "cifar.yaml", "-f", "without.yaml", "--strict").code


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "workers: {replicas: null}",
            "workers.replicas has no value",
            "give it a value, or remove the line to use the default, 1",
        ),
        (
            "workers: {tolerations: null}",
            "workers.tolerations has no value",
            "null cannot remove this key; write the default, [], to override the other value",
        ),
        ("workers: null", "workers has no value", "give it a value, or remove the line"),
    ],
)
def test_null_is_an_error_where_a_value_is_needed(cli: Cli, folder: Path, text: str, message: str, hint: str) -> None:
    put(folder / "cifar.yaml", FILE)

    code, _, err = cli("validate", "cifar.yaml", "-f", "-", stdin=f"{text}\n")

    assert 1 == code
    assert f"error: {message} [DS106]\n" in err
    assert f"hint: {hint}\n" in err
