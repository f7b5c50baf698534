"""Jobs of operators, and the same jobs imported: the ranks see the same numbers, arguments and variables.

The operators of MPIJob (MPI Operator), TrainJob (Kubeflow Trainer) and JobSet run the sources; Kubernetes alone runs
the hand-written set.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.cluster import Namespace
from tests.e2e.conftest import unavailable
from tests.e2e.training import RUN_SECONDS, Job, dsgen, said

SOURCES = Path(__file__).parent / "imports"


class Source(NamedTuple):
    """A job of another system.

    crd: of its operator; done: the object and its condition when it has ended; variables: what its ranks see;
    passes_local_rank: its launcher does, to the program.
    """

    file: str
    crd: str
    done: str
    condition: str
    variables: dict[str, str | None]
    runtime: str = ""
    passes_local_rank: bool = False

    def ranks(self) -> list[dict[str, Any]]:
        """What two pods with two ranks each say."""
        return [
            {
                "rank": rank,
                "world": 4,
                "local": rank % 2,
                "met": 4,
                "arguments": [*([f"--local_rank={rank % 2}"] if self.passes_local_rank else []), "--lr", "1e-4"],
                "env": self.variables,
            }
            for rank in range(4)
        ]


KINDS = {
    "mpijob": Source(
        "mpijob.yaml",
        "mpijobs.kubeflow.org",
        "mpijob/ranks",
        "Succeeded",
        {"APP_MODE": "fast and small", "NOT_SET": None},
    ),
    "trainjob": Source(
        "trainjob.yaml",
        "trainjobs.trainer.kubeflow.org",
        "trainjob/ranks",
        "Complete",
        {"APP_MODE": "fast and small", "APP_EMPTY": "", "NOT_SET": None},
        "runtime.yaml",
    ),
    "jobset": Source(
        "jobset.yaml",
        "jobsets.jobset.x-k8s.io",
        "jobset/ranks",
        "Completed",
        {"APP_MODE": "fast and small", "APP_LATE": "42", "NOT_SET": None},
    ),
    "sets": Source(
        "sets.yaml", "", "job/ranks", "complete", {"PYTHON_APP": "fast", "NOT_SET": None}, passes_local_rank=True
    ),
}


def in_order(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(lines, key=lambda line: line["rank"])


@pytest.mark.by_turns("kind")
@pytest.mark.parametrize("kind", KINDS)
def test_an_imported_job_has_the_ranks_of_its_source(
    namespaces: Callable[..., Namespace], image: str, tmp_path: Path, kind: str
) -> None:
    source = KINDS[kind]
    space = namespaces(kind)
    if source.crd and not space.kubectl("get", "crd", source.crd, "--ignore-not-found"):
        unavailable(f"the cluster has no {source.crd}")
    space.kubectl("create", "configmap", "program", f"--from-file={SOURCES / 'ranks.py'}")

    assert source.ranks() == in_order(under_its_operator(space, source, image, tmp_path))
    assert source.ranks() == in_order(under_dsgen(space, source, tmp_path))


def under_its_operator(space: Namespace, source: Source, image: str, folder: Path) -> list[dict[str, Any]]:
    """What the ranks say when the operator runs the job; removes it."""
    for name in filter(None, (source.runtime, source.file)):
        (folder / name).write_text((SOURCES / name).read_text().replace("IMAGE", image))
    if not source.crd:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "id"], check=True)
        keys = [f"--from-file={name}={folder / name}" for name in ("id", "id.pub")]
        space.kubectl("create", "secret", "generic", "keys", *keys)
    files = [word for name in (source.runtime, source.file) if name for word in ("--filename", str(folder / name))]
    space.kubectl("apply", *files)
    space.kubectl("wait", source.done, f"--for=condition={source.condition}", f"--timeout={RUN_SECONDS}s")
    lines = [line for log in space.logs().values() for line in said(log)]
    space.kubectl("delete", "--wait", *files)
    return lines


def under_dsgen(space: Namespace, source: Source, folder: Path) -> list[dict[str, Any]]:
    """What the ranks say when dsgen runs the imported job."""
    runtime = ["--runtime", str(folder / source.runtime)] if source.runtime else []
    file = folder / "values.yaml"
    file.write_text(dsgen("import", str(folder / source.file), *runtime, "--check"))
    manifests = dsgen("render", str(file), "--set", f"namespace={space.name},status.intervalSeconds=2")
    space.kubectl("apply", "--filename", "-", text=manifests)
    run = Job(space, folder, {}, "ranks").ended()
    assert ("Succeeded", 4) == (run.record["phase"], run.record["worldSize"])
    return run.lines
