"""`dsgen logs`: print the output of a run."""

import os
import re
from typing import Any

import click

from dsgen.cli._cluster import parse_seconds, raw_option, run_options
from dsgen.cli._console import echo, echo_error, is_ci, is_terminal, write
from dsgen.cli._options import combine
from dsgen.cluster.logs import (
    LogChoice,
    LogFollower,
    LogLimits,
    LogOutput,
    LogSource,
    list_tails,
    read_logs,
    remark_on_choice,
    select_sources,
)
from dsgen.cluster.report import Report
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from dsgen.problems.safe_text import escape_output

BRIGHT, PLAIN = "\x1b[36m", "\x1b[0m"

choice_options = combine(
    click.option("--launcher", is_flag=True, help="The log of the launcher."),
    click.option("--status", is_flag=True, help="The log of the sidecar in the launcher pod."),
    click.option("--init", is_flag=True, help="The logs of the init containers."),
    click.option("--worker", type=click.IntRange(0), metavar="N", help="The log of worker N."),
    click.option("--rank", type=click.IntRange(0), metavar="N", help="The lines of rank N, or of its worker."),
    click.option("--previous", is_flag=True, help="The logs of pods that were replaced."),
)


@click.command("logs")
@run_options("--values")
@choice_options
@click.option("-f", "--follow", is_flag=True, help="Follow the log until the run ends, across restarts and lost pods.")
@click.option("--since", default="", metavar="TIME", help="Only lines newer than TIME, such as 90s, 30m or 2h.")
@click.option("--tail", type=click.IntRange(0), metavar="N", help="Only the last N lines of each container.")
@click.option("--timestamps", is_flag=True, help="Print the time of the node before each line.")
@click.option("--grep", default="", metavar="REGEX", help="Only lines that match.")
@raw_option
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
        raise UsageError(f"--grep {given['grep']}: {error}") from error
    limits = LogLimits(given["tail"], parse_seconds(given["since"]) if given["since"] else None)
    if given["follow"]:
        ended = follow(ref, wanted, show, limits)
        return choose_exit_code(ended) if given["exit_code"] else EXIT_OK
    return _print_once(ref, wanted, show, limits)


def _refuse_what_excludes_itself(given: dict[str, Any]) -> None:
    wheres = ("launcher", "status", "worker", "rank")
    chosen = [f"--{name}" for name in wheres if given[name] is not None and given[name] is not False]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} are mutually exclusive")
    if given["exit_code"] and not given["follow"]:
        raise UsageError("--exit-code belongs to --follow: dsgen wait says whether a run has succeeded")


class Show:
    """Prints lines, with labels if there are several containers, coloured on a terminal.

    Unless they are wanted `raw`, no line does anything to a terminal or a CI system.
    """

    def __init__(
        self, timestamps: bool = False, pattern: re.Pattern[bytes] = re.compile(b""), raw: bool = False
    ) -> None:
        self.timestamps, self.pattern, self.raw, self.labels = timestamps, pattern, raw, False
        self.colored = is_terminal("stdout") and not is_ci() and not os.environ.get("NO_COLOR")

    def write_output(self, one: LogOutput) -> None:
        """Print a line, or a remark to standard error."""
        if isinstance(one, str):
            echo_error(one)
        else:
            self.write_line(*one)

    def write_line(self, source: LogSource, line: bytes) -> None:
        stamp, _, text = line.partition(b" ")
        before = stamp + b" " if self.timestamps else b""
        if self.pattern.search(before + text):
            if not self.raw:
                text = escape_output(text.decode(errors="surrogateescape"), self.colored).encode()
            write(self.format_label(source).encode() + before + text + b"\n")

    def format_label(self, source: LogSource) -> str:
        if not self.labels:
            return ""
        return f"{BRIGHT}{source.label}{PLAIN} " if self.colored else f"{source.label} "


def _print_once(ref: RunRef, wanted: LogChoice, show: Show, limits: LogLimits) -> int:
    state = ref.read_state()
    sources = select_sources(state, wanted)
    show.labels = len(sources) > 1
    if remark := remark_on_choice(state, wanted):
        echo_error(remark)
    if not sources:
        kept = list(list_tails(state.record))
        echo_error(
            "the pods are deleted; the last lines in the record:"
            if kept
            else "no such pods, and no lines in the record"
        )
        echo(kept)
        return EXIT_OK if kept else EXIT_FINDINGS
    for log in read_logs(ref, state, sources, limits):
        show.write_output(log)
    return EXIT_OK


def follow(ref: RunRef, wanted: LogChoice, show: Show, limits: LogLimits) -> Report:
    """Print the lines of a run until it has ended; returns its last report."""
    follower = LogFollower(ref, wanted, limits)
    for one in follower.follow():
        show.labels = follower.has_several
        show.write_output(one)
    assert follower.report
    return follower.report


def choose_exit_code(report: Report) -> int:
    """The exit code of an ended run; 1 for a failed run without one."""
    if report["phase"] == "Succeeded":
        return EXIT_OK
    code = report["exitCode"]
    return code if isinstance(code, int) and 0 < code < 256 else EXIT_FINDINGS
