"""The versions of DeepSpeed whose keys and options are known, and what is taken for the others."""

from __future__ import annotations

from dataclasses import dataclass

KNOWN = ("0.14.5", "0.15.4", "0.16.9", "0.17.0", "0.17.6", "0.18.3", "0.18.9", "0.19.0", "0.19.4", "0.19.8")
"""Those whose sources were read; tools/deepspeed_keys.py made the tables of each from the package itself."""
NEWEST = KNOWN[-1]


@dataclass(frozen=True)
class Version:
    """A version that a configuration is held against.

    table: the known version whose tables are taken; called: what the user wrote, "" for nothing. is_covered: false for
    one that is newer than all that are known, or older, so that it may have keys that none of them has.
    """

    table: str = NEWEST
    called: str = ""
    is_covered: bool = True


def order(version: str) -> tuple[int, ...]:
    """By which versions are compared."""
    return tuple(map(int, version.split(".")))


def around(given: str) -> list[Version]:
    """The known versions that are nearest to a given one, the oldest first.

    A known version is itself; a line such as 0.18 is all that are known of it; another has two neighbours, or one. What
    all of them refuse is refused by the version itself.
    """
    if not given:
        return [Version()]
    exact = [known for known in KNOWN if known == given or known.startswith(f"{given}.")]
    if exact:
        return [Version(known, given) for known in exact]
    below = [known for known in KNOWN if order(known) < order(given)]
    near = [*below[-1:], *KNOWN[len(below) :][:1]]
    return [Version(known, given, is_covered=len(near) > 1) for known in near]
