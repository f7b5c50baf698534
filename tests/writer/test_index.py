"""The index of a folder: damaged, merged, of another version, lost, and with the line ends of Windows."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgen import __version__
from dsgen.errors import EXIT_FINDINGS, DsgenError
from dsgen.writer import INDEX, Changes, Destination, Plan, RefusedError, compare, write
from dsgen.writer.folder import is_path
from tests.cli.conftest import bytes_in

MUTATIONS = int(os.environ.get("DSGEN_INDEX_MUTATIONS", "150"))

OBJECT = """apiVersion: v1
kind: {kind}
metadata:
  name: cifar-{run}
  labels:
    dsgen.dev/job: "cifar"
    "team": "vision"
    dsgen.dev/run: "{run}"
data:
  text: {text}
"""


def job(run: str = "1", text: str = "x", paths: tuple[str, ...] = ("job", "role")) -> Plan:
    """A plan of a job: objects of the run, and one of the job."""
    files = {f"{kind}-cifar-{run}.yaml": OBJECT.format(kind=kind, run=run, text=text) for kind in paths}
    return Plan("job training/cifar", {**files, "claim.yaml": "kind: Claim\n"}, run, frozenset(files))


def put(directory: Path, plan: Plan) -> Changes:
    place = Destination(directory)
    changes = compare(place, plan)
    write(place, plan, changes)
    return changes


def index_of(directory: Path) -> dict[str, Any]:
    return json.loads((directory / INDEX).read_text())


# ---- versions ----


def older(directory: Path) -> None:
    """As an earlier version of dsgen would have written the folder."""
    text = (directory / INDEX).read_text()
    (directory / INDEX).write_text(text.replace(f'"dsgen": "{__version__}"', '"dsgen": "0.0.1"'))


def test_a_version_that_has_nothing_to_do_leaves_the_index_alone(tmp_path: Path) -> None:
    put(tmp_path, job())
    older(tmp_path)
    before = (tmp_path / INDEX).read_bytes()

    assert Changes() == put(tmp_path, job())
    assert before == (tmp_path / INDEX).read_bytes()


def test_a_run_keeps_the_version_that_wrote_it(tmp_path: Path) -> None:
    put(tmp_path, job())
    older(tmp_path)

    put(tmp_path, job("2"))

    assert __version__ == index_of(tmp_path)["dsgen"]
    assert {"1": "0.0.1", "2": __version__} == {run: one["dsgen"] for run, one in index_of(tmp_path)["runs"].items()}


def version_1(directory: Path) -> None:
    """The index as version 1 had it."""
    index = index_of(directory)
    runs = {run: one["sha256"] for run, one in index["runs"].items()}
    old = {"version": 1, "owner": index["owner"], "run": index["run"], "runs": runs, "files": index["files"]}
    (directory / INDEX).write_text(json.dumps(old, indent=2) + "\n")


def test_version_1_is_read_and_becomes_version_2(tmp_path: Path) -> None:
    put(tmp_path, job())
    version_1(tmp_path)

    with pytest.raises(RefusedError, match=r'run "1" .* would change: job-cifar-1\.yaml, role-cifar-1\.yaml'):
        put(tmp_path, job(text="y"))
    assert Changes() == put(tmp_path, job())
    assert (2, {"sha256", "dsgen"}) == (index_of(tmp_path)["version"], set(index_of(tmp_path)["runs"]["1"]))


@pytest.mark.parametrize(("version", "known"), [("0.9.0", "dsgen 0.9.0"), (None, "a newer dsgen"), ("\x1b", "a newer")])
def test_a_folder_of_a_newer_dsgen_is_refused_with_its_version(tmp_path: Path, version: str | None, known: str) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"version": 3, "dsgen": version, "anything": "else"}))

    with pytest.raises(
        RefusedError, match=f"{tmp_path} was written by {known}.*, this is {__version__}: use that"
    ) as error:
        put(tmp_path, job())

    assert EXIT_FINDINGS == error.value.exit_code
    assert [INDEX] == [path.name for path in tmp_path.iterdir()]


# ---- Git ----


def windows(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def test_line_ends_of_windows_are_no_edit(tmp_path: Path) -> None:
    put(tmp_path, job())
    for path in tmp_path.iterdir():
        windows(path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    assert not compare(Destination(tmp_path), job()).stale
    assert Changes() == put(tmp_path, job())
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RefusedError, match="would change"):
        put(tmp_path, job(text="y"))
    assert ("job-cifar-2.yaml", "role-cifar-2.yaml") == put(tmp_path, job("2")).write


def test_an_edit_in_a_file_with_line_ends_of_windows_is_one(tmp_path: Path) -> None:
    put(tmp_path, job())
    (tmp_path / "claim.yaml").write_text("kind: Mine\n")
    windows(tmp_path / "claim.yaml")

    with pytest.raises(RefusedError, match=r"claim\.yaml was edited since dsgen wrote it"):
        put(tmp_path, job())


def test_texts_that_dsgen_writes_have_line_ends_of_unix(tmp_path: Path) -> None:
    put(tmp_path, Plan("x", {"a.yaml": "a\nb\n"}))

    assert b"\r" not in (tmp_path / "a.yaml").read_bytes() + (tmp_path / INDEX).read_bytes()


def git(where: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=where, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_merge_of_two_branches_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two branches have rendered other runs; the words of the message are carried out."""
    monkeypatch.chdir(tmp_path)
    out = Path("out")
    git(tmp_path, "init", "-b", "main")
    for branch, run in (("main", "1"), ("theirs", "2"), ("ours", "3")):
        git(tmp_path, "checkout", "main")
        git(tmp_path, "checkout", "-B", branch)
        put(out, job(run))
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-m", run)
    assert "CONFLICT" in git(tmp_path, "merge", "theirs")

    with pytest.raises(DsgenError, match=f"{INDEX} has the conflict markers of a Git merge: two branches") as error:
        put(out, job("4"))
    subprocess.run(str(error.value).splitlines()[1], shell=True, cwd=tmp_path, check=True)

    put(out, job("4"))
    assert {INDEX, "claim.yaml", "job-cifar-4.yaml", "role-cifar-4.yaml"} == {path.name for path in out.iterdir()}
    assert {"1", "3", "4"} == set(index_of(out)["runs"])


