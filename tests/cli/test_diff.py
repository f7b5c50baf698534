"""`dsgen diff` shows what a render would change."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dsgen.runs import differences
from dsgen.writer import INDEX
from tests.cli.conftest import JOB, Cli, bytes_in, put
from tests.cli.test_bump import edit

OUT = ("cifar.yaml", "-d", "out")


def test_no_difference(cli: Cli) -> None:
    cli("render", *OUT)

    assert (0, "out: job training/cifar, no difference\n", "") == cli("diff", *OUT)


MEASURED_DIFF = """
import sys, tracemalloc
from dsgen.cli import main
tracemalloc.start()
main(["diff"])
print(tracemalloc.get_traced_memory()[1], file=sys.stderr)
"""


def test_the_texts_of_many_jobs_are_not_kept(repository: Path) -> None:
    """The scripts of one job have 200 KB."""
    settings = (repository / "dsgen.yaml").read_text()
    matrix = "matrix: [{jobs: [jobs/a/values.yaml], variables: {a: [%s]}, values: {name: 'many-{a}'}}]\n"
    put(repository / "jobs/a/values.yaml", JOB)
    peaks = []
    for count in (5, 45):
        put(repository / "dsgen.yaml", f"{settings}{matrix % ', '.join(map(str, range(count)))}")
        run = subprocess.run([sys.executable, "-c", MEASURED_DIFF], capture_output=True, text=True, check=True)
        assert count <= run.stdout.count(", new job")
        peaks.append(int(run.stderr))

    assert peaks[1] - peaks[0] < 40 * 60_000


def test_a_kustomization_is_compared_where_it_is_asked_for(cli: Cli) -> None:
    cli("render", *OUT, "--kustomization")

    assert 1 == cli("diff", *OUT)[0]
    assert (0, "out: job training/cifar, no difference\n", "") == cli("diff", *OUT, "--kustomization")
    assert (
        "\n  Kustomization kustomization.yaml:\n    resources"
        in cli("diff", *OUT, "--kustomization", "--set", "run.id=2").out
    )


def test_a_new_job(cli: Cli, folder: Path) -> None:
    code, out, err = cli("diff", *OUT)

    assert (1, "") == (code, err)
    assert out.startswith("out: job training/cifar, new job\n  PersistentVolumeClaim cifar-checkpoints: new\n") or (
        "  PersistentVolumeClaim cifar-checkpoints: new\n" in out
    )
    assert not (folder / "out").exists()


def test_a_new_run_shows_what_differs_and_no_more(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    edit(folder, "replicas: 2", "replicas: 3")
    edit(folder, 'id: "1"', 'id: "2"')
    before = bytes_in(folder / "out")

    code, out, err = cli("diff", *OUT)

    assert (1, "") == (code, err)
    assert out.startswith("out: job training/cifar, new run 2\n")
    assert "  Job cifar-1-worker -> cifar-2-worker:\n" in out
    assert "    spec.parallelism: 2 -> 3\n" in out
    assert "  Service cifar-1 -> cifar-2: the same but for the name of the run\n" in out
    assert "      -" in out  # the hostfile, line by line
    assert "      +cifar-2-worker-2" in out.replace("+cifar-2-worker-2.cifar-2", "+cifar-2-worker-2")
    assert before == bytes_in(folder / "out")


def test_a_field_of_a_container_has_its_name(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    edit(folder, 'id: "1"', 'id: "2"')

    out = cli("diff", *OUT, "--set", "image.tag=v99").out

    line = next(line for line in out.splitlines() if "containers[worker].image" in line)
    assert line.startswith("    spec.template.spec.containers[worker].image: registry")
    assert line.endswith(":v99")


def test_what_is_refused_is_shown_with_the_reason(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("diff", *OUT)

    assert 1 == code
    assert out.startswith("out: job training/cifar, refused\n")
    assert "    spec.parallelism: 2 -> 3\n" in out
    assert 'run "1" would change: workers.replicas: 2 -> 3' in err


def test_suspend_only(cli: Cli) -> None:
    cli("render", *OUT)

    code, out, _ = cli("diff", *OUT, "--set", "lifecycle.suspend=true")

    assert (1, True) == (code, out.startswith("out: job training/cifar, suspend only\n"))
    assert "    spec.suspend: " in out


def test_an_object_that_goes_away(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    text = (folder / "cifar.yaml").read_text()
    (folder / "cifar.yaml").write_text(text.partition("storage:")[0].replace('id: "1"', 'id: "2"'))

    assert "  PersistentVolumeClaim cifar-checkpoints: removed\n" in cli("diff", *OUT).out


def test_json(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    edit(folder, "replicas: 2", "replicas: 3")
    edit(folder, 'id: "1"', 'id: "2"')

    code, out, _ = cli("diff", *OUT, "-o", "json")

    report: dict[str, Any] = json.loads(out)
    job = report["jobs"][0]
    assert (1, 1, False) == (code, report["version"], report["equal"])
    assert ("out", "job training/cifar", "new run 2", False) == tuple(
        job[key] for key in ("folder", "owner", "status", "equal")
    )
    worker = next(one for one in job["objects"] if one["name"] == "cifar-2-worker")
    assert ("Job", "cifar-1-worker", "changed") == (worker["kind"], worker["was"], worker["change"])
    assert {"path": "spec.parallelism", "old": 2, "new": 3} in worker["fields"]


def test_markdown(cli: Cli, folder: Path) -> None:
    cli("render", *OUT)
    edit(folder, 'id: "1"', 'id: "2"')

    code, out, _ = cli("diff", *OUT, "--set-string", "training.env.A=a|b<c>\nnext", "-o", "markdown")

    assert 1 == code
    head, table_head = out.splitlines()[0], out.splitlines()[2]
    assert "### <code>out</code>: job training/cifar, new run 2" == head
    assert "| object | field | before | after |" == table_head
    assert out.endswith("0 of 1 jobs without a difference.\n")
    table = [line for line in out.splitlines() if line.startswith("|")]
    assert {5} == {line.count("|") for line in table}
    assert "<c>" not in out
    assert "ConfigMap cifar-1-config -&gt; cifar-2-config, <code>data.hostfile</code>:" in out.splitlines()


SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: "cifar-ssh"
  labels:
    a: "{}"
data:
  key: "{}"
"""


