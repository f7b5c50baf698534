"""The writer on real folders: what it writes, keeps and refuses."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dsgen import __version__
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, DsgenError
from dsgen.writer import INDEX, Changes, Destination, Plan, RefusedError, compare, write
from tests.cli.conftest import texts_in

JOB = "kind: Job\nspec:\n  parallelism: 2\n"
CONFIG = "kind: ConfigMap\n"
CLAIM = "kind: PersistentVolumeClaim\n"


def plan(files: dict[str, str], run: str = "1", owner: str = "job training/cifar") -> Plan:
    """A plan whose `job-` files belong to the run."""
    return Plan(owner, files, run, frozenset(path for path in files if path.startswith("job-")))


def put(directory: Path, wanted: Plan) -> Changes:
    """Compare and write, as a command does."""
    changes = compare(Destination(directory), wanted)
    write(Destination(directory), wanted, changes)
    return changes


def test_index_names_every_file_with_its_run(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "job-b.yaml": JOB}))

    index = json.loads((tmp_path / INDEX).read_text())

    assert (2, __version__, __version__) == (index["version"], index["dsgen"], index["runs"]["1"]["dsgen"])
    assert ("job training/cifar", "1") == (index["owner"], index["run"])
    assert {"a.yaml": None, "job-b.yaml": "1"} == {path: entry.get("run") for path, entry in index["files"].items()}


def test_second_write_touches_nothing(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "job-b.yaml": JOB}))
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.iterdir()}

    changes = put(tmp_path, plan({"a.yaml": CLAIM, "job-b.yaml": JOB}))

    assert Changes() == changes
    assert before == {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.iterdir()}


def test_unchanged_files_keep_their_inode(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "b.yaml": CONFIG}))
    inode = (tmp_path / "a.yaml").stat().st_ino

    put(tmp_path, plan({"a.yaml": CLAIM, "b.yaml": CONFIG + "data: {}\n"}))

    assert inode == (tmp_path / "a.yaml").stat().st_ino


def test_files_no_longer_wanted_are_removed_with_their_folder(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "templates/deep/b.yaml": CONFIG}))

    put(tmp_path, plan({"a.yaml": CLAIM}))

    assert {"a.yaml", INDEX} == {path.name for path in tmp_path.iterdir()}


def test_foreign_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("I'm precious!")

    with pytest.raises(RefusedError, match=r"b\.yaml is in the way: dsgen did not write it") as refusal:
        put(tmp_path, plan({"a.yaml": CLAIM, "b.yaml": CONFIG}))

    assert EXIT_FINDINGS == refusal.value.exit_code
    assert {"b.yaml": "I'm precious!"} == texts_in(tmp_path)


def make_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(Path.touch, "a file"), (make_dangling_link, "a link that leads nowhere")],
    ids=["file", "link"],
)
@pytest.mark.parametrize("folder", [".", "below", "below/deep"])
def test_what_is_no_folder_is_in_the_way(tmp_path: Path, make: Callable[[Path], None], kind: str, folder: str) -> None:
    make(tmp_path / "out")

    changes = compare(Destination(tmp_path / "out" / folder), plan({"a.yaml": CLAIM, "templates/b.yaml": CONFIG}))

    text = f"{tmp_path / 'out'} is in the way: it is {kind}, not a folder. Move it, or choose another folder"
    assert Changes(refusals=(text,)) == changes


def test_a_folder_without_the_right_to_write_is_named() -> None:
    with pytest.raises(DsgenError) as error:
        put(Path("/proc/self/new/folder"), plan({"a.yaml": CLAIM}))

    assert EXIT_FAILED == error.value.exit_code
    assert str(error.value).startswith("cannot write into /proc/self: ")


def test_a_file_that_is_already_right_is_adopted(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLAIM)

    assert Changes() == put(tmp_path, plan({"a.yaml": CLAIM}))
    assert "a.yaml" in json.loads((tmp_path / INDEX).read_text())["files"]


@pytest.mark.parametrize("wanted", [{"a.yaml": CLAIM, "b.yaml": "new"}, {"a.yaml": CLAIM}], ids=["changed", "removed"])
def test_hand_edited_file_is_refused(tmp_path: Path, wanted: dict[str, str]) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "b.yaml": CONFIG}))
    (tmp_path / "b.yaml").write_text("my edit")

    with pytest.raises(RefusedError, match=r"b\.yaml was edited since dsgen wrote it"):
        put(tmp_path, plan(wanted))

    assert {"a.yaml": CLAIM, "b.yaml": "my edit"} == texts_in(tmp_path)


def test_folder_of_another_job_is_refused(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM}))

    with pytest.raises(RefusedError, match="holds job training/cifar: use another folder for job training/mnist"):
        put(tmp_path, plan({"b.yaml": CONFIG}, owner="job training/mnist"))

    assert {"a.yaml": CLAIM} == texts_in(tmp_path)


@pytest.mark.parametrize(
    "wanted",
    [
        {"job-a.yaml": JOB.replace("2", "3"), "job-b.yaml": JOB},
        {"job-b.yaml": JOB},
        {"job-a.yaml": JOB, "job-b.yaml": JOB, "job-c.yaml": JOB},
    ],
    ids=["changed", "gone", "new"],
)
def test_a_run_does_not_change_under_its_id(tmp_path: Path, wanted: dict[str, str]) -> None:
    before = {"job-a.yaml": JOB, "job-b.yaml": JOB}
    put(tmp_path, plan(before))
    named = sorted(path for path in {*before, *wanted} if before.get(path) != wanted.get(path))

    with pytest.raises(
        RefusedError,
        match=f'run "1" .* would change: {", ".join(named)}\nThe objects of a run never change: change run.id',
    ):
        put(tmp_path, plan(wanted))

    assert before == texts_in(tmp_path)


def test_objects_of_the_job_may_change_while_a_run_stays(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "job-b.yaml": JOB}))

    put(tmp_path, plan({"a.yaml": CLAIM + "spec: {}\n", "job-b.yaml": JOB}))

    assert {"a.yaml": CLAIM + "spec: {}\n", "job-b.yaml": JOB} == texts_in(tmp_path)


def test_a_run_may_be_suspended_and_resumed(tmp_path: Path) -> None:
    texts = [JOB, JOB + "  suspend: true\n", JOB + "  suspend: false\n"]
    for text in texts:
        put(tmp_path, plan({"job-a.yaml": text}))

    assert {"job-a.yaml": texts[-1]} == texts_in(tmp_path)


def test_suspend_in_a_users_text_is_no_suspension(tmp_path: Path) -> None:
    put(tmp_path, plan({"job-a.yaml": JOB + "data:\n  text: |\n    suspend: true\n"}))

    with pytest.raises(RefusedError, match="would change"):
        put(tmp_path, plan({"job-a.yaml": JOB + "data:\n  text: |\n    suspend: false\n"}))


def test_new_run_id_replaces_the_old_runs_files(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "job-1.yaml": JOB}))

    put(tmp_path, plan({"a.yaml": CLAIM, "job-2.yaml": JOB}, run="2"))

    assert {"a.yaml": CLAIM, "job-2.yaml": JOB} == texts_in(tmp_path)


def test_a_run_is_replaced_on_request_and_files_of_others_stay(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "job-1.yaml": JOB}))
    (tmp_path / "kustomization.yaml").write_text("mine")
    new = plan({"a.yaml": CLAIM, "job-1.yaml": JOB.replace("2", "3")})

    with pytest.raises(RefusedError, match="If this run was never applied, --replace replaces it"):
        put(tmp_path, new)
    changes = compare(Destination(tmp_path), new, "replace")
    write(Destination(tmp_path), new, changes)

    assert (("job-1.yaml",), True) == (changes.write, changes.renewed)
    assert {**new.files, "kustomization.yaml": "mine"} == texts_in(tmp_path)
    assert Changes() == put(tmp_path, new)


def test_an_earlier_run_comes_back_only_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, plan({"job-1.yaml": JOB}))
    put(tmp_path, plan({"job-2.yaml": JOB}, run="2"))

    with pytest.raises(RefusedError, match='run "1" of job training/cifar'):
        put(tmp_path, plan({"job-1.yaml": JOB.replace("2", "3")}))
    put(tmp_path, plan({"job-1.yaml": JOB}))

    assert {"job-1.yaml": JOB} == texts_in(tmp_path)


def test_compare_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": CLAIM, "b.yaml": CONFIG}))
    before = texts_in(tmp_path)

    changes = compare(Destination(tmp_path), plan({"a.yaml": "new", "c.yaml": CONFIG}))

    assert Changes(write=("a.yaml", "c.yaml"), remove=("b.yaml",)) == changes
    assert changes.stale
    assert before == texts_in(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"version": 1}', "[]", '{"version": 2, "owner": "x", "files": {}}',
     '{"version": 1, "owner": "job training/cifar", "files": {"../out.yaml": {"sha256": "0"}}}'],
    ids=["empty", "half", "short", "list", "no version of dsgen", "outside"],
)  # fmt: skip
def test_damaged_index_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / INDEX).write_text(text)

    with pytest.raises(DsgenError, match=f"{INDEX} is invalid") as error:
        compare(Destination(tmp_path), plan({"a.yaml": CLAIM}))

    assert EXIT_FAILED == error.value.exit_code


# A process that may write no file larger than 1000 bytes: the second text fails as on a full disk.
FULL_DISK = """
import resource, sys
from pathlib import Path
from dsgen.errors import DsgenError
from dsgen.writer import Destination, Plan, compare, write
from tests.cli.conftest import texts_in
directory = Destination(Path(sys.argv[1]))
wanted = Plan("job training/cifar", {"a.yaml": "new", "z/z.yaml": "x" * 5000})
changes = compare(directory, wanted)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write(directory, wanted, changes)
except DsgenError as error:
    print(error)
"""


def test_failing_write_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, plan({"a.yaml": "old"}))
    before = sorted(path.name for path in tmp_path.iterdir())

    done = subprocess.run([sys.executable, "-c", FULL_DISK, tmp_path], capture_output=True, text=True, check=True)

    assert f"cannot write into {tmp_path}: File too large; choose another folder\n" == done.stdout
    assert {"a.yaml": "old"} == texts_in(tmp_path)
    assert before == sorted(path.name for path in tmp_path.iterdir())


def test_files_get_the_users_usual_mode(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        put(tmp_path, plan({"a.yaml": CLAIM}))
    finally:
        os.umask(old)

    assert 0o644 == (tmp_path / "a.yaml").stat().st_mode & 0o777
