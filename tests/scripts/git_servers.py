"""Git servers on this machine for the tests of code.sh."""

import base64
import copy
import shutil
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.e2e.gitserver import GitHandler

PASSWORD = "s3cret%&'\" x"
LOGIN = "Basic " + base64.b64encode(f"robot:{PASSWORD}".encode()).decode()
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")


def git(folder: Path, *arguments: str) -> str:
    argv = ["git", *IDENTITY, "-C", str(folder), *arguments]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


class Origin:
    """A bare repository `team/code.git`: two commits on main, tag v1 on the first, branch fix off the first."""

    def __init__(self, root: Path) -> None:
        self.root, self.path, self.work = root, root / "team/code.git", root / "work"
        for folder in (self.work, self.path):
            folder.mkdir(parents=True)
        git(self.path, "init", "--quiet", "--bare", "--initial-branch=main")
        git(self.work, "init", "--quiet", "--initial-branch=main")
        git(self.work, "remote", "add", "origin", "../team/code.git")
        self.first = self.commit("print('first')")
        git(self.work, "tag", "--annotate", "--message", "one", "v1")
        git(self.work, "checkout", "--quiet", "-b", "fix")
        self.fix = self.commit("print('fix')")
        git(self.work, "checkout", "--quiet", "main")
        self.last = self.commit("print('last')")
        self.push()

    def copied(self, root: Path) -> "Origin":
        """The same in another folder, which takes less time than to make it."""
        shutil.copytree(self.root, root)
        other = copy.copy(self)
        other.root, other.path, other.work = root, root / "team/code.git", root / "work"
        return other

    def commit(self, text: str) -> str:
        (self.work / "train.py").write_text(text + "\n")
        git(self.work, "add", "--all")
        return self.commit_index(text)

    def commit_index(self, text: str = "index") -> str:
        git(self.work, "commit", "--quiet", "--message", text)
        return git(self.work, "rev-parse", "HEAD")

    def push(self) -> None:
        git(self.work, "push", "--quiet", "--force", "--all", "origin")
        git(self.work, "push", "--quiet", "--tags", "origin")
        git(self.path, "update-server-info")


class GitServer(GitHandler):
    """git with a login if one is set, and with failures first if some are asked for."""

    def take(self) -> None:
        server: Any = self.server
        server.requests.append((self.path, self.headers.get("Authorization")))
        if server.failures > 0:
            server.failures -= 1
            self.send_error(503)
        elif server.redirect:
            self.answer(301, {"Location": server.redirect + self.path}, b"")
        elif not server.login or self.is_allowed(server.login):
            self.run_git(server.root, HOME=server.home)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


class Quiet(SimpleHTTPRequestHandler):
    """Files only, as the dumb protocol wants them."""

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def serve(handler: Any, root: Path) -> Any:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.root, server.login, server.failures, server.redirect, server.requests = root, "", 0, "", []
    server.home = "/"  # with the settings of git on the server
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def secret(pod: Any, **keys: str) -> None:
    folder = pod.root / "etc/dsgen-git"
    folder.mkdir(exist_ok=True)
    for key, text in keys.items():
        (folder / key.replace("_", "-" if key.startswith("ssh") else "_")).write_text(text)


def clone(pod: Any, repository: str, revision: str = "", **environment: str) -> int:
    """Exit code of the container."""
    asked = {"DSGEN_GIT_REPOSITORY": repository, "DSGEN_GIT_REVISION": revision}
    return int(pod.start("bash", pod.scripts / "shared/code.sh", **asked, **environment).wait(60))


def tree(pod: Any) -> Path:
    return Path(pod.run / "code/tree")
