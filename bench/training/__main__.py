"""Measures trainings of small models on CPU ranks, for the comparison with what dsgen forecasts.

    python -m venv /tmp/measured && /tmp/measured/bin/pip install torch==2.13.0 deepspeed==0.19.8 transformers
    PYTHONPATH=. /tmp/measured/bin/python -m bench.training tests/data/measured_training.json

Every case runs in a network namespace of its own, in which only its ranks send: the counter of the loopback interface
is what they sent together. Needs root, or the right to make namespaces. Memory and bytes do not depend on the speed of
the machine; 200 million parameters on two ranks need 10 GiB.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.training.cases import CASES

PORT = "29511"
ENVIRONMENT = {
    "DS_ACCELERATOR": "cpu",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "0",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "4",  # experts have a new number of tokens each time, and each its own kernel
    "LRU_CACHE_CAPACITY": "4",
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": PORT,
    "GLOO_SOCKET_IFNAME": "lo",
    "TOKENIZERS_PARALLELISM": "false",
}
LIMIT = 1800
"""Seconds for a case."""


def command(case: dict[str, Any], rank: int, folder: str) -> str:
    """The shell command of a rank."""
    numbers = f"RANK={rank} LOCAL_RANK={rank} WORLD_SIZE={case['ranks']}"
    return f"{numbers} {sys.executable} -m bench.training.rank '{json.dumps(case)}' {folder} >{folder}/{rank}.log 2>&1"


def measured(case: dict[str, Any]) -> dict[str, Any]:
    """What the ranks of a case measured: the largest, and what they sent together."""
    folder = tempfile.mkdtemp()
    try:
        ranks = " & ".join(command(case, rank, folder) for rank in range(case["ranks"]))
        script = f"ip link set lo up; {ranks} & wait"
        subprocess.run(["unshare", "--net", "bash", "-c", script], env={**os.environ, **ENVIRONMENT}, timeout=LIMIT)
        logs = [Path(folder, f"{rank}.log").read_text() for rank in range(case["ranks"])]
        lines = [line for log in logs for line in log.splitlines() if line.startswith("MEASURED ")]
        if len(lines) != case["ranks"]:
            raise SystemExit(f"{case['name']}: " + "\n".join(log[-3000:] for log in logs))
        found = [json.loads(line.removeprefix("MEASURED ")) for line in lines]
        saved = [path.stat().st_size for path in Path(folder).rglob("*.pt")]
        return {
            **{key: found[0][key] for key in ("parameters", "trainable")},
            **{key: max(one[key] for one in found) for key in ("created", "idle", "peak")},
            "sent": int(statistics.median(one["sent"] for one in found)),
            "checkpoint": sum(saved),
        }
    finally:
        shutil.rmtree(folder)


def write(target: Path, rows: dict[str, Any]) -> None:
    """The table, with the versions of the packages."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("deepspeed", "torch", "transformers"))
    ordered = [rows[one["name"]] for one in CASES if one["name"] in rows]
    lines = ",\n  ".join(json.dumps(row) for row in ordered)
    target.write_text(f'{{\n "source": "{packages}; made by bench/training",\n "rows": [\n  {lines}\n ]\n}}\n')


def main() -> None:
    """Writes the table to the file of the first argument; further arguments name the cases that are measured again."""
    target, names = Path(sys.argv[1]), sys.argv[2:]
    rows = {row["name"]: row for row in json.loads(target.read_text())["rows"]} if target.exists() else {}
    for case in CASES:
        if case["name"] in names or not names:
            rows[case["name"]] = {**case, "measured": measured(case)}
            write(target, rows)


if __name__ == "__main__":
    main()
