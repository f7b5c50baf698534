"""The presets for a cluster without GPUs train there, with another image."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.cluster import Namespace
from tests.e2e.training import Job, condition, dsgen

pytestmark = pytest.mark.by_turns


@pytest.mark.parametrize("method", ["pdsh", "torchrun"])
def test_the_smoke_test_trains(method: str, namespaces: Callable[..., Namespace], image: str, tmp_path: Path) -> None:
    """Two ranks on CPUs, ZeRO 2, and a loss that falls; with the other method that its comment names, too."""
    space = namespaces("preset")
    file = str(tmp_path / "smoke.yaml")
    dsgen("init", file, "--preset", "cpu-smoke-test", "--name", "smoke", "-n", space.name, "--image", image)

    space.kubectl("apply", "--filename", "-", text=dsgen("render", file, "--set", f"launch.method={method}"))
    run = Job(space, tmp_path, {}, "smoke").ended()

    assert ("Succeeded", 2) == (run.record["phase"], run.record["worldSize"])
    assert ["Complete", "Complete"] == [condition(job).type for job in (run.launcher, run.worker)]
    losses = [float(loss) for log in run.logs.values() for loss in re.findall(r"step \d+ loss (\S+)", log)]
    assert 20 == len(losses)
    assert losses[-1] < losses[0]
