"""code.sh with real git servers, and clones that fail."""

import base64
import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.scripts import tls
from tests.scripts.conftest import program
from tests.scripts.git_servers import LOGIN, PASSWORD, GitServer, Origin, Quiet, clone, git, secret, serve, tree


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    return Origin(tmp_path_factory.mktemp("git") / "srv")


@pytest.fixture
def origin(pod: Any, made_once: Origin) -> Origin:
    return made_once.copied(pod.root / "srv")


@pytest.fixture
def server(origin: Origin) -> Iterator[Any]:
    server = serve(GitServer, origin.root)
    yield server
    server.shutdown()
    server.server_close()


def left_over(pod: Any) -> list[str]:
    """What is in /run/dsgen afterwards, beside the tree, and beside the key, which only other containers have."""
    places = [*pod.run.iterdir(), *(pod.run / "code").iterdir()]
    return sorted(path.name for path in places if path != pod.keys.parent)


@pytest.mark.parametrize("revision", ["", "main", "v1", "fix", "refs/heads/fix", "FIRST", "LAST", "SHORT"])
def test_any_revision_is_checked_out_and_named(pod: Any, origin: Origin, server: Any, revision: str) -> None:
    commits = {"FIRST": origin.first, "LAST": origin.last, "SHORT": origin.fix[:9]}
    expected = {"v1": origin.first, "FIRST": origin.first, "fix": origin.fix, "refs/heads/fix": origin.fix}
    commit = origin.fix if revision == "SHORT" else expected.get(revision, origin.last)

    assert clone(pod, f"{server.url}/team/code.git", commits.get(revision, revision)) == 0

    assert f"[dsgen] code: {server.url}/team/code.git at {commit}\n" in pod.log()
    assert git(tree(pod), "rev-parse", "HEAD") == commit
    assert git(tree(pod), "status", "--porcelain") == ""
    assert left_over(pod) == ["code", "tree"]


@pytest.mark.parametrize("place", [".gitattributes", "weights/.gitattributes"])
def test_large_files_that_stay_pointers_are_told(pod: Any, origin: Origin, server: Any, place: str) -> None:
    path = origin.work / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    origin.commit("print('large')")
    origin.push()
    no_lfs = program(pod.root / "bin/git-lfs", "exit 1")
    assert clone(pod, f"{server.url}/team/code.git", PATH=f"{no_lfs.parent}:{os.environ['PATH']}") == 0
    assert "the image has no git-lfs: large files are pointers" in pod.log()


def test_only_the_one_commit_is_fetched(pod: Any, origin: Origin, server: Any) -> None:
    assert clone(pod, f"{server.url}/team/code.git", origin.last) == 0
    assert git(tree(pod), "rev-list", "--all", "HEAD") == origin.last


@pytest.mark.parametrize("revision", ["main", "v1", "FIRST"])
def test_a_server_without_shallow_clones_gives_everything(pod: Any, origin: Origin, revision: str) -> None:
    server = serve(partial(Quiet, directory=origin.root), origin.root)

    assert clone(pod, f"{server.url}/team/code.git", revision.replace("FIRST", origin.first)) == 0

    server.shutdown()
    server.server_close()
    assert git(tree(pod), "rev-parse", "HEAD") == (origin.last if revision == "main" else origin.first)


def test_a_commit_of_the_past_from_a_server_that_gives_only_branches(pod: Any, origin: Origin, server: Any) -> None:
    git(origin.path, "config", "uploadpack.allowAnySHA1InWant", "false")
    wrapper = program(pod.root / "old/git", f'exec {shutil.which("git")} -c protocol.version=0 "$@"')

    path = f"{wrapper.parent}:{os.environ['PATH']}"
    assert clone(pod, f"{server.url}/team/code.git", origin.first, PATH=path) == 0

    assert "its server does not serve single commits" in pod.log()
    assert git(tree(pod), "rev-parse", "HEAD") == origin.first


def test_a_container_that_starts_again_keeps_the_tree(pod: Any, origin: Origin, server: Any) -> None:
    """Also when the branch has moved: the pod goes on with the code that it has."""
    assert clone(pod, f"{server.url}/team/code.git", "main") == 0
    (tree(pod) / "made").touch()
    origin.commit("print('later')")
    origin.push()

    assert clone(pod, f"{server.url}/team/code.git", "main") == 0

    assert (tree(pod) / "made").exists()
    assert pod.log().splitlines()[-1] == f"[dsgen] code: {server.url}/team/code.git at {origin.last}"


