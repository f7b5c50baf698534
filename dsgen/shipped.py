"""Files that are part of the package: the presets of `dsgen init`, and the pages of `dsgen help`.

The presets are the values files of values-examples, and the pages those of docs (pyproject.toml).
"""

import re
from pathlib import Path
from typing import Any

_WORD = re.compile("[A-Za-z][A-Za-z0-9]+")
_PRESETS, _PAGES = Path(__file__).with_name("examples"), Path(__file__).with_name("docs")
if not _PAGES.is_dir():  # dsgen is not installed
    _PRESETS, _PAGES = Path(__file__).parents[1] / "values-examples", Path(__file__).parents[1] / "docs"


def list_presets() -> list[str]:
    return sorted(path.stem for path in _PRESETS.glob("*.yaml"))


def read_preset(name: str) -> str:
    """The values file of a preset."""
    return (_PRESETS / f"{name}.yaml").read_text(encoding="utf-8")


def find_presets_like(word: str) -> list[str]:
    """The presets that a word may mean: one with a similar name, otherwise those with the word in their text."""
    from dsgen.schema.suggestions import ALMOST, find_closest  # imported late: only a mistake needs it

    if name := find_closest(word, list_presets()):
        return [name]
    texts = [(name, part(name)) for part in (read_preset_summary, read_preset) for name in list_presets()]
    return [*dict.fromkeys(name for name, text in texts if find_closest(word, _WORD.findall(text), ALMOST))]


def read_preset_summary(name: str) -> str:
    """What a preset is for: the first line of its file, a comment."""
    return read_preset(name).partition("\n")[0].removeprefix("# ")


def fill_preset(content: str, name: str = "", namespace: str = "", image: str = "") -> tuple[str, dict[str, Any]]:
    """A values file with these names, with its comments and layout, and its values; an empty name changes nothing.

    image: `REPOSITORY[:TAG][@DIGEST]`. It also replaces a tag or digest in the file.
    """
    from dsgen.editing import set_value  # imported late, as the next: only this function needs them
    from dsgen.reading import read
    from dsgen.reading.nodes import SourceText
    from dsgen.schema.foreign import split_image

    data = read(SourceText("", content)).root.as_data()
    changes: dict[str, Any] = {key: value for key, value in (("name", name), ("namespace", namespace)) if value}
    if image:
        kept = data["image"]
        changes["image"] = {**{key: kept[key] for key in kept if key not in ("tag", "digest")}, **split_image(image)}
    for key, value in changes.items():
        content = set_value(content, (key,), value)
    return content, {**data, **changes}


def list_pages() -> list[str]:
    return sorted(path.stem for path in _PAGES.glob("*.md"))


def read_page(name: str) -> str:
    """A page, as Markdown."""
    return (_PAGES / f"{name}.md").read_text(encoding="utf-8")


def read_page_title(name: str) -> str:
    return read_page(name).partition("\n")[0].removeprefix("# ")
