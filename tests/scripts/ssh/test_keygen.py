"""keygen.py: which key it uses, how it fails, and that only one of two processes fills the Secret."""

import base64
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from shared import settings
from ssh import key as keyfile
from ssh import keygen
from status import api
from tests.scripts import live

KEY = base64.b64encode(b"private\n").decode()


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pod's /run/dsgen."""
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setattr(settings, "RUN", folder)
    return folder


@pytest.mark.parametrize("data", [None, {}])
def test_a_secret_without_data_holds_no_key(data: dict[str, str] | None) -> None:
    assert keygen.find_key(data, "a-ssh") is None


@pytest.mark.parametrize("more", [{}, {"ssh-publickey": "cA=="}])
def test_the_private_half_is_enough(more: dict[str, str]) -> None:
    assert keygen.find_key({"ssh-privatekey": KEY, **more}, "a-ssh") == b"private\n"


@pytest.mark.parametrize("data", [{"ssh-publickey": "cA=="}, {"ssh-privatekey": ""}])
def test_data_without_a_private_half_is_refused(data: dict[str, str]) -> None:
    with pytest.raises(keygen.CannotWorkError, match="Secret a-ssh has data but no ssh-privatekey"):
        keygen.find_key(data, "a-ssh")


@pytest.mark.needs("ssh-keygen")
def test_a_key_pair_is_made(run_folder: Path) -> None:
    """An ed25519 pair that belongs together, and no trace of it in the folder."""
    made = keygen.make_key_pair("cifar")

    private = run_folder / "id"
    keyfile.write_private(private, base64.b64decode(made["ssh-privatekey"]))
    assert [private] == list(run_folder.iterdir())
    public = base64.b64decode(made["ssh-publickey"]).decode().split()
    assert public[0] == "ssh-ed25519"
    assert public[2] == "cifar"
    assert keyfile.derive_public_half(private) == " ".join(public[:2])


def test_without_ssh_keygen_the_message_says_what_to_do(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(run_folder))

    with pytest.raises(keygen.CannotWorkError, match=r"no ssh-keygen.*ssh\.secret\.mode: existing"):
        keygen.make_key_pair("cifar")


def test_a_key_is_left_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"

    keyfile.write_private(path, b"one")
    keyfile.write_private(path, b"two\n")

    assert path.read_bytes() == b"two\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [path] == list(tmp_path.iterdir())


def test_the_last_newline_is_added(tmp_path: Path) -> None:
    """kubectl create secret --from-literal=ssh-privatekey="$(cat key)" loses it, and ssh then refuses the key."""
    keyfile.write_private(tmp_path / "key", b"one")

    assert (tmp_path / "key").read_bytes() == b"one\n"


def test_the_first_key_that_is_there_is_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "full").write_bytes(b"key")
    paths = [tmp_path / name for name in ("absent", "empty", "full")]

    assert keyfile.read_first_content(paths) == b"key"
    assert keyfile.read_first_content(paths[:2]) is None


def test_an_api_that_never_answers_ends_in_time(tmp_path: Path) -> None:
    configured = settings.Settings(**dict.fromkeys(settings.Settings._fields, "x"))

    with pytest.raises(keygen.CannotWorkError, match="in time"):
        keygen.obtain(api.Api("127.0.0.1", "1", tmp_path), configured, time.monotonic() + 0.2)


def test_the_launcher_is_told_why_there_will_be_no_key(run_folder: Path, tmp_path: Path) -> None:
    configured = settings.Settings(**dict.fromkeys(settings.Settings._fields, "x"))._replace(start_timeout_seconds=0)

    keygen.provide(api.Api("127.0.0.1", "1", tmp_path), configured)

    assert [run_folder / "no-key-made"] == list(run_folder.iterdir())
    assert (run_folder / "no-key-made").read_text().startswith("the ssh key could not be read or made in time: GET ")


@pytest.mark.cluster
def test_the_key_is_left_for_the_launcher(job: Any, run_folder: Path) -> None:
    keygen.provide(job.client, job.configured())

    assert job.secret()["ssh-privatekey"] == (run_folder / "ssh-privatekey").read_bytes()
    assert (run_folder / "ssh-privatekey").stat().st_mode & 0o777 == 0o600


@pytest.mark.cluster
@pytest.mark.usefixtures("run_folder")
def test_an_empty_secret_is_filled(job: Any) -> None:
    key = keygen.obtain(job.client, job.configured(), time.monotonic() + 20)

    assert job.secret()["ssh-privatekey"] == key
    assert b"ssh-ed25519" in job.secret()["ssh-publickey"]
    assert keygen.obtain(job.client, job.configured(), time.monotonic() + 20) == key


@pytest.mark.cluster
@pytest.mark.usefixtures("run_folder")
def test_of_many_racing_key_makers_all_use_one_key(job: Any) -> None:
    keys: list[bytes] = []

    def obtain() -> None:
        keys.append(keygen.obtain(job.client, job.configured(), time.monotonic() + 20))

    threads = [threading.Thread(target=obtain) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert keys == [job.secret()["ssh-privatekey"]] * 6


@pytest.mark.cluster
@pytest.mark.usefixtures("run_folder")
def test_secret_and_role_may_come_later(job: Any) -> None:
    """All objects are applied in one wave, in any order."""
    job.core.delete_namespaced_secret("a-ssh", job.namespace)
    job.rbac.delete_namespaced_role("a", job.namespace)

    def come() -> None:
        job.create("Secret", "a-ssh")
        rules = live.RULES["a"]
        job.rbac.delete_namespaced_role_binding("a", job.namespace)
        job.allow("a", rules)

    timer = threading.Timer(1, come)
    timer.start()
    key = keygen.obtain(job.client, job.configured(), time.monotonic() + 20)
    timer.join()

    assert job.secret()["ssh-privatekey"] == key