def test_half_a_clone_is_thrown_away(pod: Any, server: Any) -> None:
    (pod.run / "code/new/.git").mkdir(parents=True)
    (pod.run / "code/new/half").touch()
    (pod.run / "code-home.old").mkdir()

    assert clone(pod, f"{server.url}/team/code.git") == 0

    assert sorted(path.name for path in tree(pod).iterdir()) == [".git", "train.py"]
    assert left_over(pod) == ["code", "tree"]


def test_sigterm_ends_it_at_once_without_a_tree(pod: Any, server: Any) -> None:
    server.failures = 1000
    asked = {"DSGEN_GIT_REPOSITORY": f"{server.url}/team/code.git", "DSGEN_GIT_REVISION": ""}
    process = pod.start("bash", pod.scripts / "shared/code.sh", **asked)
    pod.wait_until(lambda: "the next try" in pod.log())

    process.send_signal(signal.SIGTERM)

    assert process.wait(3) == 143
    assert not tree(pod).exists()
    assert not list(pod.run.glob("code-home.*"))


def test_others_can_write_beside_the_code(pod: Any, server: Any) -> None:
    assert clone(pod, f"{server.url}/team/code.git") == 0
    assert [path.stat().st_mode & 0o777 for path in (tree(pod), tree(pod) / "train.py")] == [0o777, 0o666]


def test_faults_of_the_network_are_tried_again(pod: Any, server: Any) -> None:
    server.failures = 1
    assert clone(pod, f"{server.url}/team/code.git") == 0
    assert "returned error: 503" in pod.log()
    assert "the next try is in 2 seconds" in pod.log()


def test_nobody_waits_longer_than_the_start_timeout(pod: Any) -> None:
    pod.settings(startTimeoutSeconds=3)
    message = "http://127.0.0.1:1/a could not be fetched within lifecycle.startTimeoutSeconds (3)\n"
    assert clone(pod, "http://127.0.0.1:1/a") == 78
    assert pod.termination_message() == message
    assert (pod.run / "code-failed").read_text() == message


@pytest.mark.parametrize("username", ["robot", ""])
def test_a_password_is_used_and_left_nowhere(pod: Any, server: Any, username: str) -> None:
    server.login = LOGIN if username else "Basic " + base64.b64encode(f"git:{PASSWORD}".encode()).decode()
    secret(pod, password=PASSWORD + "\n", **({"username": username} if username else {}))

    assert clone(pod, f"{server.url}/team/code.git") == 0

    files = [path for path in pod.run.rglob("*") if path.is_file()]
    assert [path for path in files if b"s3cret" in path.read_bytes()] == []
    assert "s3cret" not in pod.log()
    assert "without encryption" in pod.log()


def test_a_password_is_never_in_a_command_line_or_environment(pod: Any, server: Any) -> None:
    """Looked at while git runs: each git of this clone leaves what it was started with."""
    server.login = LOGIN
    secret(pod, password=PASSWORD, username="robot")
    script = f'{{ env; echo "$@"; }} >>{pod.root}/seen\nexec {shutil.which("git")} "$@"'
    spy = program(pod.root / "spy/git", script)

    assert clone(pod, f"{server.url}/team/code.git", PATH=f"{spy.parent}:{os.environ['PATH']}") == 0

    seen = (pod.root / "seen").read_text()
    assert "fetch --depth 1" in seen
    assert "s3cret" not in seen


def test_a_password_is_not_for_the_host_that_is_redirected_to(pod: Any, origin: Origin, server: Any) -> None:
    other = serve(GitServer, origin.root)
    other.login, server.redirect = LOGIN, other.url
    secret(pod, password=PASSWORD, username="robot")

    assert clone(pod, f"{server.url}/team/code.git") == 78

    other.shutdown()
    other.server_close()
    assert {login for _, login in other.requests} == {None}


