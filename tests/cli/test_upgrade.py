"""A repository of jobs that one release of dsgen has rendered, and another one renders again."""

import json
import os
import pty
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dsgen import __version__, api
from dsgen.language.environment import PACKAGE
from dsgen.values import SourceText
from dsgen.writer import INDEX, frozen_text
from dsgen.writer.index import checksum
from tests.cli.conftest import MINIMAL, Cli
from tests.unit.test_index import spoil

MANY = int(os.environ.get("DSGEN_UPGRADE_JOBS", "12"))
MUTATIONS = int(os.environ.get("DSGEN_UPGRADE_MUTATIONS", "20"))
OLD = "0.0.9"
JOBS = ("cifar", "mnist", "sst")
VALUES = MINIMAL.read_text() + "lifecycle:\n  suspend: false\n"

# What a release may do to every object, whatever renders them.
OTHER_TEMPLATES = """

_present = render


def render(values, release):
    from dsgen.records import replace
    return [replace(one, text="# by another release\\n" + one.text) for one in _present(values, release)]
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with another release of dsgen: its version, scripts, templates and defaults are others."""
    folder = tmp_path_factory.mktemp("release")
    package = folder / "dsgen"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    edit(package / "__init__.py", __version__, OLD)
    for script in (package / "generated" / "scripts").glob("*.py"):
        script.write_text(script.read_text() + "# other words\n")
    schema = package / "schema" / "values.json"
    found = json.loads(schema.read_text())
    found["properties"]["lifecycle"]["properties"]["orphanTimeoutSeconds"]["default"] += 7
    schema.write_text(json.dumps(found))
    module = package / "render.py" if (package / "render.py").exists() else package / "render" / "__init__.py"
    module.write_text(module.read_text() + OTHER_TEMPLATES)
    return folder


