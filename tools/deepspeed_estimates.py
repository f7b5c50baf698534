"""Writes tests/data/deepspeed_estimates.json: what DeepSpeed's functions estimate for five hundred drawn inputs.

Needs deepspeed and torch, which the tests do not:

    python -m venv /tmp/estimated && /tmp/estimated/bin/pip install torch==2.13.0 deepspeed==0.19.8
    /tmp/estimated/bin/python tools/deepspeed_estimates.py
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

from deepspeed.runtime.zero.stage3 import estimate_zero3_model_states_mem_needs as zero3
from deepspeed.runtime.zero.stage_1_and_2 import estimate_zero2_model_states_mem_needs as zero2

TARGET = Path(__file__).parent.parent / "tests" / "data" / "deepspeed_estimates.json"
COUNT = 500


def drawn(draw: random.Random) -> tuple[int, int, int, int]:
    """Parameters, those of the largest layer, GPUs of a node, nodes."""
    parameters = int(10 ** draw.uniform(7, 12))
    largest = int(parameters * draw.uniform(0.005, 0.4))
    return parameters, largest, draw.choice((1, 2, 4, 6, 8, 16)), draw.choice((1, 2, 3, 4, 8, 16, 64))


def needs(parameters: int, largest: int, slots: int, nodes: int) -> list[int]:
    """Host and GPU of each case: stage 2 without and with offload; stage 3 without, with one and with both offloads,
    each with zero.Init and without.
    """
    found = [zero2(parameters, slots, nodes, cpu_offload=offload)[:2] for offload in (False, True)]
    for offload, both in ((False, False), (True, False), (True, True)):
        for init in (True, False):
            found.append(zero3(parameters, largest, slots, nodes, offload, both, init)[:2])
    return [number for pair in found for number in pair]


def main() -> None:
    """Writes the file."""
    draw = random.Random(24)
    inputs = [drawn(draw) for _ in range(COUNT)]
    rows = ",\n".join(json.dumps([*one, *needs(*one)], separators=(",", ":")) for one in inputs)
    source = f"deepspeed {version('deepspeed')}, torch {version('torch')}; made by tools/deepspeed_estimates.py"
    TARGET.write_text(f'{{\n "source": "{source}",\n "rows": [\n{rows}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