def test_submodules_come_with_the_code(pod: Any, origin: Origin, server: Any) -> None:
    """With the same credentials where they lie on the same host, also when written for ssh."""
    other = Origin(pod.root / "srv/other")
    for name, url in (("near", "../../other/team/code.git"), ("far", "git@127.0.0.1:other/team/code.git")):
        git(origin.work, "submodule", "--quiet", "add", str(other.path), name)
        git(origin.work, "config", "--file", ".gitmodules", f"submodule.{name}.url", url)
    origin.commit("print('with submodules')")
    origin.push()
    server.login = LOGIN
    secret(pod, password=PASSWORD, username="robot")

    assert clone(pod, f"{server.url}/team/code.git") == 0, pod.log()

    assert [(tree(pod) / name / "train.py").read_text() for name in ("near", "far")] == ["print('last')\n"] * 2


@pytest.mark.parametrize(
    ("repository", "revision", "message"),
    [
        ("{url}/team/code.git", "no-such", "{url}/team/code.git has no branch or tag no-such"),
        ("{url}/team/code.git", "0123abcd", "{url}/team/code.git has no commit, branch or tag 0123abcd"),
        ("{url}/team/code.git", "0" * 39 + "1", "{url}/team/code.git has no commit, branch or tag " + "0" * 39 + "1"),
        ("{url}/team/none.git", "", "the repository {url}/team/none.git does not exist, or refuses these credentials"),
        ("http://a:b@127.0.0.1/x", "", "code.git.repository contains credentials: put username and"),
        ("HTTPS://token@127.0.0.1/x", "", "code.git.repository contains credentials: put username and"),
        ("x://h/?a=b", "", "code.git.repository is not an https, http, ssh or git address: x://h/?***"),
        ("/srv/code", "", "code.git.repository is not an https, http, ssh or git address: /srv/code"),
        ("file:///srv/code", "", "code.git.repository is not an https"),
        ("ext::sh -c id/x", "", "ext::sh -c id/x"),
        ("{url}/team/code.git", "--upload-pack=x", "code.git.revision is not a commit, branch or tag"),
        ("git@127.0.0.1:code", "", "git@127.0.0.1:code needs a key: name a Secret with ssh-privatekey"),
    ],
)
def test_what_never_gets_better_ends_the_run(
    pod: Any, server: Any, repository: str, revision: str, message: str
) -> None:
    assert clone(pod, repository.replace("{url}", server.url), revision) == 78
    assert message.replace("{url}", server.url) in pod.termination_message()
    assert not tree(pod).exists()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "asks for a password: name a Secret with username and password in code.git.secretName"),
        ({"username": "robot", "password": "wrong"}, "refuses username and password of the Secret"),
    ],
)
def test_refused_credentials_are_named(pod: Any, server: Any, keys: dict[str, str], message: str) -> None:
    server.login = LOGIN
    secret(pod, **keys)
    assert clone(pod, f"{server.url}/team/code.git") == 78
    assert message in pod.termination_message()


@pytest.mark.needs("openssl")
def test_a_ca_of_ones_own_is_taken_from_the_secret(pod: Any, server: Any) -> None:
    tls.wrap(server, pod.root / "tls.crt")
    url = server.url.replace("http:", "https:") + "/team/code.git"
    server.login = LOGIN
    secret(pod, username="robot", password=PASSWORD)

    assert clone(pod, url) == 78
    assert f"the certificate of {url} is not trusted: put its CA as ca.crt into the Secret" in pod.termination_message()
    secret(pod, **{"ca.crt": (pod.root / "tls.crt").read_text()})
    assert clone(pod, url) == 0
    assert "without encryption" not in pod.log()


@pytest.mark.parametrize(("tool", "message"), [("git", "there is no git in this image"), ("ssh", "there is no ssh")])
def test_a_missing_tool_is_named(pod: Any, tool: str, message: str) -> None:
    tools = ("git", "ssh", "bash", "sed", "tee", "rm", "mktemp", "env", "id")
    (pod.root / "bin").mkdir()
    for name in tools:
        if name != tool:
            (pod.root / "bin" / name).symlink_to(str(shutil.which(name)))
    assert clone(pod, "git@127.0.0.1:code", PATH=str(pod.root / "bin")) == 78
    assert message in pod.termination_message()


@pytest.fixture
def ssh_server(pod: Any, origin: Origin) -> str:
    """The address of the repository behind the sshd of a worker, whose key pair is host key and user key."""
    pod.serve()
    return f"ssh://127.0.0.1:{pod.port}{origin.path}"


