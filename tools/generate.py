"""Writes the generated files: Python, the chart, the schema for editors, the option reference, the output in the docs.

`make generate` runs it; tests/test_generated.py fails if it was forgotten. A page whose examples cause a warning that
they did not cause before is not written, until `make generate ARGS=--accept-warnings` says that this is meant. If a
template, a check or the schema does not compile, nothing is written.
"""

import os
import re
import sys
import tempfile
from collections.abc import Container, Iterable, Mapping
from pathlib import Path

from dsgen import schema
from dsgen.compiler import CompileError, make_chart_files, make_python_files
from dsgen.compiler.chart import compile_templates
from dsgen.deepspeed.keys import load_table
from dsgen.language.environment import TEMPLATES
from dsgen.language.functions import SHIPPED
from dsgen.repository import settings
from dsgen.schema import export
from dsgen.writer import as_canonical_json, compute_checksum
from tools import causes, docs, estimates, pictures, sizes

ROOT = Path(__file__).parent.parent
CHART = ROOT / "charts" / "deepspeed-job"
PYTHON = ROOT / "dsgen" / "generated"
ACCEPT = "--accept-warnings"
THIS_PROGRAM = (sys.executable, "-m", "tools.generate")
_WARNING = re.compile(r"^[^\s:]+(?::\d+)*: (warning: .*)$", re.MULTILINE)
DIGEST = '''"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "{}"

SCRIPTS = "{}"
"""Of the scripts alone, which is in the names of their objects."""
'''


def python_texts() -> dict[str, str]:
    """Path -> text of the generated files of dsgen itself."""
    folder = PYTHON.relative_to(ROOT).as_posix()
    files = {f"{folder}/{name}": text for name, text in make_python_files().items()}
    modules = {path: text for path, text in files.items() if path.endswith(".py")}  # the others are explanations
    digest = compute_checksum(as_canonical_json([modules, SHIPPED.texts, schema.load(), load_table()]).encode())
    return files | {f"{folder}/digest.py": DIGEST.format(digest, SHIPPED.digest("scripts/**"))}


def chart_texts() -> dict[str, str]:
    """Path -> text of the files of the chart."""
    folder = CHART.relative_to(ROOT).as_posix()
    return {f"{folder}/{path}": text for path, text in make_chart_files().items()}


def texts() -> dict[str, str]:
    """Path -> text of every generated file, without the pages that are written by hand."""
    return {
        **python_texts(),
        **chart_texts(),
        "schemas/values.schema.json": export.as_json(export.make_editor_schema()),
        "schemas/repository.schema.json": export.as_json(settings.make_editor_schema()),
        "docs/options.md": export.format_options_page(),
        "docs/causes.md": causes.page(),
        "docs/pictures/status.svg": pictures.status(),
        "docs/pictures/why.svg": pictures.why(),
        "docs/pictures/memory.svg": estimates.memory(),
        "docs/pictures/benchmark.svg": pictures.benchmark((ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")),
    }


def pages() -> dict[str, str]:
    """Path -> text of the pages that are written by hand, with the present output of their commands."""
    return {page.relative_to(ROOT).as_posix(): _page(page) for page in docs.pages()}


def files() -> list[Path]:
    """The files in folders that contain only generated files."""
    return [*CHART.rglob("*"), *PYTHON.glob("*.*")]


def stale(wanted: Container[str], existing: Iterable[Path]) -> list[Path]:
    """The existing files that are no longer generated."""
    return [path for path in existing if path.is_file() and path.relative_to(ROOT).as_posix() not in wanted]


def _page(page: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        docs.make_folder(Path(folder))
        text = estimates.with_tables(sizes.with_sizes(page.read_text(encoding="utf-8"), ROOT))
        return docs.refreshed(text, Path(folder))


def main() -> None:
    """Update the repository. A mistake in a template is printed with its file and line; then the exit code is 1."""
    try:
        update()
    except CompileError as error:
        sys.exit(located(str(error)))


def located(message: str) -> str:
    """A message of the compiler, with the path of its template in the repository."""
    name, _, rest = message.partition(":")
    return f"{TEMPLATES.relative_to(ROOT).as_posix()}/{message}" if rest and (TEMPLATES / name).is_file() else message


def update() -> None:
    """Update the repository; files that are up to date are not written. Raises CompileError."""
    if _replace(compile_both(), PYTHON.glob("*.*")):  # before the pages, which show what the program prints
        _restart()
    refreshed = pages()
    found = {} if ACCEPT in sys.argv else {name: new_warnings(_read(name), text) for name, text in refreshed.items()}
    _replace(texts() | {name: text for name, text in refreshed.items() if not found.get(name)}, files())
    lines = [f"not written: {name} would show a new warning: {one}" for name, each in found.items() for one in each]
    if lines:
        sys.exit("\n".join([*lines, f"correct the example, or accept it: make generate ARGS={ACCEPT}"]))


def compile_both() -> dict[str, str]:
    """The modules of `python_texts`, unless the chart does not compile. Raises CompileError."""
    modules = python_texts()
    compile_templates()
    return modules


def new_warnings(old: str, new: str) -> list[str]:
    """The warnings in a page that its old text does not have, each once; file, line and column do not matter."""
    known = set(_WARNING.findall(old))
    found: dict[str, str] = {}
    for match in _WARNING.finditer(new):
        if match[1] not in known:
            found.setdefault(match[1], match[0])
    return [*found.values()]


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _restart() -> None:
    """Run this program anew, because the modules that it has imported are the old ones."""
    os.execv(sys.executable, [*THIS_PROGRAM, *sys.argv[1:]])


def _replace(wanted: Mapping[str, str], existing: Iterable[Path]) -> bool:
    """Write the generated files, and remove those that are no longer generated; returns whether there were changes."""
    for path in stale(wanted, existing):
        path.unlink()
        print(f"removed: {path.relative_to(ROOT)}")
    return _write(wanted)


def _write(files: Mapping[str, str]) -> bool:
    changed = False
    for name, text in files.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"changed: {name}", flush=True)
            changed = True
    return changed


if __name__ == "__main__":
    main()
