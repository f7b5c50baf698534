"""What a program says in its output or a file of its own: step, total, loss and memory; and its last checkpoint."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from shared import settings
from shared.log import log

LINE_BYTES = 1 << 16
NUMBERS = {"step": int, "total": int, "loss": float, "memory": int}  # memory: the most bytes of its accelerator
LARGEST = (1 << 53) - 1


class Source:
    """Reads what lifecycle.progress names."""

    def __init__(self, run: settings.Settings, files: bool) -> None:
        """`files`: whether this process reads the files of the run, too. One of all ranks does."""
        self.pattern: re.Pattern[str] | None = None
        try:
            self.pattern = re.compile(run.progress_pattern) if run.progress_pattern else None
        except re.error as error:
            log(f"lifecycle.progress.pattern is not a regular expression of Python: {error}")
        self.file = run.progress_file if files else ""
        self.checkpoint = run.checkpoint_path if files else ""
        self.saves = run.resize_checkpoint if files and run.workers_min else ""
        # NUMBERS, and in seconds since 1970 when the checkpoint was written, and the newest of those in `saves`.
        self.seen: dict[str, Any] = {}
        self.part = b""

    def read_output(self, data: bytes) -> None:
        """Read a piece of the output; a progress bar ends its lines with a carriage return."""
        if self.pattern:
            *lines, self.part = re.split(rb"[\r\n]", self.part[-LINE_BYTES:] + data)
            self.read_lines(lines)

    def read_files(self) -> None:
        """Read the files, if there are any."""
        text = read_tail(self.file) if self.file else b""
        for part in (text, *text.splitlines()[-1:]):
            try:
                said = json.loads(part)
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict):
                self.keep_numbers(said)
                break
        else:
            self.read_lines(text.splitlines() if self.pattern else [])
        self.seen["checkpoint"] = read_modification_time(Path(self.checkpoint)) if self.checkpoint else 0
        if self.saves:  # DeepSpeed writes `latest` after all files of a checkpoint; the Trainer has one in each folder
            folder = Path(self.saves)
            self.seen["saved"] = max(
                map(read_modification_time, [folder / "latest", *folder.glob("checkpoint-*/latest")])
            )

    def read_lines(self, lines: list[bytes]) -> None:
        """Each number from the last line that has it."""
        said: dict[str, Any] = {}
        for line in reversed(lines):
            match = self.pattern.search(line.decode("utf-8", "replace")) if self.pattern else None
            if match:
                said = {**{name: text for name, text in match.groupdict().items() if text is not None}, **said}
                if said.keys() == match.groupdict().keys():
                    break
        self.keep_numbers(said)

    def keep_numbers(self, said: dict[str, Any]) -> None:
        """Keep the numbers among what was said."""
        for name, kind in NUMBERS.items():
            try:
                value = kind(str(said[name]).replace(",", "").replace("_", ""))
            except (KeyError, ValueError):
                continue
            if kind is float or 0 <= value <= LARGEST:
                self.seen[name] = value


def read_modification_time(path: Path) -> int:
    """When it was written, in seconds since 1970; 0 if there is no such file."""
    try:
        return int(path.stat().st_mtime)
    except OSError:
        return 0


def read_tail(path: str) -> bytes:
    """The end of a regular file, and nothing of any other."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            start = max(status.st_size - LINE_BYTES, 0)
            return os.pread(file.fileno(), LINE_BYTES, start) if stat.S_ISREG(status.st_mode) else b""
    except OSError:
        return b""
