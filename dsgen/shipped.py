"""Files that are part of the package: the presets of `dsgen init`, and the pages of `dsgen help`.

The presets are the values files of values-examples, and the pages those of docs (pyproject.toml).
"""

import re
from pathlib import Path
from typing import Any

_WORD = re.compile("[A-Za-z][A-Za-z0-9]+")
_PACKAGE = Path(__file__).parent


def _folder(shipped: str, in_checkout: str) -> Path:
    """A folder of the package: beside this module if dsgen is installed, else that of the checkout."""
    beside = _PACKAGE / shipped
    return beside if beside.is_dir() else _PACKAGE.parent / in_checkout


def _presets() -> Path:
    return _folder("examples", "values-examples")


def _pages() -> Path:
    return _folder("docs", "docs")


def preset_names() -> list[str]:
    """All presets, sorted."""
    return sorted(path.stem for path in _presets().glob("*.yaml"))


def preset_text(name: str) -> str:
    """The values file of a preset."""
    return (_presets() / f"{name}.yaml").read_text(encoding="utf-8")


def presets_like(word: str) -> list[str]:
    """The presets that a word may mean: one with a similar name, otherwise those with the word in their text."""
    from dsgen.schema.suggestions import ALMOST, find_closest  # imported late: only a mistake needs it

    if name := find_closest(word, preset_names()):
        return [name]
    having = (
        name
        for part in (preset_summary, preset_text)
        for name in preset_names()
        if find_closest(word, _WORD.findall(part(name)), ALMOST)
    )
    return [*dict.fromkeys(having)]


def preset_summary(name: str) -> str:
    """What a preset is for: the first line of its file, a comment."""
    return preset_text(name).partition("\n")[0].removeprefix("# ")


def fill_preset(content: str, name: str = "", namespace: str = "", image: str = "") -> str:
    """A values file with these names, with its comments and layout; an empty name changes nothing.

    image: `REPOSITORY[:TAG][@DIGEST]`. It also replaces a tag or digest in the file.
    """
    # Imported late: only this function needs them.
    from dsgen.editing import with_value
    from dsgen.reading import read
    from dsgen.reading.nodes import SourceText

    changes: dict[str, Any] = {key: value for key, value in (("name", name), ("namespace", namespace)) if value}
    if image:
        kept = read(SourceText("", content)).root.data()["image"]
        changes["image"] = {**{key: kept[key] for key in kept if key not in ("tag", "digest")}, **_split(image)}
    for key, value in changes.items():
        content = with_value(content, (key,), value)
    return content


def _split(image: str) -> dict[str, str]:
    """The repository, the tag and the digest of an image; without what it lacks."""
    rest, _, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    parts = {"repository": folder + slash + last, "tag": tag, "digest": digest}
    return {key: part for key, part in parts.items() if part or key == "repository"}


def page_names() -> list[str]:
    """All pages, sorted."""
    return sorted(path.stem for path in _pages().glob("*.md"))


def page_text(name: str) -> str:
    """A page, as Markdown."""
    return (_pages() / f"{name}.md").read_text(encoding="utf-8")


def page_title(name: str) -> str:
    """The heading of a page."""
    return page_text(name).partition("\n")[0].removeprefix("# ")