def test_nothing_of_a_secret_is_shown() -> None:
    old, new = (differences.parse_object(SECRET.format(*words)) for words in (("x", "SECRET1"), ("y", "SECRET2")))

    shown = [differences.hide_secrets(one, "Secret") for one in differences.compare_fields(old, new)]

    assert [("metadata.labels.a", "x", "y"), ("data.key", differences.HIDDEN, differences.HIDDEN)] == [
        (one.path, one.old, one.new) for one in shown
    ]


def test_an_image_whose_name_looks_like_a_run(cli: Cli, folder: Path) -> None:
    edit(folder, "args: [", "args: [cifar-10, cifar-1, ")
    cli("render", *OUT)
    edit(folder, 'id: "1"', 'id: "2"')
    edit(folder, "cifar-10", "cifar-100")

    out = cli("diff", *OUT).out

    assert "cifar-100" in out
    assert "cifar-20" not in out


def test_a_repository(cli: Cli, repository: Path) -> None:
    cli("render")
    assert 0 == cli("diff").code
    (repository / "jobs/b/values.yaml").unlink()
    put(repository / "rendered/training/cifar" / INDEX, "{")

    code, out, err = cli("diff")

    assert 1 == code
    assert "rendered/research/cifar: job research/cifar, removed from the repository\n  " in out
    assert ": removed\n" in out
    assert "rendered/training/cifar: job training/cifar, refused\n" in out
    assert f"  rendered/training/cifar/{INDEX} is invalid" in out
    assert "" == err


@pytest.mark.parametrize("arguments", [("cifar.yaml",), ("-d", "out"), ()])
def test_usage(arguments: tuple[str, ...], cli: Cli) -> None:
    assert 2 == cli("diff", *arguments).code


# ---- charts ----

CHART = ("cifar.yaml", "-d", "chart", "--chart")


def test_a_chart_is_compared_file_by_file(cli: Cli, folder: Path) -> None:
    assert 0 == cli("chart", "cifar.yaml", "-d", "chart").code
    assert (0, "chart: chart cifar, no difference\n", "") == cli("diff", *CHART)
    edit(folder, 'id: "1"', 'id: "2"')

    code, out, err = cli("diff", *CHART)

    assert (1, "") == (code, err)
    assert out.startswith("chart: chart cifar, new run 2\n  File values.yaml:\n    text:\n      @@ ")
    assert '\n      -  id: "1"\n      +  id: "2"\n' in out
    assert 1 == out.count("  File ")


def test_a_chart_that_would_be_refused(cli: Cli, folder: Path) -> None:
    cli("chart", "cifar.yaml", "-d", "chart")
    (folder / "chart" / "NOTES.txt").write_text("mine, beside the chart's own")
    (folder / "chart" / "templates" / "NOTES.txt").unlink()
    before = bytes_in(folder / "chart")
    edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("diff", *CHART)

    assert (1, True) == (code, 'run "1" would change: workers.replicas: 2 -> 3' in err)
    assert out.startswith("chart: chart cifar, refused\n  File templates/NOTES.txt: new\n  File values.yaml:\n")
    assert before == bytes_in(folder / "chart")


def test_charts_of_a_repository(cli: Cli, repository: Path) -> None:
    (repository / "jobs" / "b" / "values.yaml").unlink()
    assert 0 == cli("chart").code
    assert (0, "charts/training/cifar: chart cifar, no difference\n", "") == cli("diff", "--chart")

    (repository / "jobs" / "a").rename(repository / "a")
    put(repository / "jobs" / "c" / "values.yaml", (repository / "a" / "values.yaml").read_text().replace("cifar", "x"))
    code, out, _ = cli("diff", "--chart")

    assert 1 == code
    assert "charts/training/cifar: chart cifar, removed from the repository\n  File .helmignore: removed\n" in out
    assert "charts/training/x: chart x, new job\n  File .helmignore: new\n" in out
    assert "| File values.yaml: new |" in cli("diff", "--chart", "-o", "markdown").out


def test_a_chart_is_of_one_job(cli: Cli) -> None:
    code, _, err = cli("diff", "cifar.yaml", "mnist.yaml", "-d", "chart", "--chart")

    assert (2, "dsgen: a chart has the values of one job: give one FILE\n") == (code, err)
