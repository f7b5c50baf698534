"""Null removes what was merged before, in dsgen as in Helm 3 and 4, for generated files, overlays and flags."""

import functools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dsgen import values
from dsgen.compiler import make_chart_files
from dsgen.errors import UsageError
from dsgen.reading.nodes import SourceText
from dsgen.render import render
from dsgen.schema.default_values import FIELD, OTHER, classify_place
from dsgen.values import Job, Override
from tests.generated_values import Generator, repaired
from tests.helm import MAJORS
from tests.parity import RELEASE, dump, helm_run, load, objects, with_scripts, without_scripts, write_chart

COUNTS = [10, pytest.param(24, marks=pytest.mark.slow)]
"""Generated cases for each major; `Counter` below says what they have to show."""
Path_ = tuple[str, ...]


class Case:
    """Values files of which each has nulls and values for those before it, and flags with nulls. The first is valid."""

    def __init__(self, seed: int, most_overlays: int) -> None:
        self._random = random.Random(seed)
        self.layers = [_tree(seed)]
        known = [path for path in _paths(self.layers[0]) if self._is_worth_it(path)]
        for number in range(self._random.randint(1, most_overlays)):
            layer = self._some(_tree(seed + 1000 * (number + 1)))
            for path in self._random.sample(known, min(len(known), self._random.randint(1, 4))):
                _put(layer, path, None)
            self.layers.append(layer)
        flags = [path for path in known if all(re.fullmatch(r"[\w-]+", key) for key in path)]
        self.flags = [
            self._flag(path) for path in self._random.sample(flags, min(len(flags), self._random.randint(0, 2)))
        ]

    def _is_worth_it(self, path: Path_) -> bool:
        """Few of the many places where null is refused, and of the fields of Kubernetes."""
        return self._random.random() < {OTHER: 0.02, FIELD: 0.1}.get(classify_place(path), 1)

    def _some(self, tree: dict[str, Any]) -> dict[str, Any]:
        """A part of other values, so that overlays also add to what others remove."""
        kept = {key: tree[key] for key in ("storage", "labels", "annotations") if key in tree}
        return {key: part for key, part in kept.items() if self._random.random() < 0.3}

    def _flag(self, path: Path_) -> Override:
        form = self._random.choice(["--set", "--set-json"])
        return Override(form, f"{'.'.join(path)}=null")

    @property
    def texts(self) -> list[str]:
        return [dump(layer) + "\n" for layer in self.layers]

    def load(self) -> Job:
        """The job of all files and flags."""
        sources = [SourceText(f"{number}.yaml", text) for number, text in enumerate(self.texts)]
        return values.load(sources, self.flags)

    def arguments(self, folder: Path, first: int = 0) -> Iterator[str | Path]:
        """The same for Helm, from this file on."""
        for number, text in enumerate(self.texts[first:]):
            (folder / f"{number}.yaml").write_text(text)
            yield from ("--values", folder / f"{number}.yaml")
        for flag in self.flags:
            yield from (flag.flag, flag.text)


def _tree(seed: int) -> dict[str, Any]:
    """Values without the names, which Helm gives."""
    generated = Generator(seed).tree()
    tree = repaired({key: part for key, part in generated.items() if key not in ("name", "namespace")})
    return tree or {"image": {"repository": "r/x"}, "training": {"python": "t.py", "env": {"A": "1"}}}


def _paths(tree: Any, path: Path_ = ()) -> list[Path_]:
    """The paths of all values in maps."""
    if not isinstance(tree, dict):
        return []
    return [found for key, part in tree.items() for found in ((*path, key), *_paths(part, (*path, key)))]


def _put(tree: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(tree.get(key), dict):
            tree[key] = {}
        tree = tree[key]
    tree[path[-1]] = value


make_case = functools.cache(Case)
"""Cases are the same for each major, and take longer to make than Helm takes."""


@functools.cache
def ours(case: Case) -> tuple[str, Any]:
    """What dsgen says: "refused" with the problems, or "accepted" with the objects."""
    try:
        job = case.load()
    except UsageError as error:
        return "refused", str(error)
    if job.values is None:
        return "refused", {f"{one.id} {'.'.join(map(str, one.path))}" for one in job.diagnostics}
    wrong = [one for one in values.check(job, RELEASE) if one.severity == "error"]
    if wrong:
        return "refused", {one.id for one in wrong}
    return "accepted", objects("---\n".join(document.text for document in render(job.data, RELEASE)))


def theirs(major: int, chart: Path, *arguments: str | Path) -> tuple[str, Any]:
    """The same of Helm."""
    result = helm_run(major, chart, *arguments)
    if result.returncode:
        return "refused", result.stderr
    return "accepted", with_scripts(objects(result.stdout))


def until_both(seen: Counter[str], count: int) -> Iterator[int]:
    """Numbers of cases: so many, and more until both verdicts were seen, since a new key makes other cases."""
    for seed in range(count * 20):
        if seed >= count and len(seen) == 2:
            return
        yield seed
    raise AssertionError(seen)


def of_kubernetes(case: Case) -> bool:
    """Whether a null stands in an object of Kubernetes, where the schema of the chart without a job refuses it."""
    nulls = [path for layer in case.layers for path in _paths(layer) if _at(layer, path) is None]
    nulls += [tuple(flag.text.removesuffix("=null").split(".")) for flag in case.flags]
    return any(classify_place(path) == FIELD for path in nulls)


def _at(tree: Any, path: Path_) -> Any:
    for key in path:
        tree = tree[key]
    return tree


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("major", MAJORS)
def test_overlays_and_flags_remove_what_they_remove_in_helm(major: int, count: int, tmp_path: Path) -> None:
    chart = write_chart(tmp_path / "chart", without_scripts(make_chart_files()))
    seen: Counter[str] = Counter()
    for seed in until_both(seen, count):
        case = make_case(seed, 2)
        mine, other = ours(case), theirs(major, chart, *case.arguments(tmp_path))
        seen[mine[0]] += 1
        if mine[0] == "accepted" and other[0] == "refused" and of_kubernetes(case):
            continue
        assert mine[0] == other[0], (case.texts, case.flags, mine, other)
        assert mine[0] == "refused" or mine[1] == other[1], (case.texts, case.flags)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("major", MAJORS)
def test_an_overlay_removes_the_defaults_of_a_chart(major: int, count: int, tmp_path: Path) -> None:
    """The chart of a job has the values of the job as its defaults."""
    seen: Counter[str] = Counter()
    for seed in until_both(seen, count // 2):
        case = make_case(seed + 100, 1)
        chart = write_chart(tmp_path / f"chart{seed}", without_scripts(make_chart_files(load(case.texts[0]))))
        mine, other = ours(case), theirs(major, chart, *case.arguments(tmp_path, first=1))
        seen[mine[0]] += 1
        assert mine[0] == other[0], (case.texts, case.flags, mine, other)
        assert mine[0] == "refused" or mine[1] == other[1], (case.texts, case.flags)