@pytest.fixture(scope="module")
def repository(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Values files, and the manifests and a chart as the other release wrote them."""
    folder = tmp_path_factory.mktemp("repository")
    for name in JOBS:
        (folder / f"{name}.yaml").write_text(VALUES.replace("cifar", name))
    by(release, folder, "render", *(f"{name}.yaml" for name in JOBS), "-o", "out")
    by(release, folder, "chart", "cifar.yaml", "-o", "chart")
    return folder


@pytest.fixture
def upgraded(repository: Path, folder: Path) -> Path:
    """A copy of the repository, the working folder."""
    shutil.copytree(repository, folder, dirs_exist_ok=True)
    return folder


def by(release: Path, folder: Path, *arguments: str) -> None:
    """Run a release."""
    environment = {**os.environ, "PYTHONPATH": str(release)}
    subprocess.run([sys.executable, "-m", "dsgen", *arguments], cwd=folder, env=environment, check=True)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new))


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != INDEX
    }


def of_run(found: dict[str, str]) -> dict[str, str]:
    """The files of runs, which have their label, and their scripts."""
    return {path: text for path, text in found.items() if "dsgen.dev/run:" in text or "-scripts-" in path}


FILES = [f"{name}.yaml" for name in JOBS]


# ---- nothing of a run changes ----


def test_the_releases_differ(upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-o", "new")
    old, new = of_run(contents(upgraded / "out")), of_run(contents(upgraded / "new"))

    assert [] == [path for path in old if old[path] == new.get(path)]


def test_an_upgrade_changes_no_run_refuses_nothing_and_a_new_job_is_written(upgraded: Path, cli: Cli) -> None:
    before = contents(upgraded / "out")
    new_job = (upgraded / "cifar.yaml").read_text().replace("cifar", "added")
    (upgraded / "added.yaml").write_text(new_job)

    code, out, err = cli("render", *FILES, "added.yaml", "-o", "out")
    after = contents(upgraded / "out")

    assert (0, "") == (code, err)
    assert [f"out/{name}: run 1 kept as dsgen {OLD} wrote it" for name in JOBS] == [
        line for line in out.splitlines() if "kept" in line
    ]
    assert of_run(before) == {path: text for path, text in of_run(after).items() if not path.startswith("added/")}
    assert "added/job-added-1-worker.yaml" in after
    assert [] == [path for path, text in after.items() if path not in of_run(after) and "another release" in text]


def test_afterwards_the_folder_is_up_to_date(upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-o", "out")
    before = {path: path.read_bytes() for path in upgraded.rglob(INDEX)}

    code, out, err = cli("render", *FILES, "-o", "out", "--check")
    assert (0, "") == (code, err)
    assert "".join(f"out/{name}: run 1 kept as dsgen {OLD} wrote it\n" for name in JOBS) == out
    assert 0 == cli("render", *FILES, "-o", "out").code
    assert before == {path: path.read_bytes() for path in upgraded.rglob(INDEX)}


def test_the_other_release_finds_its_run_again(release: Path, upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-o", "out")

    before = of_run(contents(upgraded / "out"))
    by(release, upgraded, "render", *FILES, "-o", "out")

    assert before == of_run(contents(upgraded / "out"))


@pytest.mark.parametrize("line", ["  suspend: true\n", ""], ids=["suspended", "not managed"])
def test_suspend_alone_changes_in_a_run_that_is_kept(upgraded: Path, cli: Cli, line: str) -> None:
    before = of_run(contents(upgraded / "out" / "cifar"))
    assert 2 == sum("  suspend: false\n" in text for text in before.values())
    edit(upgraded / "cifar.yaml", "  suspend: false\n", line or "  {}\n")

    assert 0 == cli("render", *FILES, "-o", "out").code

    assert {path: text.replace("  suspend: false\n", line) for path, text in before.items()} == of_run(
        contents(upgraded / "out" / "cifar")
    )
    if not line:  # and back again
        edit(upgraded / "cifar.yaml", "  {}\n", "  suspend: true\n")
        assert 0 == cli("render", *FILES, "-o", "out").code
        after = contents(upgraded / "out" / "cifar")
        specs = [yaml.safe_load(text)["spec"] for path, text in after.items() if path.startswith("job-")]
        assert [True, True] == [spec["suspend"] for spec in specs]


def test_a_new_run_is_of_this_release(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", 'id: "1"', 'id: "2"')

    assert 0 == cli("render", *FILES, "-o", "out").code

    assert "another release" not in "".join(contents(upgraded / "out" / "cifar").values())


def test_refresh_writes_a_kept_run_anew(upgraded: Path, cli: Cli) -> None:
    assert 0 == cli("render", *FILES, "-o", "out", "--refresh").code
    assert (0, "", "") == cli("render", *FILES, "-o", "out", "--check")
    assert "another release" not in "".join(contents(upgraded / "out").values())

    code, _, err = cli("render", *FILES, "--set", "workers.replicas=4", "-o", "out", "--refresh")
    assert (1, True) == (code, "DS903" in err)


@pytest.mark.parametrize("what", ["edited", "deleted"])
def test_a_kept_file_that_is_not_as_it_was_is_refused(upgraded: Path, cli: Cli, what: str) -> None:
    path = upgraded / "out" / "cifar" / "job-cifar-1-worker.yaml"
    path.write_text("mine") if what == "edited" else path.unlink()

    code, _, err = cli("render", *FILES, "-o", "out")

    assert 1 == code
    assert "out/cifar/job-cifar-1-worker.yaml" in err
    assert f"only dsgen {OLD} can write it: restore it from version control" in err


def test_an_index_without_values_compares_bytes(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    path.write_text(json.dumps({key: part for key, part in json.loads(path.read_text()).items() if key != "values"}))

    code, _, err = cli("render", *FILES, "-o", "out")

    assert 1 == code
    assert "cifar.yaml:4:11: error:" in err
    assert "[DS903]" in err
    assert f"does not contain the values that dsgen {OLD} rendered" in err


def test_values_of_then_that_this_release_refuses_are_said(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    found = json.loads(path.read_text())
    found["values"]["workers"]["gone"] = 3
    path.write_text(json.dumps(found))

    code, _, err = cli("render", *FILES, "-o", "out")

    assert 1 == code
    assert 'run "1" would change: workers.gone: 3 -> not set' in err
    assert f"dsgen {OLD} accepted the old values, but dsgen {__version__} does not: " in err


# ---- edits under another release ----

EDIT = {
    ("workers", "replicas"): ("{replicas: 2}", "{replicas: 3}"),
    ("image", "tag"): ("tag: v3", "tag: v4"),
    ("training", "args", 1): ('"3"', '"5"'),
    ("training", "python"): ("/workspace/train.py", "/workspace/other.py"),
    ("storage", "checkpoints", "mountPath"): ("mountPath: /checkpoints", "mountPath: /saved"),
    ("storage", "checkpoints", "create", "size"): ("size: 100Gi", "size: 200Gi"),
    ("lifecycle", "suspend"): ("suspend: false", "suspend: true"),
    (): ("# A complete", "# Complete"),
}
HARMLESS = {("storage", "checkpoints", "create", "size"), ("lifecycle", "suspend"), ()}


def test_an_edit_is_refused_exactly_when_the_run_differs(release: Path, folder: Path, cli: Cli) -> None:
    """Each job has edits of its own, and each refused key is named with its line. DSGEN_UPGRADE_JOBS=100 tries more."""
    names = [f"job{number:03}" for number in range(MANY)]
    files = [f"{name}.yaml" for name in names]
    for name in names:
        (folder / f"{name}.yaml").write_text(VALUES.replace("cifar", name))
    by(release, folder, "render", *files, "-o", "out")
    written = of_run(contents(folder / "out"))
    (folder / "added.yaml").write_text(VALUES.replace("cifar", "added"))

    assert (0, "") == cli("render", *files, "added.yaml", "-o", "out")[::2]
    assert written == {key: text for key, text in of_run(contents(folder / "out")).items() if "added" not in key}
    assert (folder / "out" / "added" / INDEX).exists()

    edits = {f"{name}.yaml": edited(folder / f"{name}.yaml", random.Random(name)) for name in names}
    changed = {file for file in files if differ(VALUES, (folder / file).read_text())}
    before = contents(folder / "out")
    code, out, _ = cli("render", *files, "-o", "out", "--keep-going", "--format", "json")
    problems = json.loads(out)["diagnostics"]

    assert changed == {file for file in files if {*edits[file]} - HARMLESS}
    assert (1, {"DS903"}) == (code, {one["id"] for one in problems})
    refused = [(file, dotted(path)) for file in files for path in edits[file] if path not in HARMLESS]
    assert sorted(refused) == sorted((one["file"], one["path"]) for one in problems)
    for one in problems:
        path = next(path for path in edits[one["file"]] if dotted(path) == one["path"])
        new = EDIT[path][1].removeprefix("{").split(": ")[-1].removesuffix("}")
        line = (folder / one["file"]).read_text().splitlines()[one["line"] - 1]
        assert line[one["column"] - 1 :].startswith(new)
    assert kept(before, changed) == kept(contents(folder / "out"), changed)


def edited(file: Path, chance: random.Random) -> list[tuple[str | int, ...]]:
    """Some edits of a file."""
    edits = chance.sample(sorted(EDIT, key=str), chance.choice([1, 1, 2, 3]))
    for path in edits:
        edit(file, *EDIT[path])
    return edits


def kept(found: dict[str, str], files: set[str]) -> dict[str, str]:
    """What is in the folders of these jobs."""
    return {path: text for path, text in found.items() if f"{path.partition('/')[0]}.yaml" in files}


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(map(str, path)).replace(".1", "[1]")


def differ(old: str, new: str) -> bool:
    """Whether objects of the run differ between two values files, apart from name and `suspend`."""

    def run(text: str) -> list[str]:
        job = api.load(SourceText("values.yaml", text))
        objects = [one for one in api.render(job) if "dsgen.dev/run: " in one.text]
        return [frozen_text(one.text).replace(job.release.name, "NAME") for one in objects]

    return run(old) != run(new)


# ---- the refusal ----


def test_a_refusal_is_told_in_every_form(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    told = 'run "1" would change: workers.replicas: 2 -> 4, in Job cifar-1-worker spec.parallelism'
    call = ("render", *FILES, "-o", "out")

    assert f"cifar.yaml:6:21: error: {told} [DS903]\n    workers: {{replicas: 4}}" in cli(*call).err
    assert told == json.loads(cli(*call, "--format", "json").out)["diagnostics"][0]["message"]
    (result,) = json.loads(cli(*call, "--check", "--format", "sarif").out)["runs"][0]["results"]
    assert ("DS903", 6) == (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
    assert cli(*call, "--format", "github").out.startswith("::error file=cifar.yaml,line=6,col=21,title=")


@pytest.mark.usefixtures("upgraded")
def test_secrets_in_a_refusal_are_stars(cli: Cli) -> None:
    code, _, err = cli("render", *FILES, "--set", "training.env.URL=https://user:hunter2@example.com/x", "-o", "out")

    assert (1, True) == (code, "training.env" in err)
    assert "hunter2" not in err


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("size: 100Gi", "size: 50Gi", "storage.checkpoints.create.size"),
        ("size: 100Gi", "size: 100Gi, storageClass: fast", "storage.checkpoints.create.storageClass"),
        ("size: 100Gi", "size: 100Gi, accessModes: [ReadWriteOnce]", "storage.checkpoints.create.accessModes"),
    ],
)
def test_a_claim_cannot_change(upgraded: Path, cli: Cli, old: str, new: str, key: str) -> None:
    edit(upgraded / "cifar.yaml", old, new)
    before = contents(upgraded / "out")

    for target in (("render", *FILES, "-o", "out"), ("chart", "cifar.yaml", "-o", "chart")):
        code, _, err = cli(*target)
        assert 1 == code
        assert f"error: a claim cannot change: {key}: " in err
        assert "cifar.yaml:11:" in err
    assert before == contents(upgraded / "out")

    (upgraded / "out" / "cifar" / "persistentvolumeclaim-cifar-checkpoints.yaml").unlink()
    assert 0 == cli("render", *FILES, "-o", "out").code


def test_a_claim_that_only_the_release_writes_otherwise_is_kept(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / "persistentvolumeclaim-cifar-checkpoints.yaml"
    index = path.with_name(INDEX)
    old = path.read_text()
    new = old.replace("ReadWriteMany", "ReadWriteOncePod")
    assert new != old
    path.write_text(new)
    found = json.loads(index.read_text())
    found["files"][path.name]["sha256"] = checksum(new.encode())
    index.write_text(json.dumps(found))

    assert 0 == cli("render", *FILES, "-o", "out").code
    assert new == path.read_text()
    assert 0 == cli("render", *FILES, "-o", "out", "--check").code


# ---- one job of several ----


@pytest.mark.parametrize("what", ["a changed run", "a damaged index"])
def test_keep_going_writes_the_other_jobs(upgraded: Path, cli: Cli, what: str) -> None:
    if what == "a changed run":
        edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    else:
        (upgraded / "out" / "cifar" / INDEX).write_text("{")
    edit(upgraded / "mnist.yaml", 'id: "1"', 'id: "2"')
    (upgraded / "added.yaml").write_text((upgraded / "sst.yaml").read_text().replace("sst", "added"))
    call = ("render", *FILES, "added.yaml", "-o", "out")
    before = contents(upgraded / "out")

    assert (1 if what == "a changed run" else 3) == cli(*call).code
    assert before == contents(upgraded / "out")
    code, out, err = cli(*call, "--keep-going")

    after = contents(upgraded / "out")
    assert 1 == code
    assert ("DS903" if what == "a changed run" else "is invalid") in err
    assert {"mnist/job-mnist-2-worker.yaml", "added/job-added-1-worker.yaml"} <= set(after)
    assert (
        contents(upgraded / "out" / "cifar").items()
        <= {path.removeprefix("cifar/"): text for path, text in before.items()}.items()
    )
    assert "out/cifar" not in out


# ---- replace ----


def test_replace_without_a_terminal_needs_yes(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    call, before = ("render", *FILES, "-o", "out", "--replace"), contents(upgraded / "out")

    code, _, err = cli(*call)
    assert (2, True) == (code, "Never replace a run that was applied" in err)
    assert before == contents(upgraded / "out")

    assert 0 == cli(*call, "--yes").code
    worker = yaml.safe_load((upgraded / "out" / "cifar" / "job-cifar-1-worker.yaml").read_text())
    assert 4 == worker["spec"]["parallelism"]
    assert of_run(contents(upgraded / "out" / "mnist")) == {
        path.removeprefix("mnist/"): text for path, text in of_run(before).items() if path.startswith("mnist/")
    }


@pytest.mark.parametrize(("answer", "code", "replicas"), [(b"n\n", 1, 2), (b"y\n", 0, 4)])
def test_replace_asks_on_a_terminal(upgraded: Path, answer: bytes, code: int, replicas: int) -> None:
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")
    master, slave = pty.openpty()
    call = [sys.executable, "-m", "dsgen", "render", *FILES, "-o", "out", "--replace"]
    os.write(master, answer)

    done = subprocess.run(call, stdin=slave, capture_output=True, text=True, check=False)

    assert code == done.returncode
    assert 'run "1" of job training/cifar' in done.stderr
    assert "Never replace a run that was applied" in done.stderr
    worker = yaml.safe_load((upgraded / "out" / "cifar" / "job-cifar-1-worker.yaml").read_text())
    assert replicas == worker["spec"]["parallelism"]
    for end in (master, slave):
        os.close(end)


# ---- charts ----


def test_a_chart_stays_as_it_was_written(upgraded: Path, cli: Cli) -> None:
    before = contents(upgraded / "chart")

    code, out, err = cli("chart", "cifar.yaml", "-o", "chart")

    assert (0, "") == (code, err)
    assert f"chart: run 1 kept as dsgen {OLD} wrote it\n" in out
    assert before == contents(upgraded / "chart")
    assert 0 == cli("chart", "cifar.yaml", "-o", "chart", "--check").code
    edit(upgraded / "cifar.yaml", "suspend: false", "suspend: true")
    assert 0 == cli("chart", "cifar.yaml", "-o", "chart").code
    changed = {path: text for path, text in contents(upgraded / "chart").items() if text != before[path]}
    assert {"values.yaml": before["values.yaml"].replace("  suspend: false\n", "  suspend: true\n")} == changed


def test_a_changed_run_of_a_chart_is_refused(upgraded: Path, cli: Cli) -> None:
    before = contents(upgraded / "chart")
    edit(upgraded / "cifar.yaml", "{replicas: 2}", "{replicas: 4}")

    code, _, err = cli("chart", "cifar.yaml", "-o", "chart")
    assert 1 == code
    assert 'cifar.yaml:6:21: error: run "1" would change: workers.replicas: 2 -> 4, in Job cifar-1-worker' in err
    assert before == contents(upgraded / "chart")

    edit(upgraded / "cifar.yaml", 'id: "1"', 'id: "2"')
    assert 0 == cli("chart", "cifar.yaml", "-o", "chart").code


def test_lasting_objects_of_a_chart_of_another_release_need_a_new_run(upgraded: Path, cli: Cli) -> None:
    edit(upgraded / "cifar.yaml", "size: 100Gi", "size: 200Gi")

    code, _, err = cli("chart", "cifar.yaml", "-o", "chart")
    assert (1, True) == (code, "storage.checkpoints.create.size" in err)
    assert f"dsgen {OLD} wrote the chart, and this dsgen would replace all of it" in err

    assert 0 == cli("chart", "cifar.yaml", "-o", "own").code
    edit(upgraded / "cifar.yaml", "size: 200Gi", "size: 300Gi")
    assert 0 == cli("chart", "cifar.yaml", "-o", "own").code


# ---- harm ----


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_spoilt_values_in_an_index_never_harm(upgraded: Path, cli: Cli, seed: int) -> None:
    """Never a traceback. DSGEN_UPGRADE_MUTATIONS=2000 tries more."""
    path, chance = upgraded / "out" / "cifar" / INDEX, random.Random(seed)
    found = json.loads(path.read_text())
    for _ in range(chance.randint(1, 3)):
        spoil(found["values"], chance)
    path.write_text(json.dumps(found))

    code, _, err = cli("render", *FILES, "-o", "out")

    assert code in (0, 1, 3)
    assert "internal error" not in err
    assert code == 0 or "out/cifar" in err or "DS90" in err


@pytest.mark.parametrize("depth", [150, 900, 100_000])
def test_values_of_any_depth_are_a_message(upgraded: Path, cli: Cli, depth: int) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    found = json.loads(path.read_text())
    text = json.dumps({**found, "values": "HERE"}).replace('"HERE"', '{"global": ' + "[" * depth + "]" * depth + "}")
    path.write_text(text)

    code, _, err = cli("render", *FILES, "-o", "out")

    assert code in (1, 3)
    assert "internal error" not in err
