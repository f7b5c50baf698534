"""What is not a regular file, cannot be read, or is too large gets one sentence at once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import JOB, Cli, put

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SECONDS = 20
ONLY = "but only regular files and standard input are read"


PROGRAM = """
import encodings.unicode_escape, importlib, os, pkgutil, resource
import dsgen
from dsgen.__main__ import main
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
if {uid}:
    for module in pkgutil.walk_packages(dsgen.__path__, "dsgen."):
        if not module.name.startswith(("dsgen.scripts", "dsgen.__main__")):
            importlib.import_module(module.name)
    os.setuid({uid})
main()
"""
"""A user who may read little cannot import more modules."""


def dsgen(folder: Path, *arguments: str, stdin: str = "", uid: int = 0) -> tuple[int, str, str]:
    """A command in a process of its own, which must end soon and with little memory; uid: its user."""
    return run([sys.executable, "-c", PROGRAM.format(uid=uid), *arguments], folder, stdin)


def run(command: list[str], folder: Path, stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def odd(folder: Path) -> Iterator[Path]:
    """The working folder with things that are no regular files."""
    os.mkfifo(folder / "pipe.yaml")
    (folder / "folder.yaml").mkdir()
    put(folder / "large.yaml", "# comment\n" * (16 * 2**20 // 10 + 1))
    put(folder / "secret.yaml", JOB)
    put(folder / "closed" / "job.yaml", JOB)
    for name in ("secret.yaml", "closed"):
        (folder / name).chmod(0o000)
    yield folder
    (folder / "closed").chmod(0o700)


FILES = {
    "pipe.yaml": f"it is a named pipe, {ONLY}",
    "/dev/zero": f"it is a device, {ONLY}",
    "large.yaml": "it has more than 16 MiB, the limit for values",
    "none.yaml": "No such file or directory",
}


@pytest.mark.parametrize("command", ["validate", "render"])
@pytest.mark.parametrize("name", FILES)
def test_a_file(odd: Path, name: str, command: str) -> None:
    assert (3, "", f"dsgen: cannot read {name}: {FILES[name]}\n") == dsgen(odd, command, name)


@pytest.mark.parametrize("name", [*FILES, "folder.yaml"])
def test_an_overlay(odd: Path, name: str) -> None:
    why = FILES.get(name, "Is a directory")

    assert (3, "", f"dsgen: cannot read {name}: {why}\n") == dsgen(odd, "validate", "cifar.yaml", "-f", name)


@pytest.mark.parametrize("name", [*FILES, "folder.yaml"])
def test_a_text_of_a_flag(odd: Path, name: str) -> None:
    why = FILES.get(name, "Is a directory").replace("16 MiB", "4 MiB")
    flag = f"training.setup={name}"

    assert (3, "", f"dsgen: --set-file: cannot read {name}: {why}\n") == dsgen(
        odd, "validate", "cifar.yaml", "--set-file", flag
    )


def test_standard_input_is_limited(odd: Path) -> None:
    text = (odd / "large.yaml").read_text()

    assert (3, "", "dsgen: cannot read <stdin>: it has more than 16 MiB, the limit for values\n") == dsgen(
        odd, "validate", "-", stdin=text
    )


@pytest.mark.needs("root")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("validate", "secret.yaml"), "cannot read secret.yaml: Permission denied"),
        (("validate", "closed"), "closed: Permission denied"),
        (("validate", "closed/job.yaml"), "cannot read closed/job.yaml: Permission denied"),
        (("validate", "cifar.yaml", "-f", "secret.yaml"), "cannot read secret.yaml: Permission denied"),
        (
            ("validate", "cifar.yaml", "--set-file", "a=secret.yaml"),
            "--set-file: cannot read secret.yaml: Permission denied",
        ),
        (("render", "cifar.yaml", "-d", "closed/out"), "closed/out/cifar/.dsgen-index: Permission denied"),
        (("chart", "cifar.yaml", "-d", "closed/out"), "cannot read closed/out: Permission denied"),
        (("diff", "cifar.yaml", "-d", "closed/out"), "closed/out/cifar/.dsgen-index: Permission denied"),
        (("list", "--kubeconfig", "secret.yaml"), "cannot use secret.yaml: Permission denied"),
        (("list", "--kubeconfig", "closed/job.yaml"), "cannot use closed/job.yaml: Permission denied"),
    ],
)
def test_a_user_without_permission(odd: Path, arguments: tuple[str, ...], said: str) -> None:
    for path in (odd, *odd.parents):  # pytest's folders are private
        if path.stat().st_uid == os.geteuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)

    assert (3, "", f"dsgen: {said}\n") == dsgen(odd, *arguments, uid=65534)


OUTPUTS = {
    "pipe.yaml": "it is a named pipe, not a folder",
    "pipe.yaml/below": "it is a named pipe, not a folder",
    "/dev/zero": "it is a device, not a folder",
    "cifar.yaml": "it is a file, not a folder",
}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize(
    "command",
    [
        ("render", "cifar.yaml", "-d"),
        ("render", "cifar.yaml", "--check", "-d"),
        ("chart", "cifar.yaml", "-d"),
        ("chart", "-d"),
        ("diff", "cifar.yaml", "-d"),
    ],
    ids=" ".join,
)
def test_a_folder_for_the_output(odd: Path, command: tuple[str, ...], name: str) -> None:
    code, out, err = dsgen(odd, *command, name)

    assert 1 == code
    place = name.removesuffix("/below")
    assert f"{place} is in the way: {OUTPUTS[name]}. Move it, or choose another folder\n" in out + err


@pytest.mark.parametrize("name", ["pipe.yaml", "folder.yaml", "/dev/zero"])
def test_a_kubeconfig(odd: Path, name: str) -> None:
    said = f"dsgen: cannot use {name}: {name} is not a regular file\n"

    assert (3, "", said) == dsgen(odd, "list", "--kubeconfig", name)


READ = "dsgen reads only regular files of at most 16 MiB below the folder of a repository"
SETTINGS = {"pipe": "a named pipe", "folder": "a folder", "device": "a device", "large": "larger than 16 MiB"}


@pytest.mark.parametrize("what", ["pipe", "folder", "large", pytest.param("device", marks=pytest.mark.needs("root"))])
@pytest.mark.parametrize("file", [(), ("cifar.yaml",)], ids=["", "with FILE"])
def test_settings_of_a_repository(odd: Path, what: str, file: tuple[str, ...]) -> None:
    settings = odd / "dsgen.yaml"
    if what == "pipe":
        os.mkfifo(settings)
    elif what == "folder":
        settings.mkdir()
    elif what == "device":
        os.mknod(settings, 0o020666, os.makedev(1, 5))  # /dev/zero
    else:
        put(settings, "# comment\n" * (16 * 2**20 // 10 + 1))

    assert (1, "", f"dsgen: dsgen.yaml is {SETTINGS[what]}: {READ}\n") == dsgen(odd, "validate", *file)


def test_a_values_file_of_a_repository_that_is_too_large(odd: Path) -> None:
    put(odd / "dsgen.yaml", "jobs: [large.yaml]\n")

    code, _, err = dsgen(odd, "validate")

    assert (1, True) == (code, "large.yaml is larger than 16 MiB" in err)


def test_the_output_of_a_command_is_read(folder: Path) -> None:
    """As in `helm -f <(sops decrypt secrets.yaml)`: the shell passes an open pipe by its name."""
    program = f'"{sys.executable}" -m dsgen'
    script = (
        f"{program} values cifar.yaml -f <(sleep 1; echo 'workers: {{replicas: 7}}') --set-file labels.a=<(printf b)"
    )
    code, out, err = run(["bash", "-c", script], folder)

    assert 0 == code, err
    assert "  replicas: 7  # /dev/fd/" in out
    assert "  a: b  # --set-file" in out


@pytest.mark.parametrize("command", ["validate", "import"])
def test_a_closed_standard_input(command: str, folder: Path) -> None:
    script = f'"{sys.executable}" -m dsgen {command} - <&-'

    assert (3, "", "dsgen: cannot read <stdin>: it is closed\n") == run(["bash", "-c", script], folder)


LINKS = {
    "a file elsewhere": ("a.yaml", "{outside}/secret.yaml"),
    "a file of Git": ("a.yaml", ".git/config"),
    "a folder elsewhere": ("sub", "{outside}"),
    "a link to a link": ("a.yaml", "b.yaml"),
}


@pytest.mark.parametrize("command", ["validate {}", "validate cifar.yaml -f {}", "estimate cifar.yaml --model {}"])
@pytest.mark.parametrize(("name", "target"), LINKS.values(), ids=LINKS)
def test_a_link_out_of_a_working_copy_is_not_read(
    cli: Cli, folder: Path, tmp_path_factory: pytest.TempPathFactory, name: str, target: str, command: str
) -> None:
    """Whoever opens a pull request chooses its target, and a message would show its lines."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.yaml").write_text("token: s3cr3t-of-the-runner\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[http] s3cr3t-of-the-runner\n")
    (folder / "b.yaml").symlink_to(outside / "secret.yaml")
    (folder / name).symlink_to(target.format(outside=outside))
    file = f"{name}/secret.yaml" if name == "sub" else name
    done = cli(*command.format(file).split())

    assert 3 == done.code
    assert "s3cr3t" not in done.out + done.err
    assert f"cannot read {file}: it is a link to a file outside of this Git repository" in done.err


def test_a_link_inside_a_working_copy_is_read(cli: Cli, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "link.yaml").symlink_to("cifar.yaml")

    assert 0 == cli("validate", "link.yaml").code
