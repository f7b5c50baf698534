"""The launcher's announcement to a worker with ssh that the run is over, at the port of the readiness probe.

The worker sends a challenge, and the launcher answers with the phase and a signature with the job's ssh key. A login
would take fifty times as much CPU time, and the workers hold their GPUs until they know.
"""

from __future__ import annotations

import os

from shared.transitions import ENDS

CHALLENGE_BYTES = 32
ANSWER_BYTES = 100  # at most


def new_challenge() -> bytes:
    return os.urandom(CHALLENGE_BYTES)


def answer(key: bytes, challenge: bytes, phase: str) -> bytes:
    """The line with the phase and its signature."""
    import hmac  # loads OpenSSL, which a worker needs only at the end

    signature = hmac.new(key, challenge + phase.encode(), "sha256").hexdigest()
    return f"{phase} {signature}\n".encode()


def announced_phase(key: bytes, challenge: bytes, line: bytes) -> str:
    """The phase of an answer; "" if the signature is wrong."""
    import hmac

    return next((phase for phase in ENDS if hmac.compare_digest(answer(key, challenge, phase), line)), "")
