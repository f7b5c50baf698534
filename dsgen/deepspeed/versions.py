"""The versions of DeepSpeed whose keys and options are known."""

from __future__ import annotations

from dsgen.deepspeed.keys import Finding
from dsgen.nodes import Path

VERSION: Path = ("training", "deepspeed", "version")
KNOWN = ("0.14.5", "0.15.4", "0.16.9", "0.17.0", "0.17.6", "0.18.3", "0.18.9", "0.19.0", "0.19.4", "0.19.8")
"""Those whose sources were read; tools/deepspeed_keys.py made the tables of each from the package itself."""


def order(version: str) -> tuple[int, ...]:
    """By which versions are compared."""
    return tuple(map(int, version.split(".")))


def chosen(given: str) -> str:
    """The known version for what the user wrote: itself, or the newest of a line such as 0.18; "" for none given.

    An unknown version is itself; `unknown` reports it.
    """
    line = [version for version in KNOWN if version.startswith(f"{given}.")]
    return line[-1] if given and line else given


def unknown(given: str) -> Finding | None:
    """The problem of a version without a table."""
    if not given or chosen(given) in KNOWN:
        return None
    return Finding(
        "DS285", (), f"training.deepspeed.version: {given} is not known here", f"possible: {', '.join(KNOWN)}"
    )
