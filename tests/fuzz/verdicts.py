"""Good and bad values: the chart in the real Helm refuses what its schema and the invariants of dsgen refuse."""

import functools
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dsgen import values
from dsgen.compiler.chart import conditions
from dsgen.problems import has_errors
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from tests.fuzz import reading
from tests.fuzz.shrink import build, leaves, smallest_tree
from tests.generated_values import TEXTS, Generator, repaired
from tests.helm import MAJORS
from tests.parity import (
    RELEASE,
    bare_chart,
    batch_refusals,
    batch_run,
    dump,
    find_refusal,
    helm_run,
    problems,
    telling_chart,
)

BATCH = 50
DEFAULT = 2000
SEEDS_APART = 10_000

STRICTER = {
    "DS106": "a null that removes nothing, in the only file, and in lists and Kubernetes objects",
    "DS110": "a chart does not see how a number was written",
    "DS111": "only Helm 3 stops at these characters and keys, and only a program at U+0000",
}
"""What dsgen alone may refuse, and why; what its reader refuses is compared by reading.py."""

Verdict = tuple[str, ...]
"""`("accepted",)`, `("schema",)` or the lines of the checks."""
ACCEPTED, SCHEMA = ("accepted",), ("schema",)

ODD: tuple[Any, ...] = (
    *(0, -1, 1, 2, 7, 65536, 1.5, 1e300, -0.0, True, False, "", "x", "1", "true", "x" * 64, "A_b", "é", "a b", " "),
    *(
        {},
        [],
        {"a": 1},
        ["a"],
        [1],
        [{}],
        [[]],
        {"a": {"b": []}},
        "/",
        "/job",
        "/a:b",
        "a\n",
        "1e3",
        "-",
        "_x",
        "0",
        "9Gi",
    ),
)
# What the checks are about: a path and a value.
TROUBLES: tuple[tuple[str, Any], ...] = (
    *(("image.repository", ""), ("training.python", "a"), ("training.module", "b"), ("training.exec", ["c"])),
    *(("name", "x" * 53), ("name", "Job"), ("name", "1a"), ("run.id", "x" * 40), ("workers.replicas", 10**6)),
    *(
        ("workers.slots", 9),
        ("workers.accelerator.count", 2),
        ("workers.accelerator.resource", "nvidia.com/mig-1g.5gb"),
    ),
    *(("workers.resources.limits", {"nvidia.com/gpu": 1}), ("workers.resources.requests", {"nvidia.com/gpu": "1"})),
    *(
        ("storage.a", {"mountPath": "/job"}),
        ("storage.b", {"mountPath": "/dev/shm", "create": {}, "existingClaim": "c"}),
    ),
    *(("storage.c.mountPath", "/etc"), ("storage.c.nfs", {"server": "s", "path": "/"}), ("storage.c.emptyDir", {})),
    *(("training.env", {"RANK": "1", "DSGEN_A": "b", "MASTER_ADDR": "c"}), ("training.env.LOCAL_RANK", "0")),
    *(("training.deepspeed.config", {"a": 1}), ("training.deepspeed.configFile", "/a.json"), ("ssh.port", 29500)),
    *(
        ("labels", {"dsgen.dev/x": "a"}),
        ("annotations", {"kubernetes.io/x": "a", "a": "b"}),
        ("launch.masterPort", 2222),
    ),
    *(("serviceAccount.annotations", {"a": "b"}), ("workers.podLabels", {"app.kubernetes.io/name": "x"})),
    *(
        ("ssh.secret", {"mode": "existing", "name": "rel-ssh"}),
        ("ssh.secret.name", "x"),
        ("ssh.secret.mode", "existing"),
    ),
)


def cases(count: int, seed: int) -> Iterator[str]:
    """As many values files, some without any error; the same seed gives the same ones."""
    return (dump(_broken(seed * SEEDS_APART + number)) for number in range(count))


def _broken(seed: int) -> Any:
    rng = random.Random(seed)
    tree = Generator(seed).tree() if rng.random() < 0.8 else {"image": {"repository": "r/x"}}
    if rng.random() < 0.4:
        tree = repaired(tree) or tree
    for _ in range(rng.choice([0, 1, 1, 2])):
        tree = _spoilt(tree, rng)
    for path, value in rng.sample(TROUBLES, rng.choice([0, 0, 1, 2, 4])):
        _put(tree, path.split("."), value)
    return tree


def _spoilt(tree: Any, rng: random.Random) -> Any:
    """One leaf replaced, moved up, renamed, or gone."""
    parts = leaves(tree)
    path, value = parts.pop(rng.randrange(len(parts)))
    if not path:
        return tree
    depth = rng.randint(1, len(path))
    key = rng.choice([*TEXTS, "a", "name"]) if isinstance(path[depth - 1], str) else 0
    odd = rng.choice(ODD)
    new = rng.choice([[(path, odd)], [(path[:depth], odd)], [((*path[: depth - 1], key, *path[depth:]), value)], []])
    return build([part for part in parts if not any(_one_below_the_other(part[0], own) for own, _ in new)] + new)


def _one_below_the_other(one: Sequence[str | int], other: Sequence[str | int]) -> bool:
    return all(left == right for left, right in zip(one, other, strict=False))


