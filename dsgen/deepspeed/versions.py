"""The versions of DeepSpeed whose keys and options dsgen knows, and how it treats other versions."""

from __future__ import annotations

from typing import NamedTuple

KNOWN = ("0.14.5", "0.15.4", "0.16.9", "0.17.0", "0.17.6", "0.18.3", "0.18.9", "0.19.0", "0.19.4", "0.19.8")
"""tools/deepspeed_keys.py makes the tables of each version from its package."""
NEWEST = KNOWN[-1]


class Version(NamedTuple):
    """A version for which a configuration is checked.

    table: the known version whose tables apply; called: what the user wrote, "" for nothing. is_covered: false for a
    version newer or older than all known ones, which may have keys that none of them has.
    """

    table: str = NEWEST
    called: str = ""
    is_covered: bool = True


def order(version: str) -> tuple[int, ...]:
    """The key for comparing versions."""
    return tuple(map(int, version.split(".")))


def around(given: str) -> list[Version]:
    """The known versions nearest to a given one, the oldest first.

    For a known version that is the version itself; for a line such as 0.18, all known versions of it; for another
    version, its neighbours. What all of them refuse, the given version refuses.
    """
    if not given:
        return [Version()]
    exact = [known for known in KNOWN if known == given or known.startswith(f"{given}.")]
    if exact:
        return [Version(known, given) for known in exact]
    below = [known for known in KNOWN if order(known) < order(given)]
    near = [*below[-1:], *KNOWN[len(below) :][:1]]
    return [Version(known, given, is_covered=len(near) > 1) for known in near]
