"""`dsgen logs`: print the output of a run."""

import os
import queue
import re
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import click

from dsgen.cli._cluster import PATIENCE_SECONDS, NotFoundError, RunRef, reported, run_options
from dsgen.cli._console import echo, echo_error, is_ci, stdout_is_terminal, write
from dsgen.cli.wait import seconds
from dsgen.cluster.logs import (
    BEGUN,
    LogChoice,
    LogLines,
    LogSource,
    count_left_out,
    count_ranks,
    find_unclear_method,
    list_tails,
    select_sources,
)
from dsgen.cluster.models import RunState, format_time
from dsgen.cluster.phase import ENDS
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, ApiError, DsgenError, UsageProblem
from dsgen.problems.escaping import output

BRIGHT, PLAIN = "\x1b[36m", "\x1b[0m"
RETRY_SECONDS = 1
NOT_YET, GONE = 400, 404  # the answers of the API server for a container that has not started, and for a missing pod

_CHOICES = [
    click.option("--launcher", is_flag=True, help="The log of the launcher."),
    click.option("--status", is_flag=True, help="The log of the sidecar in the launcher pod."),
    click.option("--init", is_flag=True, help="The logs of the init containers."),
    click.option("--worker", type=click.IntRange(0), metavar="N", help="The log of worker N."),
    click.option("--rank", type=click.IntRange(0), metavar="N", help="The lines of rank N, or of its worker."),
    click.option("--previous", is_flag=True, help="The logs of pods that were replaced."),
]


