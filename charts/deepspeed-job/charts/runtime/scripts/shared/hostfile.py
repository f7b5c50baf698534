"""The hosts and slots of a training: those of the hostfile, filtered by options of DeepSpeed."""

from __future__ import annotations

from pathlib import Path

# Options of `deepspeed` whose values dsgen needs, by each of their spellings.
KNOWN = {"-i": "include", "--include": "include", "-e": "exclude", "--exclude": "exclude"}
KNOWN["--launcher_args"] = "launcher_args"


def read_hosts(hostfile: Path) -> list[str]:
    """Names of the workers in rank order. OSError without the file: deepspeed would train in the launcher pod."""
    return [line.split()[0] for line in hostfile.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, names: list[str], slots: int) -> str:
    """Write a hostfile of these workers; returns its path."""
    path.write_text("".join([f"{name} slots={slots}\n" for name in names]), encoding="utf-8")
    return str(path)


def parse_options(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """The values of KNOWN options of training.deepspeed.args, and the other arguments.

    The value of an option is the next argument, or follows `=`.
    """
    known = dict.fromkeys(KNOWN.values(), "")
    rest, words = [], iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option in KNOWN:
            known[KNOWN[option]] = value if equals else next(words, "")
        else:
            rest.append(word)
    return known, rest


def count_active_slots(names: list[str], slots: int, arguments: list[str]) -> dict[str, int]:
    """Host -> slots in use, in the hostfile's order, as deepspeed/launcher/runner.py reads --include and --exclude.

    `w-0@w-1:0,2` is all of w-0, and slots 0 and 2 of w-1.
    """
    whole, given = set(range(slots)), parse_options(arguments)[0]
    named: dict[str, set[int]] = {}
    for word in filter(None, (given["include"] or given["exclude"]).split("@")):
        host, _, numbers = word.partition(":")
        named.setdefault(host, set()).update(int(number) for number in numbers.split(",") if number)
    meant = {name: (named[name] or whole) if name in named else set() for name in names}
    used = meant if given["include"] else {name: whole - numbers for name, numbers in meant.items()}
    return {name: len(numbers) for name, numbers in used.items() if numbers}
