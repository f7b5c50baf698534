"""The estimated size of the run's ConfigMap, compared with the rendered object."""

import json

import pytest
import yaml

from dsgen.checks import sizes
from dsgen.render import render
from dsgen.values import Release
from tests.base import job

LONG = f'name="{"n" * 48}"'


@pytest.mark.parametrize(
    "sets",
    [
        (),
        ('training.setup="a <b> & \\"c\\"\\n\\tédsgen"', 'launch.method="torchrun"'),
        (LONG, f'namespace="{"m" * 63}"', "workers.replicas=250", 'ssh.user="trainer"'),
        ('training={"python":"a","args":["\\"","\\\\"],"deepspeed":{"config":{"train_batch_size":1}}}',),
    ],
)
def test_the_estimate_is_a_little_above_what_kubectl_writes(sets: tuple[str, ...]) -> None:
    data = job(None, *sets).data
    release = Release(data["name"], data["namespace"] or "training")
    texts = [document.text for document in render(data, release)]
    [config] = [text for text in texts if f"  name: {release.name}-1-config\n" in text and "immutable: true\n" in text]
    written = json.dumps(yaml.load(config, yaml.CSafeLoader), ensure_ascii=False, separators=(",", ":"))
    real = len(written.encode()) + 5 * sum(map(written.count, "<>&"))

    assert 0 <= sizes.json_bytes(sizes.texts_of(data, release.name).values()) - real < sizes.OTHER_BYTES
