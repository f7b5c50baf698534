"""On the first worker, before an attempt: converts the newest checkpoint if another number of ranks has saved it.

    worker/resize.py TOKEN WORLD

It writes reports to standard error, each a line with TOKEN and JSON: {"message": "..."} while it converts, and at the
end {"result": RESULT, "message": "...", "configuration": PATH}. RESULT is `nothing` (the checkpoint has the size of the
world, or needs no conversion), `ready`, `refused` or `failed`. PATH is the DeepSpeed configuration for the attempt.

DeepSpeed reads a converted ("universal") checkpoint with any number of ranks if its configuration says load_universal;
it then takes the tag in `latest_universal` instead of that in `latest`. A conversion is made in a folder of its own,
beside the tag, and `latest_universal` is written when it is complete, so a conversion that was killed is never read.
What an earlier one left is removed first.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shared import exchange, methods, processes, settings
from worker import end_ranks
from worker.checkpoint import Checkpoint, UnusableCheckpointError, Wanted, explain_refusal, format_names, inspect

PREFIX = ".dsgen-universal."
LATEST = "latest_universal"
SOURCE = "source.json"  # in a complete conversion: which files it was made from
STATES = ("fp32", "exp_avg", "exp_avg_sq")
# Fragments and merged states exist at the same time: three numbers of four bytes each, twice.
BYTES_PER_PARAMETER = 24
STALL_SECONDS, REPORT_SECONDS = 900, 10
TICK_SECONDS = 0.2  # between looks at the converter and the clock
LOG_BYTES = 2000


class FailedError(Exception):
    """The conversion failed."""


class Resize:
    """The decision for one attempt, and the conversion."""

    def __init__(self, run: settings.Settings, ranks: int, report: Callable[[dict[str, Any]], None]) -> None:
        self.root = Path(run.resize_checkpoint)
        self.configuration = json.loads((settings.ROOT / run.resize_config.lstrip("/")).read_text(encoding="utf-8"))
        given = self.configuration.get("checkpoint")
        self.checkpoint_settings = given if isinstance(given, dict) else {}
        zero = self.configuration.get("zero_optimization")
        stage = zero.get("stage", 0) if isinstance(zero, dict) else None
        self.wanted = Wanted(ranks, stage if isinstance(stage, int) else None, run.resize_loads_frozen)
        self.report = report

    def run(self) -> dict[str, Any]:
        """The last report."""
        if self.checkpoint_settings.get("load_universal"):
            said = "the DeepSpeed configuration has checkpoint.load_universal: each attempt would load an old"
            return {"result": "refused", "message": f"{said} conversion; remove it, dsgen sets it where it is needed"}
        try:
            found = inspect(self.root)
            if found is None or found.ranks == self.wanted.ranks:
                self.remove_conversions()
                return {"result": "nothing"}
            against = explain_refusal(found, self.wanted)
            change = f"{found.tag} of {found.ranks} ranks cannot be continued with {self.wanted.ranks}"
            if against:
                return {"result": "refused", "message": f"{change}: {against}"}
            return self.prepare(found)
        except UnusableCheckpointError as error:
            return {"result": "refused", "message": f"checkpoint in {self.root}: {error}"}
        except FailedError as error:
            return {"result": "failed", "message": str(error)}

    def prepare(self, found: Checkpoint) -> dict[str, Any]:
        """Convert the checkpoint, unless that was done before."""
        folder = self.find_conversion(found)
        if folder is None:
            self.remove_conversions()
            folder = self.convert(found)
        path = folder / "ds_config.json"
        checkpoint = {**self.checkpoint_settings, "load_universal": True}
        exchange.replace(path, json.dumps({**self.configuration, "checkpoint": checkpoint}).encode())
        message = f"{found.tag} is converted from {found.ranks} to {self.wanted.ranks} ranks"
        return {"result": "ready", "message": message, "configuration": str(path)}

    def find_conversion(self, found: Checkpoint) -> Path | None:
        """The folder of a complete conversion of these very files."""
        name = (exchange.read_content(found.folder / LATEST) or b"").decode("utf-8", "replace").partition("/")[0]
        folder = found.folder / name
        made_from = exchange.read_content(folder / SOURCE, limit=1 << 24) if name.startswith(PREFIX) else None
        return folder if made_from == identify_files(found) else None

    def convert(self, found: Checkpoint) -> Path:
        """Convert the checkpoint into a new folder."""
        needed = BYTES_PER_PARAMETER * sum(found.parameters.values())
        needed += sum(path.stat().st_size for path in found.files if "model_states" in path.name)
        free = shutil.disk_usage(found.folder).free
        if free < needed:
            raise UnusableCheckpointError(
                f"the conversion needs {format_gib(needed)}, and {found.folder} has {format_gib(free)} free"
            )
        change = f"converting {found.tag} from {found.ranks} to {self.wanted.ranks} ranks"
        folder = found.folder / f"{PREFIX}{os.urandom(8).hex()}"
        try:
            folder.mkdir()
            made_from = identify_files(found)
            output = folder / found.tag
            self.report({"message": f"{change}: {format_gib(0)} of about {format_gib(needed)} written"})
            self.run_converter(prepare_input_folder(found, folder), output, folder / "log", change, needed)
            missing = [
                f"{state} of {name}"
                for name in found.parameters
                for state in STATES
                if not (output / "zero" / name / f"{state}.pt").is_file()
            ]
            if missing:
                raise FailedError(f"the conversion of {found.tag} has no {format_names(missing)}")
            if identify_files(found) != made_from:
                raise FailedError(f"{found.tag} was changed while it was converted")
            exchange.replace(folder / SOURCE, made_from)
            exchange.replace(found.folder / LATEST, f"{folder.name}/{found.tag}".encode())
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise FailedError(f"{error.filename}: {error.strerror}") from error
            raise
        return folder

    def run_converter(self, given: Path, output: Path, log: Path, change: str, needed: int) -> None:
        """Run DeepSpeed's converter, and end it when it has written nothing for too long."""
        module = ["-m", "deepspeed.checkpoint.ds_to_universal", "--inject_missing_state"]
        folders = ["--input_folder", str(given), "--output_folder", str(output)]
        command = [methods.find_interpreter() or "python3", *module, *folders]
        with log.open("wb") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )
        written, changed, reported = 0, time.monotonic(), float("-inf")
        try:
            while process.poll() is None:
                now = time.monotonic()
                if now - reported >= REPORT_SECONDS:
                    before, written, reported = written, count_bytes(output), now
                    changed = now if written != before else changed
                    self.report({"message": f"{change}: {format_gib(written)} of about {format_gib(needed)} written"})
                if now - changed > STALL_SECONDS:
                    raise FailedError(f"the conversion has written nothing for {STALL_SECONDS} s")
                time.sleep(TICK_SECONDS)
        finally:
            processes.kill_group(process.pid)
            process.wait()
        if process.returncode:
            lines = log.read_bytes()[-LOG_BYTES:].decode("utf-8", "replace").strip().splitlines()
            sys.stderr.write("".join(f"[dsgen] | {line}\n" for line in lines))
            said = lines[-1] if lines else "without a message"
            raise FailedError(f"the conversion ended with exit code {process.returncode}: {said}")

    def remove_conversions(self) -> None:
        """Remove what earlier conversions have left; `latest_universal` first."""
        for folder in (self.root, *self.root.glob("checkpoint-*")):
            if (exchange.read_content(folder / LATEST) or b"").startswith(PREFIX.encode()):
                (folder / LATEST).unlink()
            for left in folder.glob(f"{PREFIX}*"):
                end_converter(left)
                shutil.rmtree(left, ignore_errors=True)


