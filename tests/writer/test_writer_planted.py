"""A folder with files of an attacker never leads dsgen to a place outside it, and never blocks it."""

import hashlib
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dsgen import writer
from dsgen.compiler import make_chart_files
from dsgen.errors import DsgenError
from dsgen.writer import INDEX, Destination, Plan, RefusedError, compare, find_untouched, folder, write
from dsgen.writer.folder import is_path

OLD, NEW, SECRET = "old\n", "new\n", "a secret of the user's\n"
FILES = {"a.yaml": NEW, "templates/b.yaml": NEW}
PLAN = Plan("job training/cifar", FILES)


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to reach a file; the second is that of Windows."""
    monkeypatch.setattr(folder, "BY_DESCRIPTOR", request.param and folder.BY_DESCRIPTOR)


# Only descriptors can win a race (docs/decisions/0030).
by_descriptor = pytest.mark.parametrize("way", [True], ids=["by descriptor"], indirect=True)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder beside the one that is written into. At the end it is as it was."""
    place = tmp_path / "outside"
    (place / "below").mkdir(parents=True)
    for path in ("victim", "a.yaml", "b.yaml", INDEX, "below/victim"):
        (place / path).write_text(SECRET)
    yield place
    files = {path.relative_to(place).as_posix(): path.read_text() for path in place.rglob("*") if path.is_file()}
    assert dict.fromkeys(("victim", "a.yaml", "b.yaml", INDEX, "below/victim"), SECRET) == files


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder that was written before, with other texts."""
    plan = Plan(PLAN.owner, dict.fromkeys(FILES, OLD))
    place = Destination(tmp_path / "out")
    write(place, plan, compare(place, plan))
    return place.root


def put(place: Destination, plan: Plan = PLAN) -> None:
    write(place, plan, compare(place, plan))


def link(target: str) -> Callable[[Path, Path], None]:
    """Plants a link to something outside."""
    return lambda path, outside: path.symlink_to(outside / target)


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside / "victim")


def pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path, _outside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's path must be short
        listener.bind(path.name)
        os.chdir(here)


def make_folder(path: Path, _outside: Path) -> None:
    path.mkdir()


PLANTED = {
    "link to a file": (link("victim"), "a link"),
    "link to a folder": (link("below"), "a link"),
    "dangling link": (link("nothing"), "a link"),
    "hard link": (hard_link, "a file with a second name (a hard link)"),
    "pipe": (pipe, "a named pipe"),
    "socket": (make_socket, "a socket"),
    "folder": (make_folder, "a folder"),
}
NO_FOLDERS = {name: row for name, row in PLANTED.items() if name != "folder"}
PLACES = ["a.yaml", "templates/b.yaml", INDEX]


@pytest.mark.parametrize(
    ("path", "plant", "kind"),
    [
        *((path, plant, f"{kind}. Move") for path in PLACES for plant, kind in PLANTED.values()),
        *(("templates", plant, f"{kind}, not a folder") for plant, kind in NO_FOLDERS.values()),
    ],
)
def test_what_is_in_the_place_of_a_file_or_a_folder_is_refused_by_name(
    out: Path, outside: Path, path: str, plant: Callable[[Path, Path], None], kind: str
) -> None:
    if path in PLACES:
        (out / path).unlink()
    else:
        shutil.rmtree(out / path)
    plant(out / path, outside)

    with pytest.raises(RefusedError, match=re.escape(f"{out / path} is in the way: it is {kind}")):
        put(Destination(out))

    assert "a.yaml" == path or OLD == (out / "a.yaml").read_text()


def test_a_device_is_refused() -> None:
    plan = Plan("x", {"null": NEW, "zero": NEW})

    refusals = compare(Destination(Path("/dev")), plan).refusals

    assert 2 == sum("it is a device" in refusal for refusal in refusals)
    assert all("it is a link" in refusal for refusal in refusals if "it is a device" not in refusal)


@pytest.mark.parametrize("below", ["cifar", "training/cifar"])
@pytest.mark.parametrize("target", [".", "below"])
def test_a_jobs_folder_that_is_a_link_is_refused(tmp_path: Path, outside: Path, below: str, target: str) -> None:
    """With several jobs the user names the folder above, and what lies in that may come from others."""
    first = tmp_path / "out" / below.partition("/")[0]
    first.parent.mkdir()
    first.symlink_to(outside / target)

    with pytest.raises(RefusedError, match=re.escape(f"{first} is in the way: it is a link, not a folder")):
        put(Destination(tmp_path / "out", below))


def test_what_the_user_named_may_be_a_link_and_lie_below_one(tmp_path: Path) -> None:
    (tmp_path / "real" / "out").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "named").symlink_to("out")

    put(Destination(tmp_path / "link" / "named"))

    assert NEW == (tmp_path / "real" / "out" / "templates" / "b.yaml").read_text()


@pytest.mark.parametrize("path", ["link/victim", "link/below/victim", "victim"])
def test_an_index_cannot_have_files_removed_through_a_link(out: Path, outside: Path, path: str) -> None:
    index = json.loads((out / INDEX).read_text())
    index["files"][path] = {"sha256": checksum(SECRET)}
    (out / INDEX).write_text(json.dumps(index))
    (out / path.partition("/")[0]).symlink_to(outside / ("" if "/" in path else path))

    with pytest.raises(RefusedError, match=f"{path.partition('/')[0]} is in the way: it is a link"):
        put(Destination(out))


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../outside/victim", "a/../../outside/victim", "./a.yaml", "a//b", "a/", "", ".", "..", "a\0b",
     "..\\outside\\victim", "C:\\victim", "C:victim", ".git/HEAD", "x/.Git/HEAD", "a\nb", "\ud800", "\u202e", "\x1b[2J",
     "/".join("abcdefghi"), "x" * 256, "a/" * 100_000 + "b",
     # another place on other systems
     "git~1/x", "GIT~2/config", ".git /x", ".git./x", ".GIT/x", "con", "a/NUL.yaml", "com1 .txt", "a./b", "a /b",
     "a\u200b/b"],
    ids=lambda path: ascii(path[:20]),
)  # fmt: skip
def test_an_index_names_only_paths_inside(out: Path, path: str) -> None:
    index = json.loads((out / INDEX).read_text())
    index["files"][path] = {"sha256": checksum(SECRET)}
    (out / INDEX).write_text(json.dumps(index))

    with pytest.raises(DsgenError, match=f"{INDEX} is invalid .*it names .* not a path inside"):
        put(Destination(out))


def test_foreseen_temporary_names_are_no_way_out(out: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can foresee them; if somebody did, the link would not be followed and the write would fail."""
    monkeypatch.setattr(writer, "make_temporary_name", lambda path: f".dsgen-foreseen-{path.rpartition('/')[2]}")
    changes = compare(Destination(out), PLAN)
    (out / ".dsgen-foreseen-b.yaml").symlink_to(outside / "victim")

    with pytest.raises(DsgenError, match=f"cannot write into {out}: File exists"):
        write(Destination(out), PLAN, changes)

    assert [OLD, OLD] == [(out / path).read_text() for path in FILES]


