"""The table of results.md."""

from dataclasses import astuple, dataclass, fields
from pathlib import Path

PAGE = Path(__file__).parent / "results.md"
TITLES = {
    "channel": "channel",
    "first": "first apply",
    "healthy": "health while it trains, at the end",
    "forced": "applied again",
    "changed": "a change under one id",
    "next": "a new id",
    "failed": "a run that fails",
    "removed": "the job is removed",
}


@dataclass
class Row:
    """One channel; what is empty was not seen."""

    channel: str
    first: str = ""
    healthy: str = ""
    forced: str = ""
    changed: str = ""
    next: str = ""
    failed: str = ""
    removed: str = ""

    @property
    def line(self) -> str:
        return f"| {' | '.join(astuple(self))} |"


def update(lines: list[str]) -> None:
    """Write the rows into the page; those of channels that were not tried stay."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n| channel |")
    kept = [line for line in rest.splitlines()[2:] if line.startswith("| ")]
    rows = {line.split(" | ")[0]: line for line in [*kept, *lines]}
    titles = [TITLES[field.name] for field in fields(Row)]
    ordered = sorted(rows.values(), key=lambda line: line.replace("`", "").casefold())
    table = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles), *ordered]
    PAGE.write_text("\n".join([head, *table, ""]), encoding="utf-8")
