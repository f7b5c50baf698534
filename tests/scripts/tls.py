"""A server of a test that speaks TLS, with a certificate that it has signed itself."""

import ssl
import subprocess
from pathlib import Path
from socketserver import TCPServer


def wrap(server: TCPServer, certificate: Path, address: str = "127.0.0.1") -> None:
    """Make the certificate for an IP address, with its key beside it, and let the server use them."""
    key = certificate.with_suffix(".key")
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-addext"]
    names = [f"subjectAltName=IP:{address}", "-keyout", key, "-out", certificate]
    subprocess.run([*argv, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
