"""`dsgen render`: one stream, folders, several jobs, names."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import MINIMAL, Cli
from tests.parity import documents


def names(text: str) -> list[str]:
    """`Kind name` of every object in a stream."""
    return [f"{each['kind']} {each['metadata']['name']}" for each in documents(text)]


def workers(text: str) -> int:
    """The number of workers in a stream."""
    jobs = [each for each in documents(text) if each["kind"] == "Job" and "completions" in each["spec"]]
    return jobs[0]["spec"]["completions"]


def files(directory: Path) -> list[str]:
    """All files below a folder but the indexes."""
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*.yaml"))


def test_prints_one_stream_of_objects(cli: Cli) -> None:
    code, out, err = cli("render", "cifar.yaml")

    assert (0, "") == (code, err)
    assert {"Job cifar-1-worker", "Job cifar-1-launcher", "PersistentVolumeClaim cifar-checkpoints"} <= set(names(out))
    assert len(names(out)) - 1 == out.count("\n---\n")


def test_a_job_without_its_scripts_is_small(cli: Cli) -> None:
    sizes = {}
    for path in sorted(MINIMAL.parent.glob("*.yaml")):
        cli("render", path, "--set", "runtime.create=false", "-d", f"{path.stem}/job")
        texts = [each.read_text() for each in Path(path.stem, "job").iterdir()]
        sizes[path.stem] = sum(len(text.encode()) for text in texts)
        if path == MINIMAL:
            assert (14, True) == (len(texts), sum(text.count("\n") for text in texts) <= 720)

    assert sizes["minimal"] <= 25_000
    assert {} == {name: size for name, size in sizes.items() if not 0 < size <= 30_000}


def test_overlays_are_merged_in_order(cli: Cli, folder: Path) -> None:
    (folder / "more.yaml").write_text("workers: {replicas: 7}\n")

    assert 4 == workers(cli("render", "cifar.yaml", "-f", "prod.yaml").out)
    assert 7 == workers(cli("render", "cifar.yaml", "-f", "prod.yaml", "-f", "more.yaml").out)
    assert 5 == workers(cli("render", "cifar.yaml", "-f", "prod.yaml", "--set", "workers.replicas=5").out)


def test_overlays_alone_are_one_job(cli: Cli) -> None:
    assert cli("render", "cifar.yaml", "-f", "prod.yaml") == cli("render", "-f", "cifar.yaml", "-f", "prod.yaml")


def test_overlays_are_laid_over_every_file(cli: Cli) -> None:
    out = cli("render", "cifar.yaml", "mnist.yaml", "-f", "prod.yaml").out

    assert [4, 4] == [each["spec"]["completions"] for each in documents(out) if "completions" in each.get("spec", {})]


def test_sets_are_helms(cli: Cli, folder: Path) -> None:
    (folder / "text").write_text("export X=1\n")
    _, out, err = cli(
        *("render", "cifar.yaml", "--set", "training.args={a,b}", "--set-string", "run.id=3"),
        *("--set-json", 'labels={"team":"vision"}', "--set-file", "training.setup=text"),
    )

    assert "" == err
    assert {"a", "b"} <= set(out.replace('"', " ").replace("\\", " ").split())
    assert "Job cifar-3-worker" in names(out)
    assert {"vision"} == {each["metadata"]["labels"]["team"] for each in documents(out)}
    assert "export X=1" in out


def test_no_values_at_all_is_wrong_usage(cli: Cli) -> None:
    code, out, err = cli("render")

    assert (2, "") == (code, out)
    assert "give a values file" in err


def test_stdin_twice_is_wrong_usage(cli: Cli) -> None:
    assert 2 == cli("render", "-", "-").code
    assert 2 == cli("render", "-", "-f", "-").code


# ---- names ----


NAMELESS = "image: {repository: a}\ntraining: {python: t.py}\n"


def test_missing_names_are_problems_of_the_file(cli: Cli) -> None:
    code, out, err = cli("render", "-", stdin=NAMELESS)

    assert (1, "") == (code, out)
    assert "<stdin>:1:1: error: name is missing" in err
    assert "<stdin>:1:1: error: namespace is missing" in err
    assert "--name" in err
    assert "-n training" in err


def test_names_of_the_command_line_fill_the_gaps(cli: Cli) -> None:
    out = cli("render", "-", "--name", "x", "-n", "y", stdin=NAMELESS).out

    assert "Job x-1-worker" in names(out)
    assert {"y"} == {each["metadata"]["namespace"] for each in documents(out)}


def test_names_of_the_command_line_may_repeat_the_files(cli: Cli) -> None:
    assert cli("render", "cifar.yaml") == cli("render", "cifar.yaml", "--name", "cifar", "-n", "training")


@pytest.mark.parametrize(
    ("flag", "key", "expected"),
    [("--name", "name", "cifar"), ("-n", "namespace", "training")],
    ids=["name", "namespace"],
)
def test_another_name_than_the_files_is_wrong_usage(cli: Cli, flag: str, key: str, expected: str) -> None:
    code, out, err = cli("render", "cifar.yaml", flag, "other")

    assert (2, "") == (code, out)
    assert f"cifar.yaml has {key}: {expected}, but {flag} is other; to replace the value, use --set {key}=other" in err


@pytest.mark.parametrize(
    ("flag", "key", "name"),
    [("--name", "name", "Cifar_1"), ("-n", "namespace", "a.b"), ("--name", "name", "1a")],
)
def test_an_impossible_name_is_wrong_usage_in_the_words_of_the_schema(cli: Cli, flag: str, key: str, name: str) -> None:
    code, out, err = cli("render", "-", "--name", "ok", "-n", "ok", flag, name, stdin=NAMELESS)

    rule = "xpected: lower-case letters, digits and hyphens, "  # with a capital after a suggestion
    assert (2, "") == (code, out)
    assert err.startswith(f'dsgen: {flag}: {key} cannot be "{name}"; ')
    assert rule in err
    assert rule in cli("validate", "-", "--set-string", f"{key}={name}", stdin=NAMELESS).err


def test_one_name_for_two_jobs_is_wrong_usage(cli: Cli) -> None:
    assert 2 == cli("render", "cifar.yaml", "mnist.yaml", "--name", "x").code


def test_two_jobs_with_one_name_are_an_error_at_the_second(cli: Cli, folder: Path) -> None:
    (folder / "twin.yaml").write_text((folder / "cifar.yaml").read_text())

    code, out, err = cli("render", "cifar.yaml", "mnist.yaml", "twin.yaml")

    assert (1, "") == (code, out)
    assert "twin.yaml:1:1: error: cifar.yaml describes the same job, training/cifar" in err


# ---- folders ----


def test_folder_has_one_object_per_file(cli: Cli, folder: Path) -> None:
    stream = cli("render", "cifar.yaml").out
    code, out, err = cli("render", "cifar.yaml", "-d", "out")

    assert (0, "") == (code, err)
    assert (
        f"out: job training/cifar, {len(names(stream))} files ({len(names(stream))} written, 0 removed, 0 unchanged)\n"
        == out
    )
    expected = sorted(f"{kind.lower()}-{name}.yaml" for kind, name in (each.split() for each in names(stream)))
    assert expected == files(folder / "out")
    objects = re.split("^---\n", stream, flags=re.MULTILINE)
    assert sorted(objects) == sorted((folder / "out" / name).read_text() for name in expected)


def test_a_job_never_gets_two_places_below_one_folder(cli: Cli) -> None:
    cli("render", "cifar.yaml", "-d", "one")
    cli("render", "cifar.yaml", "mnist.yaml", "-d", "many")

    assert (2, "out of one") == (cli("render", "cifar.yaml", "mnist.yaml", "-d", "one").code, "out of one")
    code, _, err = cli("render", "cifar.yaml", "-d", "many")
    assert (2, True) == (code, "use -d many/cifar" in err)
    assert 0 == cli("render", "cifar.yaml", "-d", "many/cifar").code


def test_same_name_in_two_namespaces_needs_two_folders(cli: Cli, folder: Path) -> None:
    (folder / "b.yaml").write_text((folder / "cifar.yaml").read_text().replace("training", "b", 1))

    assert 0 == cli("render", "cifar.yaml", "b.yaml").code
    code, _, err = cli("render", "cifar.yaml", "b.yaml", "-d", "out")
    assert (2, True) == (code, "two jobs are named cifar" in err)
    assert not (folder / "out").exists()


def test_dry_run_says_what_would_be_done(cli: Cli, folder: Path) -> None:
    code, out, _ = cli("render", "cifar.yaml", "-d", "out", "--dry-run")

    assert (0, True) == (code, "would write out/job-cifar-1-worker.yaml\n" in out)
    assert not (folder / "out").exists()


def test_check_without_a_folder_is_wrong_usage(cli: Cli) -> None:
    assert 2 == cli("render", "cifar.yaml", "--check").code
    assert 2 == cli("render", "cifar.yaml", "--dry-run").code


def test_renders_of_one_folder_at_once_leave_what_one_would(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "mnist.yaml", "-d", "one")
    command = [sys.executable, "-m", "dsgen", "render", "cifar.yaml", "mnist.yaml", "-d", "out"]

    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(4)]
    said = [process.communicate()[0] for process in running]

    assert [0] * 4 == [process.returncode for process in running], said
    one, many = (
        {path.relative_to(folder / top): path.read_text() for path in (folder / top).rglob("*") if path.is_file()}
        for top in ("one", "out")
    )
    assert one == many
