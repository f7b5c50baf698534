"""Windows and macOS, as far as Linux can test them: the commands on files work without functions of Linux."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import bytes_in

ROOT = Path(__file__).parent.parent
MINIMAL = ROOT / "values-examples" / "minimal.yaml"
# Python as on Windows: no calls relative to a folder, none of the flags of open, none of the modules, another line end
# and another encoding for text files that do not say theirs.
WINDOWS = """
import os, sys

class Missing:
    NAMES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}
    def find_spec(self, name, *_):
        if name in self.NAMES:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
for name in Missing.NAMES:
    sys.modules.pop(name, None)
for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "fork", "getuid", "geteuid", "setsid"):
    delattr(os, name)
os.supports_dir_fd = os.supports_follow_symlinks = os.supports_fd = frozenset()
os.linesep = "\\r\\n"
from dsgen.__main__ import main
main()
"""
STRICT = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"]


def run(folder: Path, *arguments: str, windows: bool) -> tuple[int, bytes, bytes]:
    start = [*STRICT, "-c", WINDOWS] if windows else ["-m", "dsgen"]
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "commands",
    [
        ["render cifar.yaml"],
        ["validate wrong.yaml", "validate wrong.yaml -o sarif"],
        [
            "render cifar.yaml -d out/cifar",
            "render cifar.yaml -d out/cifar --check",
            "render cifar.yaml --set run.id=2 -d out/cifar",
        ],
        ["chart cifar.yaml -d chart", "chart cifar.yaml -d chart --check"],
        ["init new.yaml --preset torchrun --name a", "init new.yaml"],
        ["values cifar.yaml"],
        ["explain DS102", "explain workers.slots", "schema", "help running", "graph cifar.yaml"],
    ],
    ids=lambda commands: commands[0],
)
def test_commands_on_files_work_alike(tmp_path: Path, commands: list[str]) -> None:
    told, trees = [], []
    for windows in (False, True):
        folder = tmp_path / str(windows)
        folder.mkdir()
        text = MINIMAL.read_bytes()
        (folder / "cifar.yaml").write_bytes(text)
        (folder / "wrong.yaml").write_bytes(text.replace(b"replicas: 2", b"replicas: two").replace(b"\n", b"\r\n"))
        told.append([run(folder, *command.split(), windows=windows) for command in commands])
        trees.append(bytes_in(folder))

    assert told[0] == told[1]
    assert trees[0] == trees[1]
    assert all(out or err for _, out, err in told[0]) or "--check" in " ".join(commands)


def test_line_ends_of_windows_change_nothing(tmp_path: Path) -> None:
    """Git may check out both the values and the rendered files with them."""
    (tmp_path / "cifar.yaml").write_bytes(MINIMAL.read_bytes().replace(b"\n", b"\r\n"))
    assert 0 == run(tmp_path, "render", "cifar.yaml", "-d", "out", windows=False)[0]
    for path in (tmp_path / "out").iterdir():
        assert b"\r" not in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert (0, b"", b"") == run(tmp_path, "render", "cifar.yaml", "-d", "out", "--check", windows=False)
