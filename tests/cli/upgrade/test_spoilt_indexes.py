"""Malformed values in the index of another release cause a message."""

import json
import os
import random
from pathlib import Path

import pytest

from dsgen.writer import INDEX
from tests.cli.conftest import Cli
from tests.cli.upgrade.conftest import FILES
from tests.writer.test_index import spoil

MUTATIONS = int(os.environ.get("DSGEN_UPGRADE_MUTATIONS", "20"))


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_spoilt_values_in_an_index_never_harm(upgraded: Path, cli: Cli, seed: int) -> None:
    """Never a traceback. DSGEN_UPGRADE_MUTATIONS=2000 tries more."""
    path, chance = upgraded / "out" / "cifar" / INDEX, random.Random(seed)
    index = json.loads(path.read_text())
    for _ in range(chance.randint(1, 3)):
        spoil(index["values"], chance)
    path.write_text(json.dumps(index))

    code, _, err = cli("render", *FILES, "-d", "out")

    assert code in (0, 1, 3)
    assert "internal error" not in err
    assert code == 0 or "out/cifar" in err or "DS90" in err


@pytest.mark.parametrize("depth", [150, 900, 100_000])
def test_values_of_any_depth_are_a_message(upgraded: Path, cli: Cli, depth: int) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    index = json.loads(path.read_text())
    text = json.dumps({**index, "values": "HERE"}).replace('"HERE"', '{"global": ' + "[" * depth + "]" * depth + "}")
    path.write_text(text)

    code, _, err = cli("render", *FILES, "-d", "out")

    assert code in (1, 3)
    assert "internal error" not in err
