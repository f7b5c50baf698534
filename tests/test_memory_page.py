"""The formulas of docs/memory.md have the results of DeepSpeed's functions."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools import docs

ROOT = Path(__file__).parent.parent
RECORDED = json.loads((ROOT / "tests" / "data" / "deepspeed_memory.json").read_text())["rows"]


def states() -> dict[str, Any]:
    """The formulas of the page's program."""
    page = (ROOT / "docs" / "memory.md").read_text()
    program = next(block["body"] for block in docs.BLOCK.finditer(page) if block["file"] == "memory.py")
    names: dict[str, Any] = {"__name__": "memory"}
    exec(program, names)
    formulas: dict[str, Any] = names["STATES"]
    return formulas


OFFLOADED = "2, optimizer offloaded"
"""The row in which the page differs from DeepSpeed, which counts the GPUs of all workers for one worker."""
FORMULAS = {
    "max(4 S, 16 / N)": lambda slots, workers: max(4 * slots, 16 / workers),
    "max(4 S, 16)": lambda slots, _: max(4 * slots, 16),
    "max(4 G, 16)": lambda slots, workers: max(4 * slots * workers, 16),
}


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['parameters']}-{row['slots']}x{row['replicas']}")
def test_the_page_computes_what_deepspeed_computes(row: dict[str, Any]) -> None:
    size = (row["parameters"], row["largest"], row["slots"], row["replicas"])
    page = {name: [gpu(*size), 1.5 * worker(*size)] for name, (gpu, worker) in states().items()}

    assert row["needs"].keys() == page.keys()
    for name, (gpu, worker) in row["needs"].items():
        assert gpu == pytest.approx(page[name][0], abs=1), name
        assert name == OFFLOADED or worker == pytest.approx(page[name][1], abs=1), name


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['parameters']}-{row['slots']}x{row['replicas']}")
def test_the_row_that_differs_has_the_formulas_of_the_page(row: dict[str, Any]) -> None:
    parameters, slots, workers = row["parameters"], row["slots"], row["replicas"]
    _, worker = states()[OFFLOADED]
    bytes_of = {name: 1.5 * parameters * factor(slots, workers) for name, factor in FORMULAS.items()}

    assert row["needs"][OFFLOADED][1] == bytes_of["max(4 G, 16)"]
    assert bytes_of["max(4 S, 16 / N)"] == 1.5 * worker(parameters, row["largest"], slots, workers)
    assert workers > 1 or len(set(bytes_of.values())) == 1


def test_what_the_page_says_of_the_example_is_computed() -> None:
    page = (ROOT / "docs" / "memory.md").read_text()
    parameters, _, slots, workers = map(float, re.findall(r"memory.py (\S+) (\S+) (\S+) (\S+)", page)[0])

    shown = re.findall(r"^[|].*`1.5 x P x (max[^`]*)` [|] (\d+) GiB [|]$", page, re.MULTILINE)

    needs = {name: 1.5 * parameters * factor(slots, workers) / 2**30 for name, factor in FORMULAS.items()}
    assert shown == [(name, f"{need:.0f}") for name, need in needs.items()]
    assert 16 == FORMULAS["max(4 G, 16)"](8, 16) / FORMULAS["max(4 S, 16 / N)"](8, 16)


def test_the_table_of_the_page_has_the_same_rows() -> None:
    page = (ROOT / "docs" / "memory.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| 2", "| 3"))]

    assert len(states()) == len(rows)
    assert [name[:1] for name in states()] == [row[:1] for row in rows]