@pytest.mark.parametrize("name", ["README.md", "templates/c.yaml", ".dsgen-0123456789abcdef.tmp"])
@pytest.mark.parametrize("plan", [PLAN, Plan(PLAN.owner, dict.fromkeys(FILES, OLD)), Plan(PLAN.owner, {})])
def test_a_link_beside_the_files_is_refused_by_name(out: Path, outside: Path, plan: Plan, name: str) -> None:
    """Helm and kubectl would follow it."""
    (out / name).symlink_to(outside / "victim")

    with pytest.raises(RefusedError, match=re.escape(f"{out / name} is in the way: it is a link. Move it, or choose")):
        put(Destination(out), plan)

    assert (out / name).is_symlink()


def test_a_folder_that_cannot_be_listed_is_a_message(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> Iterator[object]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(DsgenError, match=re.escape(f"cannot read {out}: Permission denied")):
        put(Destination(out))


def test_a_link_in_another_folder_is_let_be(out: Path, outside: Path) -> None:
    (out / "other").mkdir()
    (out / "other" / "link").symlink_to(outside)

    put(Destination(out))

    assert NEW == (out / "a.yaml").read_text()


@pytest.mark.parametrize("name", ["README.md", "templates/c.yaml"])
def test_a_folder_with_a_link_is_not_untouched(out: Path, outside: Path, name: str) -> None:
    plan = Plan(PLAN.owner, FILES, made_of=checksum("inputs"))
    put(Destination(out), plan)
    assert find_untouched(Destination(out), checksum("inputs"))

    (out / name).symlink_to(outside / "victim")

    assert find_untouched(Destination(out), checksum("inputs")) is None


def swap(out: Path, outside: Path) -> None:
    """The folder `templates` becomes a link."""
    (out / "templates").rename(out / "before")
    (out / "templates").symlink_to(outside)


def test_a_folder_swapped_for_a_link_after_the_comparison_is_refused(out: Path, outside: Path) -> None:
    changes = compare(Destination(out), PLAN)
    swap(out, outside)

    with pytest.raises(RefusedError, match="templates is in the way: it is a link, not a folder"):
        write(Destination(out), PLAN, changes)

    assert OLD == (out / "a.yaml").read_text()


@by_descriptor
def test_a_link_swapped_in_between_check_and_use_cannot_win(
    out: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read is in the folder that was opened, and what is opened after that is no link."""
    at = folder._locate

    def late(above: int | str, name: str) -> tuple[str, int | None]:
        planted = at(above, name)
        if (out / "templates").is_dir() and not (out / "templates").is_symlink() and name == "b.yaml":
            swap(out, outside)
        return planted

    monkeypatch.setattr(folder, "_locate", late)
    with pytest.raises(RefusedError, match="templates is in the way: it is a link"):
        put(Destination(out))

    assert OLD == (out / "before" / "b.yaml").read_text()


@by_descriptor
def test_a_file_swapped_for_a_link_is_not_read(out: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (out / "a.yaml").unlink()
    (out / "a.yaml").symlink_to(outside / "victim")
    regular = (outside / "victim").stat()
    monkeypatch.setattr(folder, "_read_status", lambda *_: regular)  # what was there a moment ago

    with (
        folder.Folder(Destination(out)) as opened,
        pytest.raises(DsgenError, match=r"cannot read .*a\.yaml: Too many levels"),
    ):
        opened.read("a.yaml")


def test_a_pipe_swapped_in_is_not_waited_for(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regular = (out / "a.yaml").stat()
    (out / "a.yaml").unlink()
    os.mkfifo(out / "a.yaml")
    monkeypatch.setattr(folder, "_read_status", lambda *_: regular)  # what was there a moment ago

    with (
        folder.Folder(Destination(out)) as opened,
        pytest.raises(RefusedError, match=r"a\.yaml is in the way: it is a named pipe"),
    ):
        opened.read("a.yaml")


def test_a_file_replaced_after_it_was_opened_is_read(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process renders the same folder at this moment."""
    open_file = os.open

    def open_and_replace(path: str | Path, *args: int, dir_fd: int | None = None) -> int:
        opened = open_file(path, *args, dir_fd=dir_fd)
        if str(path).endswith("a.yaml"):
            (out / "new").write_text(NEW)
            (out / "new").replace(out / "a.yaml")
        return opened

    with folder.Folder(Destination(out)) as opened:
        monkeypatch.setattr(os, "open", open_and_replace)

        assert OLD.encode() == opened.read("a.yaml")
        assert NEW.encode() == opened.read("a.yaml")


def test_a_file_that_is_too_large_is_not_read(out: Path) -> None:
    with (out / "a.yaml").open("wb") as stream:
        stream.truncate(folder.LARGEST + 1)

    assert (f"{out / 'a.yaml'} is in the way: it is larger than 64 MiB. Move it, or choose another folder",) == compare(
        Destination(out), PLAN
    ).refusals


def test_every_part_of_a_chart_has_a_path_that_an_index_may_name() -> None:
    assert [] == [path for path in make_chart_files(None, "x") if not is_path(path)]
