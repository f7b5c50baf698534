"""Writes everything in the repository that is generated: the chart, the schemas, the option reference, and what the documentation shows.

Run it with `make generate`; tests/test_generated.py fails when something was forgotten.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from dsgen import schema  # noqa: E402 - found through the line above
from dsgen.cli import dsgen  # noqa: E402
from dsgen.cli._shared import run  # noqa: E402
from tools import docs  # noqa: E402

CHART = Path("charts/deepspeed-job")


def generated_pages() -> dict[str, str]:
    """Path -> text of every page, with its shown output as the program prints it now."""
    texts = {}
    for page in docs.pages():
        with tempfile.TemporaryDirectory() as folder:
            docs.make_folder(Path(folder))
            texts[page.relative_to(ROOT).as_posix()] = docs.refreshed(page.read_text(), Path(folder))
    return texts
