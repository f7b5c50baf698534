"""Every kind of problem that dsgen reports, in one record each; a module holds the ids of one hundred."""

from dsgen.problems.kinds import ds000, ds100, ds200, ds300, ds900
from dsgen.problems.kinds.kind import Kind

__all__ = ["KINDS", "Kind"]

KINDS: dict[str, Kind] = {kind.id: kind for module in (ds000, ds100, ds200, ds300, ds900) for kind in module.KINDS}
"""By id."""
