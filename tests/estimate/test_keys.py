"""Every key of DeepSpeed's configuration that dsgen checks is in a formula, or is named as not in one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsgen.deepspeed.keys import load_table
from dsgen.estimate.notes import LEFT_OUT, WITHOUT_EFFECT

PACKAGE = Path(__file__).parent.parent.parent / "dsgen" / "estimate"
FORMULAS = "".join(path.read_text() for path in PACKAGE.glob("*.py") if path.name != "notes.py")
NAMED = {key for keys in WITHOUT_EFFECT.values() for key in keys}
SWITCHES = ("enabled", "deepcompile")
NOT_IN = {".".join(path[:-1] if path[-1] in SWITCHES else path) for path, _ in LEFT_OUT}


def keys(rule: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All keys that hold a value."""
    for key, below in rule.get("keys", {}).items():
        if below.get("keys"):
            yield from keys(below, (*path, key))
        else:
            yield (*path, key)


KEYS = list(keys(load_table()))


def prefixes(path: tuple[str, ...]) -> set[str]:
    """The names under which a key may stand in a table; stage3_ is an alias."""
    plain = (*path[:-1], path[-1].removeprefix("stage3_"))
    return {".".join(one[:end]) for one in (path, plain) for end in range(1, len(path) + 1)}


def is_in_a_formula(path: tuple[str, ...]) -> bool:
    """Whether a module of the formulas reads the key."""
    names = {
        path[-1],
        path[-1].removeprefix("stage3_"),
        path[-1].replace("fp16_", "{kind}_").replace("bf16_", "{kind}_"),
    }
    return any(f'"{name}"' in FORMULAS for name in names)


def test_every_key_is_in_or_is_named() -> None:
    missing = [path for path in KEYS if not prefixes(path) & (NAMED | NOT_IN) and not is_in_a_formula(path)]

    assert len(KEYS) > 200
    assert [] == missing


def test_the_tables_name_keys_that_exist() -> None:
    known = {name for path in KEYS for name in prefixes(path)}

    assert set() == NAMED - known
    assert set() == NOT_IN - known - {"compression_training", "elasticity"}, "keys of older versions"
