"""Sizes and speeds as people write them: 80Gi, 400Gbit, 5G."""

from __future__ import annotations

import re

from dsgen.reading.quantities import SUFFIXES, parse_quantity

BITS = re.compile(r"([0-9]+(?:\.[0-9]+)?)(k|M|G|T)?bit(?:/s)?")
FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
QUANTITY = re.compile(rf"[0-9]+(?:\.[0-9]+)?({'|'.join(SUFFIXES)})?")


class UnitError(ValueError):
    """A size or speed that cannot be read; the text says what is possible."""


def parse_bytes(text: str | float) -> float:
    """Bytes, or bytes a second: a quantity of Kubernetes such as 80Gi or 5G. Raises UnitError."""
    if isinstance(text, int | float) and 0 <= text < float("inf"):
        return float(text)
    written = str(text)
    if not QUANTITY.fullmatch(written):
        raise UnitError(f"{written!r} is not a size; write it as in Kubernetes, such as 80Gi or 500G")
    return float(parse_quantity(written))


def parse_bandwidth(text: str | float) -> float:
    """The speed of a network: 400Gbit, 10Gbit/s, or a number of bits a second. Raises UnitError."""
    if isinstance(text, int | float) and 0 <= text < float("inf"):
        return float(text)
    written = str(text)
    if found := BITS.fullmatch(written):
        return float(found[1]) * FACTORS[found[2] or ""]
    raise UnitError(f"{written!r} is not the speed of a network; write it in bits a second, such as 400Gbit")
