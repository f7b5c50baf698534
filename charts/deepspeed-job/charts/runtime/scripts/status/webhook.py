"""status.webhook: one POST of the run's record when the run has ended, sent by the status sidecar.

The address may contain a token, so logs contain only its scheme and host. An address of a Secret must be one of https:
the containers of the pod share /etc/hosts, so the launcher's can lead the name of a host to another host. With https,
that one has no certificate for the name.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from shared import settings

TIMEOUT_SECONDS = 5  # of one request
BUDGET_SECONDS = 15  # of all tries; the pod does not end before
DELAYS = (1, 2, 4)  # seconds between tries
AGAIN = (408, 425, 429)  # answers below 500 that may change


class Address(NamedTuple):
    """Where to send the record, and the schemes that are allowed for it."""

    url: str
    schemes: tuple[str, ...] = ("https", "http")


def read_address(configured: settings.Settings) -> Address:
    """The address of the values or of the Secret; with an empty url for none."""
    if configured.webhook_url:
        return Address(configured.webhook_url)
    try:
        return Address((settings.WEBHOOK / "url").read_text(encoding="utf-8").strip(), schemes=("https",))
    except (OSError, ValueError):  # no Secret is one without this key: the run ends as it would
        return Address("")


def make_body(configured: settings.Settings, line: str) -> bytes:
    """The record, with the names of job, namespace and run."""
    names = {"namespace": configured.namespace, "job": configured.job, "run": configured.run}
    return json.dumps({**names, **json.loads(line)}, ensure_ascii=False).encode()


def deliver(to: Address, content: bytes, log: Callable[[str], None], budget: float = BUDGET_SECONDS) -> bool:
    """Send the record; whether it was taken. Raises nothing, and takes no longer than `budget` seconds."""
    until = time.monotonic() + budget
    try:
        parts = urlsplit(to.url)
        place = f"{parts.scheme}://{parts.hostname}"
        usable = parts.scheme in to.schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        log(f"webhook: nothing is sent: the address is not one of {' or '.join(to.schemes)}")
        return False
    for delay in (*DELAYS, 0):
        problem, again = try_to_send(parts, content, max(min(TIMEOUT_SECONDS, until - time.monotonic()), 0.1))
        if not problem:
            log(f"webhook: {place} took the record")
            return True
        log(f"webhook: {place}: {problem}")
        if not again or not delay or time.monotonic() + delay >= until:
            return False
        time.sleep(delay)
    return False


def try_to_send(parts: SplitResult, content: bytes, seconds: float) -> tuple[str, bool]:
    """Send within so many seconds, however the receiver answers: a time limit of the socket begins anew with each byte.

    Returns the problem, or "", and whether a retry may help.
    """
    answers: list[tuple[str, bool]] = []
    sender = threading.Thread(target=lambda: answers.append(send(parts, content, seconds)), daemon=True)
    sender.start()
    sender.join(seconds)
    return answers[0] if answers else ("timed out", True)


def send(parts: SplitResult, content: bytes, seconds: float) -> tuple[str, bool]:
    """One try, whose steps have so many seconds each. It follows no redirection, and asks no proxy of the image."""
    headers = {"Content-Type": "application/json", "User-Agent": "dsgen", "Connection": "close"}
    user = parts.netloc.rpartition("@")[0]
    try:
        if user:
            headers["Authorization"] = "Basic " + base64.b64encode(unquote(user).encode()).decode("ascii")
        with contextlib.closing(make_connection(parts, seconds)) as connection:
            query = f"?{parts.query}" if parts.query else ""
            connection.request("POST", f"{parts.path or '/'}{query}", content, headers)
            code = connection.getresponse().status
    except ssl.SSLCertVerificationError as error:
        return f"its certificate is not trusted: {error.verify_message}", True
    except OSError as error:
        return str(error.strerror or type(error).__name__), True
    except Exception as error:  # its words may quote the address
        return type(error).__name__, isinstance(error, http.client.HTTPException)
    if 300 <= code < 400:
        return f"answered {code}: redirections are not followed", False
    return "" if 200 <= code < 300 else f"answered {code}", code >= 500 or code in AGAIN


def make_connection(parts: SplitResult, seconds: float) -> http.client.HTTPConnection:
    """The connection; one of https checks the certificate."""
    if parts.scheme == "http":
        return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=seconds)
    authority, context = settings.WEBHOOK / "ca.crt", ssl.create_default_context()
    if authority.exists():
        context.load_verify_locations(authority)
    return http.client.HTTPSConnection(str(parts.hostname), parts.port, timeout=seconds, context=context)
