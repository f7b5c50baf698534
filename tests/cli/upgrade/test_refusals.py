"""The messages about refused changes, and the changes of claims that are refused."""

import json
from pathlib import Path

import pytest

from dsgen.writer import INDEX
from dsgen.writer.index import compute_checksum
from tests.cli.conftest import Cli, texts_in
from tests.cli.upgrade.conftest import FILES, edit


def test_a_refusal_is_told_in_every_form(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    told = 'run "1" would change: workers.replicas: 2 -> 4, in Job cifar-1-worker spec.parallelism'
    call = ("render", *FILES, "-d", "out")

    assert f"cifar.yaml:6:21: error: {told} [DS903]\n    workers: {{replicas: 4}}" in cli(*call).err
    assert told == json.loads(cli(*call, "-o", "json").out)["diagnostics"][0]["message"]
    (result,) = json.loads(cli(*call, "--check", "-o", "sarif").out)["runs"][0]["results"]
    assert ("DS903", 6) == (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
    assert cli(*call, "-o", "github").out.startswith("::error file=cifar.yaml,line=6,col=21,title=")


@pytest.mark.usefixtures("upgraded")
def test_secrets_in_a_refusal_are_stars(cli: Cli) -> None:
    code, _, err = cli("render", *FILES, "--set", "training.env.URL=https://user:hunter2@example.com/x", "-d", "out")

    assert (1, True) == (code, "training.env" in err)
    assert "hunter2" not in err


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("size: 100Gi", "size: 50Gi", "storage.checkpoints.create.size"),
        ("size: 100Gi", "size: 100Gi, storageClass: fast", "storage.checkpoints.create.storageClass"),
        ("size: 100Gi", "size: 100Gi, accessModes: [ReadWriteOnce]", "storage.checkpoints.create.accessModes"),
    ],
)
def test_a_claim_cannot_change(upgraded: Path, cli: Cli, old: str, new: str, key: str) -> None:
    edit(upgraded / "cifar.yaml", old, new)
    before = texts_in(upgraded / "out")

    for target in (("render", *FILES, "-d", "out"), ("chart", "cifar.yaml", "-d", "chart")):
        code, _, err = cli(*target)
        assert 1 == code
        assert f"error: a claim cannot change: {key}: " in err
        assert "cifar.yaml:11:" in err
    assert before == texts_in(upgraded / "out")

    (upgraded / "out" / "cifar" / "persistentvolumeclaim-cifar-checkpoints.yaml").unlink()
    assert 0 == cli("render", *FILES, "-d", "out").code


def test_a_claim_that_only_the_release_writes_otherwise_is_kept(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / "persistentvolumeclaim-cifar-checkpoints.yaml"
    index = path.with_name(INDEX)
    old = path.read_text()
    new = old.replace("ReadWriteMany", "ReadWriteOncePod")
    assert new != old
    path.write_text(new)
    content = json.loads(index.read_text())
    content["files"][path.name]["sha256"] = compute_checksum(new.encode())
    index.write_text(json.dumps(content))

    assert 0 == cli("render", *FILES, "-d", "out").code
    assert new == path.read_text()
    assert 0 == cli("render", *FILES, "-d", "out", "--check").code
