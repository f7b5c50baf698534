"""After an upgrade, an edit that would change a run is refused."""

import json
import os
import random
from pathlib import Path

from dsgen import api
from dsgen.values import SourceText
from dsgen.writer import INDEX, remove_suspension
from tests.cli.conftest import Cli, texts_in
from tests.cli.upgrade.conftest import VALUES, by, edit, of_run

MANY = int(os.environ.get("DSGEN_UPGRADE_JOBS", "12"))


EDIT = {
    ("workers", "replicas"): ("{replicas: 2}", "{replicas: 3}"),
    ("image", "tag"): ("tag: v3", "tag: v4"),
    ("training", "args", 1): ('"3"', '"5"'),
    ("training", "python"): ("/workspace/train.py", "/workspace/other.py"),
    ("storage", "checkpoints", "mountPath"): ("mountPath: /checkpoints", "mountPath: /saved"),
    ("storage", "checkpoints", "create", "size"): ("size: 100Gi", "size: 200Gi"),
    ("lifecycle", "suspend"): ("suspend: false", "suspend: true"),
    (): ("# A complete", "# Complete"),
}
HARMLESS = {("storage", "checkpoints", "create", "size"), ("lifecycle", "suspend"), ()}


def test_an_edit_is_refused_exactly_when_the_run_differs(release: Path, folder: Path, cli: Cli) -> None:
    """Each job has edits of its own, and each refused key is named with its line. DSGEN_UPGRADE_JOBS=100 tries more."""
    names = [f"job{number:03}" for number in range(MANY)]
    files = [f"{name}.yaml" for name in names]
    for name in names:
        (folder / f"{name}.yaml").write_text(VALUES.replace("cifar", name))
    by(release, folder, "render", *files, "-d", "out")
    written = of_run(texts_in(folder / "out"))
    (folder / "added.yaml").write_text(VALUES.replace("cifar", "added"))

    assert (0, "") == cli("render", *files, "added.yaml", "-d", "out")[::2]
    assert written == {key: text for key, text in of_run(texts_in(folder / "out")).items() if "added" not in key}
    assert (folder / "out" / "added" / INDEX).exists()

    edits = {f"{name}.yaml": edited(folder / f"{name}.yaml", random.Random(name)) for name in names}
    changed = {file for file in files if differ(VALUES, (folder / file).read_text())}
    before = texts_in(folder / "out")
    code, out, _ = cli("render", *files, "-d", "out", "--keep-going", "-o", "json")
    problems = json.loads(out)["diagnostics"]

    assert changed == {file for file in files if {*edits[file]} - HARMLESS}
    assert (1, {"DS903"}) == (code, {one["id"] for one in problems})
    refused = [(file, dotted(path)) for file in files for path in edits[file] if path not in HARMLESS]
    assert sorted(refused) == sorted((one["file"], one["path"]) for one in problems)
    for one in problems:
        path = next(path for path in edits[one["file"]] if dotted(path) == one["path"])
        new = EDIT[path][1].removeprefix("{").split(": ")[-1].removesuffix("}")
        line = (folder / one["file"]).read_text().splitlines()[one["line"] - 1]
        assert line[one["column"] - 1 :].startswith(new)
    assert kept(before, changed) == kept(texts_in(folder / "out"), changed)


def edited(file: Path, chance: random.Random) -> list[tuple[str | int, ...]]:
    """Some edits of a file."""
    edits = chance.sample(sorted(EDIT, key=str), chance.choice([1, 1, 2, 3]))
    for path in edits:
        edit(file, *EDIT[path])
    return edits


def kept(present: dict[str, str], files: set[str]) -> dict[str, str]:
    """What is in the folders of these jobs."""
    return {path: text for path, text in present.items() if f"{path.partition('/')[0]}.yaml" in files}


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(map(str, path)).replace(".1", "[1]")


def differ(old: str, new: str) -> bool:
    """Whether objects of the run differ between two values files, apart from name and `suspend`."""

    def run(text: str) -> list[str]:
        job = api.load(SourceText("values.yaml", text))
        objects = [one for one in api.render(job) if "dsgen.dev/run: " in one.text]
        return [remove_suspension(one.text).replace(job.release.name, "NAME") for one in objects]

    return run(old) != run(new)