# ---- lost ----


def test_a_lost_index_made_anew_knows_the_runs_that_the_files_show(tmp_path: Path) -> None:
    put(tmp_path, job("1"))
    before = index_of(tmp_path)["runs"]["1"]["sha256"]
    (tmp_path / INDEX).unlink()

    put(tmp_path, job("2"))

    assert before == index_of(tmp_path)["runs"]["1"]["sha256"]
    for path in ("job-cifar-1.yaml", "role-cifar-1.yaml"):
        (tmp_path / path).unlink()
    with pytest.raises(RefusedError, match=r'run "1" .* would change'):
        put(tmp_path, job("1", "y"))
    put(tmp_path, job("1"))


@pytest.mark.parametrize(
    ("plan", "changed"),
    [
        (job("1", "y"), "job-cifar-1.yaml, role-cifar-1.yaml"),
        (job("1", paths=("job",)), "role-cifar-1.yaml"),
    ],
    ids=["changed", "gone"],
)
def test_a_run_that_the_files_show_does_not_change_under_its_id(tmp_path: Path, plan: Plan, changed: str) -> None:
    put(tmp_path, job("1"))
    (tmp_path / INDEX).unlink()

    with pytest.raises(RefusedError) as refusal:
        put(tmp_path, plan)

    assert f'run "1" of job training/cifar was rendered into {tmp_path} before and would change: {changed}\n' in str(
        refusal.value
    )
    assert f"{tmp_path / INDEX}, which recorded them, is missing" in str(refusal.value)
    assert "in the way" not in str(refusal.value)


