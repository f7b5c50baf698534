"""Files that are part of the package: the presets of `dsgen init`, and the pages of `dsgen help`.

The presets are the values files of values-examples, and the pages those of docs (pyproject.toml).
"""

import re
from pathlib import Path
from typing import Any

_WORD = re.compile("[A-Za-z][A-Za-z0-9]+")
_PACKAGE = Path(__file__).parent


def _find_folder(shipped: str, in_checkout: str) -> Path:
    """A folder of the package: beside this module if dsgen is installed, else that of the checkout."""
    beside = _PACKAGE / shipped
    return beside if beside.is_dir() else _PACKAGE.parent / in_checkout


def _find_presets() -> Path:
    return _find_folder("examples", "values-examples")


def _find_pages() -> Path:
    return _find_folder("docs", "docs")


def list_presets() -> list[str]:
    """All presets, sorted."""
    return sorted(path.stem for path in _find_presets().glob("*.yaml"))


def read_preset(name: str) -> str:
    """The values file of a preset."""
    return (_find_presets() / f"{name}.yaml").read_text(encoding="utf-8")


def find_presets_like(word: str) -> list[str]:
    """The presets that a word may mean: one with a similar name, otherwise those with the word in their text."""
    from dsgen.schema.suggestions import ALMOST, find_closest  # imported late: only a mistake needs it

    if name := find_closest(word, list_presets()):
        return [name]
    having = (
        name
        for part in (read_preset_summary, read_preset)
        for name in list_presets()
        if find_closest(word, _WORD.findall(part(name)), ALMOST)
    )
    return [*dict.fromkeys(having)]


def read_preset_summary(name: str) -> str:
    """What a preset is for: the first line of its file, a comment."""
    return read_preset(name).partition("\n")[0].removeprefix("# ")


def fill_preset(content: str, name: str = "", namespace: str = "", image: str = "") -> str:
    """A values file with these names, with its comments and layout; an empty name changes nothing.

    image: `REPOSITORY[:TAG][@DIGEST]`. It also replaces a tag or digest in the file.
    """
    # Imported late: only this function needs them.
    from dsgen.editing import set_value
    from dsgen.reading import read
    from dsgen.reading.nodes import SourceText

    changes: dict[str, Any] = {key: value for key, value in (("name", name), ("namespace", namespace)) if value}
    if image:
        kept = read(SourceText("", content)).root.as_data()["image"]
        changes["image"] = {**{key: kept[key] for key in kept if key not in ("tag", "digest")}, **_split(image)}
    for key, value in changes.items():
        content = set_value(content, (key,), value)
    return content


def _split(image: str) -> dict[str, str]:
    """The repository, the tag and the digest of an image; without what it lacks."""
    rest, _, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    parts = {"repository": folder + slash + last, "tag": tag, "digest": digest}
    return {key: part for key, part in parts.items() if part or key == "repository"}


def list_pages() -> list[str]:
    """All pages, sorted."""
    return sorted(path.stem for path in _find_pages().glob("*.md"))


def read_page(name: str) -> str:
    """A page, as Markdown."""
    return (_find_pages() / f"{name}.md").read_text(encoding="utf-8")


def read_page_title(name: str) -> str:
    """The heading of a page."""
    return read_page(name).partition("\n")[0].removeprefix("# ")