def end_converter(folder: Path) -> None:
    """Kill a converter that still writes into a folder, because only this script was killed.

    Again until there is none: while it lives, it replaces helpers that were killed.
    """
    name, listed = os.fsencode(folder), end_ranks.list_processes
    processes.kill(
        lambda: [pid for pid, one in listed().items() if any(name in word for word in one.argv)], lambda: None
    )


def identify_files(found: Checkpoint) -> bytes:
    """The identity of the files of a checkpoint."""
    states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in found.files]
    return json.dumps({"tag": found.tag, "files": states}).encode()


def prepare_input_folder(found: Checkpoint, folder: Path) -> Path:
    """The folder for the converter, which reads all files in it: without files of other checkpoints."""
    present = {path for path in (found.folder / found.tag).iterdir() if path.name.endswith("_states.pt")}
    if present == set(found.files):
        return found.folder / found.tag
    links = folder / "input"
    links.mkdir()
    for path in found.files:
        (links / path.name).symlink_to(path)
    return links


def count_bytes(folder: Path) -> int:
    """The bytes of all files below a folder, which may be removed meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(f"{path}/{name}").st_size  # noqa: PTH116  # many of them
    return total


def format_gib(number: int) -> str:
    return f"{number / (1 << 30):.2f} GiB"


def main(arguments: list[str]) -> int:
    token, ranks = arguments

    def write_report(report: dict[str, Any]) -> None:
        os.write(2, f"{token} dsgen-resize {json.dumps(report)}\n".encode())

    try:
        report = Resize(settings.load(), int(ranks), write_report).run()
    except Exception as error:  # whatever happens, the launcher hears of it
        report = {"result": "failed", "message": f"{type(error).__name__}: {error}"}
    write_report(report)
    return 0