def test_a_lost_index_is_no_matter_where_nothing_else_changes(tmp_path: Path) -> None:
    put(tmp_path, job("1"))
    before = index_of(tmp_path)
    (tmp_path / INDEX).unlink()
    (tmp_path / "role-cifar-1.yaml").unlink()

    put(tmp_path, job("1"))

    assert before == index_of(tmp_path)


def test_files_of_another_job_and_other_texts_show_no_run_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(OBJECT.format(kind="job", run="7", text="x").replace("cifar", "mnist"))
    text = 'metadata:\n  name: x\ndata:\n  labels: |\n    dsgen.dev/job: "cifar"\n    dsgen.dev/run: "8"\n'
    (tmp_path / "text.yaml").write_text(text)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff" * 100)

    put(tmp_path, job("1"))

    assert {"1"} == set(index_of(tmp_path)["runs"])


# ---- harm ----


def test_an_index_of_any_depth_or_size_is_a_message(tmp_path: Path) -> None:
    texts = ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, '{"version": ' + "9" * 5000 + "}", " " * (9 * 2**20)]
    for text in texts:
        (tmp_path / INDEX).write_text(text)
        with pytest.raises(DsgenError, match=INDEX):
            put(tmp_path, job())


@given(st.text())
@settings(max_examples=300)
def test_a_path_of_an_index_stays_inside(path: str) -> None:
    inside = Path(os.path.normpath(Path("/folder") / path)) if "\0" not in path else None
    if is_path(path):
        assert inside
        assert Path("/folder") in inside.parents
        assert str(inside) == f"/folder/{path}"


PATHS = ["../victim", "/victim", "link/victim", "", ".", "a/../../victim", "\ud800", "a\0b", "x/y", "claim.yaml/x"]
VALUES: tuple[Any, ...] = (
    *(None, True, 1, 3, -1, 1.5, float("nan"), "", "x", "\ud800", "\x1b[2J", [], {}, [1], {"a": 1}, "../victim", "1"),
)


def mutated(text: str, chance: random.Random) -> bytes:
    """An index with a few mistakes: in its bytes, or in what it says."""
    if chance.random() < 0.4:
        content = bytearray(text.encode())
        for _ in range(chance.randint(1, 4)):
            place, length = chance.randrange(len(content)), chance.choice([0, 1, 1, 3, 40])
            content[place : place + length] = bytes(chance.randrange(256) for _ in range(chance.choice([0, 1, 1, 5])))
        return bytes(content)
    index = json.loads(text)
    for _ in range(chance.randint(1, 3)):
        spoil(index, chance)
    return json.dumps(index).encode()


def spoil(part: Any, chance: random.Random, names: Sequence[str] = PATHS, values: Sequence[Any] = VALUES) -> None:
    """One mistake, anywhere."""
    while True:
        keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
        if not keys:
            return
        key = chance.choice(list(keys))
        if isinstance(part[key], dict | list) and part[key] and chance.random() < 0.7:
            part = part[key]
            continue
        kind = chance.random()
        if isinstance(part, dict) and kind < 0.4:
            part[chance.choice(names)] = part.pop(key)
        elif isinstance(part, list) and kind < 0.2:
            part.append(chance.choice(values))
        else:
            part[key] = chance.choice(values)
        return


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_a_spoilt_index_never_harms(tmp_path: Path, seed: int) -> None:
    """Never a traceback, never a byte outside the folder. DSGEN_INDEX_MUTATIONS=2000 tries more."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "victim").write_text("precious")
    out = tmp_path / "out"
    put(out, job())
    (out / "link").symlink_to("../outside")
    spoilt = mutated((out / INDEX).read_text(), random.Random(seed))
    (out / INDEX).write_bytes(spoilt)

    try:
        put(out, job("2"))
    except DsgenError as error:
        assert str(error).replace("\n", "").isprintable()  # noqa: PT017 - not every mistake is one

    assert {"victim": b"precious"} == bytes_in(tmp_path / "outside")
    assert Path("../outside") == (out / "link").readlink()
    assert {"outside", "out"} == {path.name for path in tmp_path.iterdir()}
