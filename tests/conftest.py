"""`pytest --update` rewrites golden files instead of comparing with them, but not in CI. Skipped tests are counted."""

import contextlib
import json
from collections import Counter

import pytest

from tests.cli.conftest import cli, folder  # noqa: F401  # fixtures


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite golden files")


def pytest_configure(config: pytest.Config) -> None:
    # tests/e2e/gitops writes once, at the end
    is_parallel = config.getoption("numprocesses", None) and not any("tests/e2e" in each for each in config.args)
    if config.getoption("--update") and is_parallel:
        raise pytest.UsageError("--update writes files that other tests read: leave out -n")


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
