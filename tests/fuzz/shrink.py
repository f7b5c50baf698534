"""Makes a case that shows a difference as small as possible."""

from collections.abc import Callable, Sequence
from typing import Any

Path = tuple[str | int, ...]
Which = Callable[[list[Any]], list[bool]]
"""Which of these cases still show the difference; many at once, since a run of Helm is slow and reads thousands."""


def smallest_text(text: str, which: Which) -> str:
    """First without lines, then without single characters."""
    lines = smallest(text.splitlines(keepends=True), "".join, which)
    return "".join(smallest(list("".join(lines)), "".join, which))


def smallest_tree(tree: Any, as_text: Callable[[Any], str], which: Which) -> str:
    """The text of the tree without whatever is not needed."""
    kept = smallest(leaves(tree), lambda parts: as_text(build(parts)), which)
    return as_text(build(kept))


def smallest(items: list[Any], as_case: Callable[[list[Any]], Any], which: Which) -> list[Any]:
    """Takes parts away, large ones first, as long as the difference stays."""
    size = max(len(items) // 2, 1)
    while size and items:
        candidates = [items[:start] + items[start + size :] for start in range(0, len(items), size)]
        still = which([as_case(candidate) for candidate in candidates])
        smaller = next((candidate for candidate, shows in zip(candidates, still, strict=True) if shows), None)
        if smaller is None:
            size //= 2
        else:
            items = smaller
            size = min(size, max(len(items) // 2, 1))
    return items


def leaves(tree: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """Every value that holds no others, with its path."""
    if not isinstance(tree, dict | list) or not tree:
        return [(path, tree)]
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [leaf for key, value in entries for leaf in leaves(value, (*path, key))]


def build(parts: Sequence[tuple[Path, Any]]) -> Any:
    """The tree of these leaves; items of lists move up."""
    if not parts:
        return {}
    if not parts[0][0]:
        return parts[0][1]
    below: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, value in parts:
        below.setdefault(path[0], []).append((path[1:], value))
    built = {key: build(inner) for key, inner in below.items()}
    return list(built.values()) if isinstance(parts[0][0][0], int) else built
