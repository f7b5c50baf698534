"""All kinds of problems that dsgen reports: one record per id, one module per hundred ids."""

from dsgen.problems.kinds import ds000, ds100, ds200, ds300, ds900
from dsgen.problems.kinds.kind import Kind

__all__ = ["KINDS", "Kind"]

KINDS: dict[str, Kind] = {kind.id: kind for module in (ds000, ds100, ds200, ds300, ds900) for kind in module.KINDS}
"""The kinds by their ids."""
