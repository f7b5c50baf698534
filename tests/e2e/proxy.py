"""A proxy to the API server whose connections can be cut, as by a restart of the API server or a load balancer."""

import contextlib
import os
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import yaml

SERVED_AS = "kubernetes.default.svc"
"""A name that is in the certificate of every API server."""


class Proxy:
    """Passes bytes between a port of this machine and the API server of $KUBECONFIG."""

    def __init__(self, folder: Path) -> None:
        content = yaml.safe_load(Path(os.environ["KUBECONFIG"]).read_text())
        cluster = content["clusters"][0]["cluster"]
        address = urlsplit(cluster["server"])
        self.target = (str(address.hostname), address.port or 443)
        self.open, self.sockets, self.connections = True, list[socket.socket](), 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        port = self.listening.getsockname()[1]
        cluster |= {"server": f"https://127.0.0.1:{port}", "tls-server-name": SERVED_AS}
        self.kubeconfig = folder / "through-proxy"
        self.kubeconfig.write_text(yaml.safe_dump(content))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, seconds: float) -> None:
        """End all connections, and accept none for a while."""
        self.open = False
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        time.sleep(seconds)
        self.open = True

    def close(self) -> None:
        self.listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the port was closed
            while True:
                near, _ = self.listening.accept()
                far = self._far() if self.open else None
                if far is None:
                    near.close()
                    continue
                self.connections += 1
                self.sockets += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=ends, daemon=True).start()

    def _far(self) -> socket.socket | None:
        """A connection to the API server, None while that is away."""
        try:
            return socket.create_connection(self.target)
        except OSError:
            return None


def _pass_on(here: socket.socket, there: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := here.recv(65536):
            there.sendall(piece)
    for one in (here, there):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
