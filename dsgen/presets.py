"""Values files to start from: the examples of the repository, which are part of the package."""

import re
from pathlib import Path
from typing import Any

from dsgen.editing import with_value
from dsgen.reading import read
from dsgen.reading.nodes import SourceText
from dsgen.schema.suggestions import ALMOST, find_closest

_WORD = re.compile("[A-Za-z][A-Za-z0-9]+")
_SHIPPED = Path(__file__).parent / "examples"
_CHECKOUT = Path(__file__).parents[1] / "values-examples"


def names() -> list[str]:
    """All presets, sorted."""
    return sorted(path.stem for path in _folder().glob("*.yaml"))


def text(name: str) -> str:
    """The values file of a preset."""
    return (_folder() / f"{name}.yaml").read_text(encoding="utf-8")


def like(word: str) -> list[str]:
    """The presets that a word may mean: one with a similar name, otherwise those with the word in their text."""
    if name := find_closest(word, names()):
        return [name]
    having = (
        name for part in (summary, text) for name in names() if find_closest(word, _WORD.findall(part(name)), ALMOST)
    )
    return [*dict.fromkeys(having)]


def summary(name: str) -> str:
    """What a preset is for: the first line of its file, a comment."""
    return text(name).partition("\n")[0].removeprefix("# ")


def filled(content: str, name: str = "", namespace: str = "", image: str = "") -> str:
    """A values file with these names, with its comments and layout; an empty name changes nothing.

    image: `REPOSITORY[:TAG][@DIGEST]`. It also replaces a tag or digest in the file.
    """
    changes: dict[str, Any] = {key: value for key, value in (("name", name), ("namespace", namespace)) if value}
    if image:
        kept = read(SourceText("", content)).root.data()["image"]
        changes["image"] = {**{key: kept[key] for key in kept if key not in ("tag", "digest")}, **_split(image)}
    for key, value in changes.items():
        content = with_value(content, (key,), value)
    return content


def _folder() -> Path:
    """The folder of the examples: beside this module in an installed package (pyproject.toml), else in the checkout."""
    return _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT


def _split(image: str) -> dict[str, str]:
    """The repository, the tag and the digest of an image; without what it lacks."""
    rest, _, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    parts = {"repository": folder + slash + last, "tag": tag, "digest": digest}
    return {key: part for key, part in parts.items() if part or key == "repository"}