def known_hosts(pod: Any) -> str:
    return f"[127.0.0.1]:{pod.port} {(pod.run / 'authorized_keys').read_text()}"


@pytest.mark.parametrize("where", ["values", "secret"])
def test_ssh_with_a_known_host(pod: Any, origin: Origin, ssh_server: str, where: str) -> None:
    secret(pod, ssh_privatekey=(pod.keys / "ssh-privatekey").read_text().rstrip("\n"))
    if where == "values":
        secret(pod, known_hosts="[127.0.0.1]:1 ssh-ed25519 AAAA\n")
        (pod.config / "git_known_hosts").write_text(known_hosts(pod))
    else:
        secret(pod, known_hosts=known_hosts(pod))

    assert clone(pod, ssh_server, "main") == 0, pod.log()

    assert git(tree(pod), "rev-parse", "HEAD") == origin.last
    key = (pod.keys / "ssh-privatekey").read_text().splitlines()[2]
    assert [path for path in (pod.run / "code").rglob("*") if path.is_file() and key in path.read_text("latin-1")] == []


def test_ssh_without_a_known_host_is_refused(pod: Any, ssh_server: str) -> None:
    secret(pod, ssh_privatekey=(pod.keys / "ssh-privatekey").read_text())
    assert clone(pod, ssh_server) == 78
    assert f"the host key of {ssh_server} is not known" in pod.termination_message()


def test_ssh_with_another_host_key_is_refused(pod: Any, ssh_server: str) -> None:
    secret(pod, ssh_privatekey=(pod.keys / "ssh-privatekey").read_text())
    pod.make_key()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", pod.root / "other"], check=True)
    (pod.config / "git_known_hosts").write_text(f"[127.0.0.1]:{pod.port} {(pod.root / 'other.pub').read_text()}")
    assert clone(pod, ssh_server) == 78
    assert f"the host key of {ssh_server} is not the one in code.git.knownHosts" in pod.termination_message()


def test_ssh_with_a_key_that_is_not_let_in(pod: Any, ssh_server: str) -> None:
    (pod.config / "git_known_hosts").write_text(known_hosts(pod))
    pod.make_key()
    secret(pod, ssh_privatekey=(pod.keys / "ssh-privatekey").read_text())
    assert clone(pod, ssh_server) == 78
    assert "refuses the ssh key of the Secret in code.git.secretName" in pod.termination_message()


@pytest.mark.needs("root", "setpriv")
def test_ssh_as_a_user_without_an_entry_is_explained(pod: Any, ssh_server: str) -> None:
    secret(pod, ssh_privatekey=(pod.keys / "ssh-privatekey").read_text())
    (pod.config / "git_known_hosts").write_text(known_hosts(pod))
    for folder in (pod.run, pod.root / "dev"):
        folder.chmod(0o777)
    asked = {"DSGEN_GIT_REPOSITORY": ssh_server, "DSGEN_GIT_REVISION": ""}
    other = ("setpriv", "--reuid=54321", "--regid=0", "--clear-groups", "bash", pod.scripts / "shared/code.sh")
    assert pod.start(*other, **asked).wait(30) == 78
    assert "ssh knows no user with the id 54321: set ssh.passwdEntry: auto" in pod.termination_message()


HOOK = """
cat {words} >&2
[ -z "{fails}" ] || exit 1
exec "$@"
"""


def says(pod: Any, server: Any, text: str, fails: bool = False) -> None:
    """The server sends this as messages of its own with each pack."""
    words = pod.root / "words"
    words.write_text(text)
    hook = program(pod.root / "hook", HOOK.format(words=words, fails="yes" if fails else ""))
    (pod.root / ".gitconfig").write_text(f'[uploadpack]\n\tpackObjectsHook = "{hook}"\n')
    server.home = str(pod.root)


def test_a_server_that_talks_without_end_takes_no_memory(pod: Any, server: Any) -> None:
    """What git says is in a file in memory."""
    pod.settings(startTimeoutSeconds=12)
    says(pod, server, ("x" * 999 + "\n") * 20_000, fails=True)
    largest, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(0.01):
            for path in pod.run.glob("code-home.*/said"):
                with contextlib.suppress(OSError):
                    largest.append(path.stat().st_size)

    thread = threading.Thread(target=look)
    thread.start()
    code = clone(pod, f"{server.url}/team/code.git")
    ended.set()
    thread.join()

    assert code == 78, pod.log()
    assert max(largest) <= 65536
    assert "x" * 999 in pod.log(), "the end of what it said"


