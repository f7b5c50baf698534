"""Why a source cannot be converted, as one sentence at a place."""

from __future__ import annotations

from dsgen.errors import EXIT_FINDINGS, DsgenError
from dsgen.problems import Position


class ImportRefusedError(DsgenError):
    """A source that is not converted. `position`: where the reason is; `hint`: what to do instead."""

    exit_code = EXIT_FINDINGS

    def __init__(self, message: str, position: Position, hint: str = "") -> None:
        place = f"{position.file}:{position.line}:{position.column}: " if position.line else f"{position.file}: "
        super().__init__(f"{place}{message}", *([f"hint: {hint}"] if hint else []))
        self.message, self.position, self.hint = message, position, hint


class MissingParserError(DsgenError):
    """The library that parses shell scripts is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "reading shell commands needs tree-sitter: pipx inject dsgen-k8s tree-sitter tree-sitter-bash,"
            " or pip install in a virtual environment"
        )
