"""Fixtures, and the rows of the table, which are written to the page if pytest is run with --update."""

from collections.abc import Callable

import pytest

from tests.e2e import cluster
from tests.e2e.cluster import Namespace
from tests.e2e.gitops import table

rows: list[str] = []


@pytest.fixture
def record_row(record_property: Callable[[str, object], None]) -> Callable[[table.Row], None]:
    """Keeps a row; it travels with the test's report, also from another process."""
    return lambda row: record_property("row", row.line)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        rows.extend(str(value) for name, value in report.user_properties if name == "row")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if rows and session.config.getoption("--update") and not hasattr(session.config, "workerinput"):
        table.update(rows)


@pytest.fixture
def live() -> Callable[[str], Namespace]:
    """Finds a namespace of these tests by its name."""
    return lambda name: next(each for each in cluster.live if each.name == name)