@pytest.mark.parametrize("text", ["://", "://a:", "hooks.slack.com/services/", "a:b@"])
def test_what_a_server_says_is_cut(pod: Any, server: Any, text: str) -> None:
    pod.settings(startTimeoutSeconds=2)
    says(pod, server, text * 200_000, fails=True)

    assert clone(pod, f"{server.url}/team/code.git") == 78

    assert max(map(len, pod.log().splitlines())) < 2100


def test_what_a_server_says_is_text_of_git(pod: Any, server: Any) -> None:
    """It cannot look like a line of dsgen, or change a terminal."""
    pod.settings(startTimeoutSeconds=2)
    says(pod, server, "\r[dsgen] fine\x1b[2J\x07 https://me:s3cret@127.0.0.1/x?token=s3cret\n::error::x\n", fails=True)

    assert clone(pod, f"{server.url}/team/code.git") == 78

    lines = pod.log().splitlines()
    assert [line for line in lines if "fine" in line], pod.log()
    assert [line for line in lines if not line.startswith("[dsgen] ")] == []
    assert [line for line in lines if line.startswith("[dsgen] fine")] == []
    assert not re.search("[\x00-\x08\x0b-\x1f]|s3cret", pod.log())


@pytest.mark.parametrize(
    "url",
    [
        "ext::touch {mark}",
        "file://{root}/srv/team/code.git",
        "{root}/srv/team/code.git",
        "-u./x",
        "--upload-pack=touch {mark}",
    ],
)
def test_a_submodule_runs_and_reads_nothing_here(pod: Any, origin: Origin, server: Any, url: str) -> None:
    url = url.format(mark=pod.root / "mark", root=pod.root)
    (origin.work / ".gitmodules").write_text(f'[submodule "sub"]\n\tpath = sub\n\turl = "{url}"\n\tupdate = merge\n')
    git(origin.work, "update-index", "--add", "--cacheinfo", f"160000,{origin.first},sub")
    git(origin.work, "add", ".gitmodules")
    origin.commit_index()
    origin.push()
    pod.settings(startTimeoutSeconds=2)

    assert clone(pod, f"{server.url}/team/code.git") == 78, pod.log()

    assert not (pod.root / "mark").exists()
    assert not tree(pod).exists()


def test_links_of_the_tree_are_not_followed(pod: Any, origin: Origin, server: Any) -> None:
    """Modes are changed in the tree only, and the password stays where it is."""
    server.login = LOGIN
    secret(pod, password=PASSWORD, username="robot")
    target = pod.root / "etc/dsgen-git/password"
    target.chmod(0o400)
    for name, to in (("link", target), ("folder", target.parent), (".gitattributes", target)):
        (origin.work / name).symlink_to(to)
    origin.commit("print('links')")
    origin.push()

    assert clone(pod, f"{server.url}/team/code.git") == 0, pod.log()

    assert target.stat().st_mode & 0o777 == 0o400
    assert target.parent.stat().st_mode & 0o777 != 0o777
    assert [path.is_symlink() for path in (tree(pod) / "link", tree(pod) / "folder")] == [True, True]


def test_a_hook_of_the_repository_is_a_file(pod: Any, origin: Origin, server: Any) -> None:
    """Nothing of the tree is executed, nor taken for settings of git."""
    mark = pod.root / "mark"
    for folder in ("hooks", ".git-hooks"):
        (origin.work / folder).mkdir()
        for name in ("post-checkout", "fsmonitor", "reference-transaction"):
            (origin.work / folder / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
            (origin.work / folder / name).chmod(0o755)
    (origin.work / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    (origin.work / ".gitconfig").write_text(f'[filter "evil"]\n\tsmudge = touch {mark}\n[core]\n\thooksPath = hooks\n')
    origin.commit("print('hooks')")
    origin.push()

    assert clone(pod, f"{server.url}/team/code.git") == 0, pod.log()

    assert not mark.exists()