def choices(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that select containers to a command."""
    for option in reversed(_CHOICES):
        command = option(command)
    return command


def with_raw(command: Callable[..., int]) -> Callable[..., int]:
    """Add the option that prints lines as they are."""
    return click.option("--raw", is_flag=True, help="Print lines unchanged, with their control characters.")(command)


@click.command("logs")
@run_options("--values")
@choices
@click.option("-f", "--follow", is_flag=True, help="Follow the log until the run ends, across restarts and lost pods.")
@click.option("--since", default="", metavar="TIME", help="Only lines newer than TIME, such as 90s, 30m or 2h.")
@click.option("--tail", type=click.IntRange(0), metavar="N", help="Only the last N lines of each container.")
@click.option("--timestamps", is_flag=True, help="Print the time of the node before each line.")
@click.option("--grep", default="", metavar="REGEX", help="Only lines that match.")
@with_raw
@click.option("--exit-code", is_flag=True, help="With --follow: exit with the exit code of the run.")
def command(ref: RunRef, **given: Any) -> int:
    """Print the output of a run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. With ssh, the log of the launcher has the output of
    all ranks. Without ssh, each worker has its own log; if there are more than 16 workers, only the first and the last
    are shown. If the pods are deleted, the last lines in the record are printed.

    Control characters are escaped, and of a progress bar the last state is printed. Colors are kept on a terminal. If
    the output is not a terminal, or in CI, workflow commands such as ::set-output are escaped, too.

    \b
    Examples:
      dsgen logs cifar
      dsgen logs cifar -f --exit-code
      dsgen logs training/cifar --rank 3 --since 10m
      dsgen logs cifar --worker 0
    """
    _refuse_what_excludes_itself(given)
    wanted = LogChoice(**{name: given[name] for name in LogChoice._fields})
    try:
        show = Show(given["timestamps"], re.compile(given["grep"].encode()), given["raw"])
    except re.error as error:
        raise UsageProblem(f"--grep {given['grep']}: {error}") from error
    limits = Limits(given["tail"], seconds(given["since"]) if given["since"] else None)
    if given["follow"]:
        ended = Following(ref, wanted, show, limits).run()
        return exit_code(ended) if given["exit_code"] else EXIT_OK
    return _once(ref, wanted, show, limits)


def _refuse_what_excludes_itself(given: dict[str, Any]) -> None:
    wheres = ("launcher", "status", "worker", "rank")
    chosen = [f"--{name}" for name in wheres if given[name] is not None and given[name] is not False]
    if len(chosen) > 1:
        raise UsageProblem(f"{' and '.join(chosen)} are mutually exclusive")
    if given["exit_code"] and not given["follow"]:
        raise UsageProblem("--exit-code belongs to --follow: dsgen wait says whether a run has succeeded")


class Limits(NamedTuple):
    """How many lines of each container there may be at first, and how many seconds old."""

    tail: int | None = None
    seconds: float | None = None

    def since(self, state: RunState) -> str:
        """The time from which on lines are wanted; empty for all."""
        return "" if self.seconds is None else format_time(state.now - self.seconds) or ""


class Show:
    """Prints lines, with labels if there are several containers, coloured on a terminal.

    Unless they are wanted `raw`, no line does anything to a terminal or a CI system.
    """

    def __init__(
        self, timestamps: bool = False, pattern: re.Pattern[bytes] = re.compile(b""), raw: bool = False
    ) -> None:
        self.timestamps, self.pattern, self.raw, self.labels = timestamps, pattern, raw, False
        self.colored = stdout_is_terminal() and not is_ci() and not os.environ.get("NO_COLOR")

    def line(self, source: LogSource, line: bytes) -> None:
        stamp, _, text = line.partition(b" ")
        before = stamp + b" " if self.timestamps else b""
        if self.pattern.search(before + text):
            write(self.label(source).encode() + before + (text if self.raw else self.escaped(text)) + b"\n")

    def escaped(self, text: bytes) -> bytes:
        return output(text.decode(errors="surrogateescape"), self.colored).encode()

    def label(self, source: LogSource) -> str:
        if not self.labels:
            return ""
        return f"{BRIGHT}{source.label}{PLAIN} " if self.colored else f"{source.label} "


def _chosen(state: RunState, wanted: LogChoice) -> list[LogSource]:
    if method := find_unclear_method(state, wanted):
        raise NotFoundError(f"launch.method {method} does not show which rank wrote a line: leave out --rank")
    return select_sources(state, wanted)


def _more(state: RunState, wanted: LogChoice) -> str:
    """A note that some workers are left out, or that lines of other ranks are shown."""
    if count := count_left_out(state, wanted):
        return f"{count} more workers: --worker N shows one"
    if count := count_ranks(state, wanted):
        return (
            f"most lines show their worker, not their rank: these are the lines of its {count} ranks, except those that"
            " name another rank; training.rankLogs writes a file for each rank"
        )
    return ""


def _once(ref: RunRef, wanted: LogChoice, show: Show, limits: Limits) -> int:
    state = ref.state()
    containers = _chosen(state, wanted)
    show.labels = len(containers) > 1
    if more := _more(state, wanted):
        echo_error(more)
    if not containers:
        kept = list(list_tails(state.record))
        echo_error(
            "the pods are deleted; the last lines in the record:"
            if kept
            else "no such pods, and no lines in the record"
        )
        echo(kept)
        return EXIT_OK if kept else EXIT_FINDINGS
    for source in containers:
        lines = LogLines(ref.cluster, ref.namespace, source, limits.since(state))
        try:
            for line in lines.connect(False, "" if limits.tail is None else str(limits.tail)):
                show.line(source, line)
        except ApiError as error:
            if error.status not in (NOT_YET, GONE):
                raise
            echo_error(str(error))
    return EXIT_OK


class Following:
    """Follows a run: one thread watches it and starts a thread per container; the main thread prints."""

    def __init__(self, ref: RunRef, wanted: LogChoice, show: Show, limits: Limits) -> None:
        self.ref, self.wanted, self.show = ref, wanted, show
        # --tail 0 with --follow: the lines since now.
        self.limits = limits._replace(tail=None, seconds=limits.seconds or 0) if limits.tail == 0 else limits
        self.printed: queue.Queue[tuple[LogSource, bytes] | str | dict[str, Any] | DsgenError] = queue.Queue(10_000)
        self.threads: dict[LogSource, threading.Thread] = {}

    def run(self) -> dict[str, Any]:
        """Print until the run has ended; returns its last report."""
        threading.Thread(target=self.watch, daemon=True).start()
        while True:
            printed = self.printed.get()
            if isinstance(printed, tuple):
                self.show.line(*printed)
            elif isinstance(printed, str):
                echo_error(printed)
            elif isinstance(printed, DsgenError):
                raise printed
            else:
                return printed

    def watch(self) -> None:
        since: str | None = None
        try:
            for state in self.ref.looks():
                made = reported(state)
                if since is None:
                    since = self.limits.since(state)
                    if more := _more(state, self.wanted):
                        self.printed.put(more)
                self.start(state, since)
                self.show_wait(made)
                if made["phase"] in ENDS:
                    self.end(made)
                    return
        except DsgenError as error:
            self.printed.put(error)

    def start(self, state: RunState, since: str) -> None:
        """Follow the containers that have started since the last call."""
        containers = _chosen(state, self.wanted)
        self.show.labels = len({source.label for source in containers}) > 1
        for source in containers:
            if source not in self.threads:
                lines = LogLines(self.ref.cluster, self.ref.namespace, source, since)
                thread = threading.Thread(target=self.follow, args=(lines,), daemon=True)
                self.threads[source] = thread
                thread.start()

    said = ""

    def show_wait(self, made: dict[str, Any]) -> None:
        """Print the reason of waiting when it changes; nothing while the run is running."""
        text = ": ".join(made[key] for key in ("phase", "reason", "message") if made[key])
        if text != self.said and made["phase"] not in ("Running", "Starting"):
            self.printed.put(text)
        self.said = text

    def end(self, made: dict[str, Any]) -> None:
        """Wait a moment for the ends of the containers after the run."""
        until = time.monotonic() + PATIENCE_SECONDS / 10
        for thread in self.threads.values():
            thread.join(max(until - time.monotonic(), 0))
        self.printed.put(made)

    def follow(self, lines: LogLines) -> None:
        """Print the lines of one container until it has ended or its pod is deleted."""
        tail = str(self.limits.tail or "")
        while True:
            try:
                state = lines.state()
                if state not in BEGUN:
                    tail = ""  # the container is followed from its start
                else:
                    for line in lines.connect(state == "running", tail):
                        self.printed.put((lines.source, line))
                    if state == "terminated":
                        return
            except ApiError as error:  # the API server or the kubelet is unavailable
                if error.status == GONE:
                    return
            time.sleep(RETRY_SECONDS)


def exit_code(made: dict[str, Any]) -> int:
    """The exit code of an ended run; 1 for a failed run without one."""
    if made["phase"] == "Succeeded":
        return EXIT_OK
    code = made["exitCode"]
    return code if isinstance(code, int) and 0 < code < 256 else EXIT_FINDINGS
