"""A git server for the tests, in a pod of its own: /code.git by http with a password and by ssh.

It also takes webhooks, by http and https.

Prints one line of JSON for what a test wants to know: the commit that is to be trained, every record that is sent.
"""

import base64
import json
import os
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path("/tmp/git")
WORK, BARE = ROOT / "work", ROOT / "code.git"
SOURCES = Path("/sources")
SSHD = """Port 2222
HostKey /tmp/git/host
AuthorizedKeysFile /tmp/git/authorized_keys
StrictModes no
UsePAM no
PidFile none
"""


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def git(*arguments: str) -> str:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(WORK), *arguments]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


def make() -> None:
    """One commit with the sources, on branch main, and a second one that must not be trained."""
    WORK.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main")
    for source in SOURCES.glob("*.py"):
        (WORK / source.name).write_text(source.read_text())
    git("add", "--all")
    git("commit", "--quiet", "--message", "train")
    say(commit=git("rev-parse", "HEAD"))
    git("rm", "--quiet", "train.py")
    git("commit", "--quiet", "--message", "spoiled")
    git("clone", "--quiet", "--bare", str(WORK), str(BARE))


def serve_ssh() -> None:
    (ROOT / "sshd_config").write_text(SSHD)
    for name in ("host", "authorized_keys"):
        (ROOT / name).write_bytes((SOURCES / name).read_bytes())
        (ROOT / name).chmod(0o600)
    Path("/run/sshd").mkdir(exist_ok=True)
    subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(ROOT / "sshd_config")])


class GitHandler(BaseHTTPRequestHandler):
    """Requests for `git http-backend`."""

    def do_GET(self) -> None:
        self.take()

    def do_POST(self) -> None:
        self.take()

    def take(self) -> None:
        self.run_git(ROOT)

    def is_allowed(self, login: str) -> bool:
        """Whether the request has the login of HTTP; answers it otherwise."""
        if self.headers.get("Authorization") == login:
            return True
        self.answer(401, {"WWW-Authenticate": 'Basic realm="git"', "Content-Length": "0"}, b"")
        return False

    def run_git(self, root: Path, **settings: str) -> None:
        path, _, query = self.path.partition("?")
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            **settings,
        }
        body = self.read_body()
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        code = int(lines.pop("Status", "200").split()[0])
        self.answer(code, {**lines, "Content-Length": str(len(content))}, content)

    def read_body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, code: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


class Server(GitHandler):
    """git behind a login; what is posted to /hook is printed."""

    def take(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/hook":
            say(hook=json.loads(self.read_body()), query=query)
            self.answer(204, {}, b"")
        elif self.is_allowed("Basic " + base64.b64encode(b"robot:" + os.environ["PASSWORD"].encode()).decode()):
            super().take()


def encrypted() -> ThreadingHTTPServer:
    """The server by https."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(SOURCES / "tls.crt", SOURCES / "tls.key")
    server = ThreadingHTTPServer(("", 8443), Server)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return server


if __name__ == "__main__":
    make()
    serve_ssh()
    threading.Thread(target=encrypted().serve_forever).start()
    ThreadingHTTPServer(("", 8080), Server).serve_forever()