def _put(tree: Any, path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(tree, dict):
            return
        tree = tree.setdefault(key, {})
    if isinstance(tree, dict):
        tree[path[-1]] = value


# -- the comparison ---------------------------------------------------------------------------------------------------


@functools.lru_cache(BATCH)
def ours(text: str) -> tuple[Verdict, set[str]]:
    """What dsgen says, and the ids of what is wrong before any check; asked once for both majors."""
    loaded = values.load([SourceText("v.yaml", text)])
    if has_errors(loaded.diagnostics):
        return SCHEMA, {one.id for one in loaded.diagnostics if one.severity == "error" and one.id < "DS200"}
    if conditions.IDS & {one.id for one in values.check(loaded, RELEASE)}:
        return SCHEMA, set()
    return tuple(problems(text)) or ACCEPTED, set()


def helms(major: int, texts: Sequence[str], is_schema_passed: bool = False) -> list[Verdict]:
    """What the chart says. Helm names all charts that the schema refuses at once; the others are rendered then.

    is_schema_passed: the charts are without the schema, which takes half of Helm's time.
    """
    if not texts:
        return []
    files = {path: text for path, text in chart().items() if path != "values.schema.json" or not is_schema_passed}
    with tempfile.TemporaryDirectory() as folder:
        result = batch_run(major, Path(folder), texts, files)
    if result.returncode == 0:
        found = batch_refusals(result.stdout)
        return [tuple(found[number]) or ACCEPTED for number in range(len(texts))]
    # The name of a chart stands at the end of a line; the message before it may have no line end.
    refused = {int(number) for number in re.findall(r"c(\d{4}):$", result.stderr, flags=re.MULTILINE)}
    if not refused:
        half = len(texts) // 2
        halves = (helms(major, part, is_schema_passed) for part in (texts[:half], texts[half:]))
        return [one for part in halves for one in part] if half else [("an error", result.stderr)]
    others = iter(helms(major, [text for number, text in enumerate(texts) if number not in refused], True))
    return [SCHEMA if number in refused else next(others) for number in range(len(texts))]


def helms_of_files(major: int, texts: Sequence[str], every: int) -> list[Verdict]:
    """What the chart says of the texts of files.

    One in so many, and each with a null, is also given to Helm alone, as the user does it: what Helm makes of a null
    depends on where the values come from.
    """
    trees = reading.helms(major, texts)
    together = [number for number, tree in enumerate(trees) if isinstance(tree, dict) and not has_null(tree)]
    said = helms(major, [dump(trees[number]) for number in together])
    answers = dict(zip(together, said, strict=True))
    alone = {number for number, tree in enumerate(trees) if isinstance(tree, dict)} - {*together}
    for number in sorted(alone | {*range(0, len(texts), every)}):
        verdict = real(major, texts[number])
        said = answers.setdefault(number, verdict)  # alone, Helm fails with the first message
        assert {*verdict} <= {*said}, (texts[number], said, verdict)
    return [answers.get(number, SCHEMA) for number in range(len(texts))]


def has_null(tree: object) -> bool:
    """Whether null stands anywhere."""
    if isinstance(tree, dict):
        return any(map(has_null, tree.values()))
    return any(map(has_null, tree)) if isinstance(tree, list) else tree is None


def real(major: int, text: str) -> Verdict:
    """What `helm template` says of one file, with the chart as it is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "values.yaml")
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        result = helm_run(major, bare_chart(), "--values", file)
    if result.returncode == 0:
        return ACCEPTED
    message = find_refusal(result.stderr)
    return (message,) if message else SCHEMA


chart = functools.cache(telling_chart)


def agreement(text: str, theirs: Verdict) -> str:
    """`same`, with what both say, `stricter` with dsgen's ids, or what must never be: `DIFFERENT`."""
    mine, ids = ours(text)
    if mine == theirs:
        return f"same: {mine[0] if mine in (ACCEPTED, SCHEMA) else 'checks'}"
    is_stricter = ids and (ids <= STRICTER.keys() or min(ids) < "DS100")
    return f"stricter: {' '.join(sorted(ids))}" if is_stricter else "DIFFERENT"


def compare(texts: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """How often each agreement was found, and minimal values with both answers for each difference."""
    figures: Counter[str] = Counter()
    differences = []
    with ThreadPoolExecutor() as both:
        answers = list(both.map(lambda major: helms(major, texts), MAJORS))
    for major, theirs in zip(MAJORS, answers, strict=True):
        verdicts = list(map(agreement, texts, theirs))
        figures.update(f"Helm {major}: {one}" for one in verdicts)
        different = [text for text, one in zip(texts, verdicts, strict=True) if one == "DIFFERENT"]
        differences += [_shown(major, text) for text in different]
    return figures, differences


def _shown(major: int, text: str) -> str:
    def which(candidates: list[str]) -> list[bool]:
        return [one == "DIFFERENT" for one in map(agreement, candidates, helms(major, candidates))]

    text = smallest_tree(read(SourceText("v.yaml", text)).root.as_data(), dump, which)
    mine, ids = ours(text)
    return f"{text}\n  dsgen:  {[*mine, *sorted(ids)]}\n  Helm {major}: {list(helms(major, [text])[0])}"
