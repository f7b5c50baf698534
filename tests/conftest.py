"""`pytest --update` rewrites golden files instead of comparing with them, but not in CI. Skipped tests are counted."""

import contextlib
import json
import os
from collections import Counter

import pytest
from hypothesis import settings

from tests import programs
from tests.cli.conftest import cli, folder  # noqa: F401  # fixtures

settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite golden files")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("CI") and (missing := programs.explain_missing()):
        raise pytest.UsageError(missing)
    # tests/e2e/gitops writes once, at the end
    is_parallel = config.getoption("numprocesses", None) and not any("tests/e2e" in each for each in config.args)
    if config.getoption("--update") and is_parallel:
        raise pytest.UsageError("--update writes files that other tests read: leave out -n")


def pytest_report_header() -> str:
    return programs.explain_missing()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        programs.require(*marker.args)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is compared with both majors of Helm is slow with the older one.

    With DSGEN_TEST_TURN=K/N, run only every N-th of what takes turns, from the K-th on.

    With `by_turns("name")` on tests of a module, the values of this parameter take turns; with `by_turns` on modules,
    these do. All of them are numbered together, so that no turn has much more to do than another.
    """
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.callspec.params.get("major") == 3:
            item.add_marker("slow")
    if "DSGEN_TEST_TURN" not in os.environ:
        return
    turn, turns = map(int, os.environ["DSGEN_TEST_TURN"].split("/"))
    numbers: dict[str, int] = {}
    now, later = [], []
    for item in items:
        marker = item.get_closest_marker("by_turns")
        member = item.nodeid.partition("::")[0]
        if marker and marker.args:
            value = item.callspec.params[marker.args[0]]  # type: ignore[attr-defined]  # not of every Item
            member += f" {marker.args[0]}={value}"
        has_turn = not marker or numbers.setdefault(member, len(numbers)) % turns == turn % turns
        (now if has_turn else later).append(item)
    config.hook.pytest_deselected(items=later)
    items[:] = now


def pytest_make_parametrize_id(val: object) -> str | None:
    """The id of a case: the words of a command line, or the data as JSON, and not the number of the case."""
    if isinstance(val, list | tuple) and val and all(isinstance(word, str) for word in val):
        return " ".join(val).encode("unicode_escape").decode()[:80]
    if isinstance(val, dict | list | tuple):
        with contextlib.suppress(TypeError, ValueError):
            return json.dumps(val)[:80]
    return None


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are rewritten."""
    return bool(request.config.getoption("--update"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason to skip tests: how many, and what to install or set."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, count in Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped).most_common():
        terminalreporter.write_line(f"{count} {'test' if count == 1 else 'tests'} skipped: {reason}")
