"""Where libraries keep what they download and compile, in pods of the presets that name a cache of models."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Namespace
from tests.e2e.training import SMALL, Job, Run, dsgen, image_values

pytestmark = pytest.mark.by_turns

# The folder of the Hub is that of huggingface_hub's documentation of its variables; the others are asked.
PROGRAM = """
import json, os
from pathlib import Path

import torch.hub
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch.utils.cpp_extension import _get_build_directory

cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
hub = Path(os.environ.get("HF_HOME", os.path.join(cache, "huggingface")), "hub")
found = sorted(path.name for path in hub.glob("model-*"))
hub.mkdir(parents=True, exist_ok=True)
(hub / ("model-" + os.environ["DSGEN_RUN"])).touch()
compiled = [os.environ[name] for name in ("CUDA_CACHE_PATH", "NEURON_COMPILE_CACHE_URL", "TRITON_CACHE_DIR")]
for folder in (torch.hub.get_dir(), *compiled):
    Path(folder, "kept").mkdir(parents=True, exist_ok=True)
compiled += [cache_dir(), str(Path(_get_build_directory("mine", False)).parent)]
places = {"hub": str(hub), "torch": torch.hub.get_dir(), "compiled": sorted(compiled)}
print(json.dumps({"found": found, **places}), flush=True)
"""
COMPILED = [f"/run/dsgen/cache/{name}" for name in ("cuda", "neuron", "torch_extensions", "torchinductor", "triton")]
OBJECTS = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: huggingface-cache}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Mi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: huggingface}
stringData: {HF_TOKEN: hf-of-the-test}
---
apiVersion: v1
kind: Secret
metadata: {name: s3-credentials}
stringData: {AWS_ACCESS_KEY_ID: of-the-test}
"""
RUN_IT = "exec python3 /job/files/where.py"
IN_PLACE: dict[str, dict[str, Any]] = {
    "accelerate": {"launch": {"command": ["bash", "-c", RUN_IT], "expectWorld": False}},
    "amd": {"training": {"python": "/job/files/where.py", "args": []}, "launch": {"expectWorld": False}},
}
"""What stands in place of the preset's own program."""


def said(run: Run) -> list[dict[str, Any]]:
    """What the ranks printed."""
    pods = {pod.metadata.name for pod in run.pods}  # the logs are those of earlier runs, too
    logs = [log for name, log in run.logs.items() if name.partition("/")[0] in pods]
    lines = [line for log in logs for line in log.splitlines() if '{"found"' in line]
    return [json.loads(line[line.index("{") :]) for line in lines]


def job_of(preset: str, space: Namespace, image: str, folder: Path) -> Job:
    """A job of a preset for this cluster, whose program says where the caches are."""
    file = str(folder / "preset.yaml")
    dsgen("init", file, "--preset", preset, "--name", "cached", "-n", space.name)
    values = yaml.safe_load(Path(file).read_text())
    here = {"slots": 1, "accelerator": {"count": 0}, "sharedMemory": "64Mi", "resources": SMALL}
    values["workers"] |= {**here, "tolerations": []}
    values |= {"image": image_values(image), "launcher": {"resources": SMALL}, "status": {"intervalSeconds": 2}}
    for section, changes in IN_PLACE[preset].items():
        values[section] = {**values.get(section, {}), **changes}
    values["training"]["files"] = {"where.py": PROGRAM}
    values["training"]["deepspeed"] = {}
    values["storage"].get("checkpoints", {}).pop("create", None)
    values["storage"]["checkpoints"] |= {"emptyDir": {}}
    return Job(space, folder, values, "cached")


@pytest.mark.parametrize("preset", IN_PLACE)
def test_models_are_on_the_claim_of_the_preset_and_stay_there(
    preset: str, namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> None:
    """The second run finds what the first one left; what is compiled stays on the node."""
    space = namespaces(f"cache-{preset}")
    space.kubectl("apply", "--filename", "-", text=OBJECTS)
    job = job_of(preset, space, image, tmp_path)

    for run, found in (("1", []), ("2", ["model-1"])):
        job.apply(run)
        places = said(job.ended(run))

        assert 2 == len(places)
        assert {"/cache/huggingface/hub"} == {place["hub"] for place in places}
        assert {"/root/.cache/torch/hub"} == {place["torch"] for place in places}
        assert all(COMPILED == place["compiled"] for place in places)
        assert found == min(place["found"] for place in places)


def test_without_a_home_folder_libraries_write_to_the_emptydir(
    namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> None:
    """The image does not know the user, who could write nowhere."""
    job = job_of("accelerate", namespaces("cache-home"), image, tmp_path)
    job.values["security"] = {"podSecurityContext": {"runAsUser": 4321, "runAsGroup": 4321}}
    job.values["storage"] = {}
    job.values["training"].pop("env")
    job.values["training"].pop("envFrom")
    job.apply()

    run = job.ended()

    assert "Succeeded" == run.record["phase"]
    assert {"/run/dsgen/cache/home/.cache/huggingface/hub"} == {place["hub"] for place in said(run)}
    assert {"/run/dsgen/cache/home/.cache/torch/hub"} == {place["torch"] for place in said(run)}
