"""An upgrade does not change the chart of a job that another release wrote."""

from pathlib import Path

from tests.cli.conftest import Cli, texts_in
from tests.cli.upgrade.conftest import OLD, edit


def test_a_chart_stays_as_it_was_written(upgraded: Path, cli: Cli) -> None:
    before = texts_in(upgraded / "chart")

    code, out, err = cli("chart", "cifar.yaml", "-d", "chart")

    assert (0, "") == (code, err)
    assert f"chart: run 1 kept as dsgen {OLD} wrote it\n" in out
    assert before == texts_in(upgraded / "chart")
    assert 0 == cli("chart", "cifar.yaml", "-d", "chart", "--check").code
    edit(upgraded / "cifar.yaml", "suspend: false", "suspend: true")
    assert 0 == cli("chart", "cifar.yaml", "-d", "chart").code
    changed = {path: text for path, text in texts_in(upgraded / "chart").items() if text != before[path]}
    assert {"values.yaml": before["values.yaml"].replace("  suspend: false\n", "  suspend: true\n")} == changed


def test_a_changed_run_of_a_chart_is_refused(upgraded: Path, cli: Cli) -> None:
    before = texts_in(upgraded / "chart")
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")

    code, _, err = cli("chart", "cifar.yaml", "-d", "chart")
    assert 1 == code
    assert 'cifar.yaml:6:21: error: run "1" would change: workers.replicas: 2 -> 4, in Job cifar-1-worker' in err
    assert before == texts_in(upgraded / "chart")

    edit(upgraded / "cifar.yaml", 'id: "1"', 'id: "2"')
    assert 0 == cli("chart", "cifar.yaml", "-d", "chart").code


def test_lasting_objects_of_a_chart_of_another_release_need_a_new_run(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "size: 100Gi", "size: 200Gi")

    code, _, err = cli("chart", "cifar.yaml", "-d", "chart")
    assert (1, True) == (code, "storage.checkpoints.create.size" in err)
    assert f"dsgen {OLD} wrote the chart, and this dsgen would replace all of it" in err

    assert 0 == cli("chart", "cifar.yaml", "-d", "own").code
    edit(upgraded / "cifar.yaml", "size: 200Gi", "size: 300Gi")
    assert 0 == cli("chart", "cifar.yaml", "-d", "own").code
