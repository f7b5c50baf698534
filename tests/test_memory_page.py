"""The formulas of docs/memory.md have the results of DeepSpeed's functions."""

import json
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


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['parameters']}-{row['slots']}x{row['replicas']}")
def test_the_page_computes_what_deepspeed_computes(row: dict[str, Any]) -> None:
    size = (row["parameters"], row["largest"], row["slots"], row["replicas"])
    page = {name: [gpu(*size), 1.5 * worker(*size)] for name, (gpu, worker) in states().items()}

    assert row["needs"].keys() == page.keys()
    for name, needs in row["needs"].items():
        assert needs == pytest.approx(page[name], abs=1), name


def test_the_table_of_the_page_has_the_same_rows() -> None:
    page = (ROOT / "docs" / "memory.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| 2", "| 3"))]

    assert len(states()) == len(rows)
    assert [name[:1] for name in states()] == [row[:1] for row in rows]
