"""What the README says about the size of the output, as it is now."""

import re
from pathlib import Path

SENTENCE = re.compile(r"about \d+ KB in [\d,]+ lines, of which \d+ % are")


def with_sizes(page: str, root: Path) -> str:
    """The page; if it says how much `dsgen render` prints for the smallest example, with the present numbers."""
    return SENTENCE.sub(_sentence(root), page) if SENTENCE.search(page) else page


def _sentence(root: Path) -> str:
    from dsgen import api  # renders with the modules that were just written

    texts = [document.text for document in api.render(api.load(root / "values-examples" / "minimal.yaml"))]
    scripts = [text for text in texts if "\n  name: cifar-scripts-" in text]
    size, lines = sum(map(len, texts)), sum(text.count("\n") for text in texts)
    share = sum(map(len, scripts)) / size
    return f"about {round(size / 5000) * 5} KB in {round(lines, -2):,} lines, of which {share:.0%} are".replace(
        "%", " %"
    )
