"""Malformed dsgen.yaml and links of every kind cause a message, and no write outside the repository."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from dsgen.writer import INDEX
from tests.cli.conftest import IMAGE, Cli, job, put
from tests.writer.test_index import spoil

MUTATIONS = int(os.environ.get("DSGEN_SETTINGS_MUTATIONS", "40"))

SETTINGS: dict[str, Any] = {
    "jobs": ["jobs/*/values.yaml", "sweeps/*.yaml"],
    "output": "rendered/{namespace}/{name}",
    "charts": "charts/{name}",
    "defaults": {"image": {"repository": "registry.example.com/a/b", "tag": "v1"}, "workers": {"replicas": 3}},
    "overlays": [{"jobs": ["jobs/a/*"], "files": ["over.yaml"], "values": {"labels": {"team": "a"}}}],
    "matrix": [
        {
            "jobs": ["sweeps/sft.yaml"],
            "variables": {"lr": [1, 2], "size": ["a", "b"]},
            "values": {"name": "sft-{lr}-{size}", "training": {"args": ["{lr}", "x{size}"]}},
        }
    ],
    "checks": {"DS050": "error", "DS258": "ignore"},
}
WORDS = [
    *("../out", "/tmp/dsgen-planted", "link/{name}", "link/x", ".git/{name}", "jobs/{name}", "{name}"),
    *("{namespace}/{name}/x", "con/{name}", "rendered\\{name}", "c:/{name}", "{nam}"),
    *("{", "}", "", ".", "..", "~/{name}"),
    *("jobs/a/values.yaml", "**", "**/*", "link/**", "jobs/../../*", "/etc/*", "[", "[a-", "*" * 50, "a\0b"),
    *("\x1b[2J", "\u202e", "x" * 300, "dsgen.yaml", "rendered/**"),
    *("{lr}", "{size}", "{lr}{size}", "error", "ignore", "DS999", "${HOME}", "{0}", "{name!r}", "%s"),
]
VALUES = [None, True, 0, -1, 1.5, 10**30, [], {}, [[]], [None], {"a": None}, [{}], {"{name}": 1}, list(range(99))]
BYTES = [b"", b"\xff", b"*a", b"&a ", b"<<: ", b"{", b"\t", b"---\n"]
KEYS = ["jobs", "output", "files", "values", "variables", "matrix", "x", "", "../x", "name", "run", "training", "DS050"]


def mutated(chance: random.Random) -> bytes:
    """The settings with a few mistakes, in what they say or in their bytes."""
    settings = json.loads(json.dumps(SETTINGS))
    for _ in range(chance.randint(1, 3)):
        spoil(settings, chance, KEYS, [*WORDS, *VALUES])
    text = bytearray(json.dumps(settings, indent=1).encode())
    if chance.random() < 0.25:
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 4)] = chance.choice(BYTES)
    return bytes(text)


LINKS = ["link", "rendered", "rendered/training", "charts", "jobs/c", "over.yaml", "sweeps", "jobs/a/values.yaml"]


def plant(root: Path, outside: Path, chance: random.Random) -> None:
    """Links out of the repository, and what is no plain file."""
    for path in chance.sample(LINKS, chance.randint(0, 2)):
        place = root / path
        if place.is_dir() or not place.parent.is_dir():
            continue
        place.unlink(missing_ok=True)
        kind = chance.random()
        if kind < 0.7:
            place.symlink_to(outside if chance.random() < 0.7 else outside / chance.choice(["victim", "none"]))
        elif kind < 0.85:
            os.mkfifo(place)
        else:
            os.link(outside / "twin", place)  # it is read: Git brings no such link


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that nothing in the repository may change."""
    return tmp_path_factory.mktemp("outside")


def everything(folder: Path) -> dict[str, bytes]:
    """What is in all plain files."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_spoilt_settings_never_harm(seed: int, cli: Cli, repository: Path, outside: Path) -> None:
    """Never a traceback, never a byte outside. DSGEN_SETTINGS_MUTATIONS=2000 tries more."""
    chance = random.Random(seed)
    put(outside / "victim", "precious\n")
    put(outside / "twin", "shared\n")
    put(outside / "training" / "cifar" / INDEX, "{}")
    put(repository / "over.yaml", "workers: {replicas: 4}\n")
    put(repository / "sweeps/sft.yaml", job("sft"))
    if chance.random() < 0.3:
        put(repository / "dsgen.yaml", f"defaults:\n  {IMAGE}")
        cli("render", "-q")
    plant(repository, outside, chance)
    (repository / "dsgen.yaml").write_bytes(mutated(chance))
    before, inputs = everything(outside), everything(repository / "jobs")

    for command in (("validate",), ("values",), ("render",), ("render", "--prune", "--keep-going"), ("diff",)):
        code, out, err = cli(*command)
        assert code in (0, 1, 2, 3), (command, err)
        assert "internal error" not in err
        assert "Traceback" not in err
        assert "precious" not in out + err

    assert before == everything(outside)
    assert not Path("/tmp/dsgen-planted").exists()
    assert inputs.items() <= everything(repository / "jobs").items()


@pytest.mark.parametrize("what", ["rendered", "rendered/training", "rendered/training/cifar", "file"])
def test_a_planted_link_stops_the_render(what: str, cli: Cli, repository: Path, outside: Path) -> None:
    place = repository / ("rendered/training/cifar/job-cifar-1-worker.yaml" if what == "file" else what)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside / "victim" if what == "file" else outside)

    for command in ("render", "diff"):
        code, out, err = cli(command)
        assert 1 == code
        assert f"{place.relative_to(repository)} is in the way: it is a link" in out + err
    assert {} == everything(outside)
    assert [] == sorted(repository.glob("rendered/research/*"))
