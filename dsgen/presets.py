"""Values files to start from: the examples of the repository, which are part of the package."""

import io
import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from dsgen.reading.scalars import UnreadableScalarError, resolve
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
    yaml = _round_trip()
    root = yaml.load(content)
    root |= {key: _text(value) for key, value in (("name", name), ("namespace", namespace)) if value}
    if image:
        _set_image(root["image"], image)
    stream = io.StringIO()
    yaml.dump(root, stream)
    return stream.getvalue()


def _folder() -> Path:
    """The folder of the examples: beside this module in an installed package (pyproject.toml), else in the checkout."""
    return _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT


def _round_trip() -> YAML:
    """Reads and writes YAML in the style of the examples; tests/cli/test_init.py compares the bytes."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 2**20
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    return yaml


def _text(value: str) -> str:
    """A text, quoted if Helm would read it as another type, such as `y` or 1.10."""
    try:
        is_plain = isinstance(resolve(value), str)
    except UnreadableScalarError:
        is_plain = False
    return value if is_plain else DoubleQuotedScalarString(value)


def _set_image(node: dict[str, Any], image: str) -> None:
    rest, _, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    node["repository"] = _text(folder + slash + last)
    for key, value in (("tag", tag), ("digest", digest)):
        node.pop(key, None)
        if value:
            node[key] = _text(value)
