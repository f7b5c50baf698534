"""Mutated values files: both Helm majors read what dsgen accepts."""

import base64
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dsgen.problems import has_errors
from dsgen.reading import read
from dsgen.reading.nodes import SourceText
from tests.fuzz.shrink import smallest_text
from tests.helm import MAJORS, helm, helm_template, run_helm
from tests.parity import write_chart

ROOT = Path(__file__).parent.parent.parent
BATCH = 2000
DEFAULT = 100_000
MOST_SHOWN = 500
EVERY = 50
"""Of so many texts that dsgen accepts one is also given to Helm alone, which takes a hundred times as long."""

SCALARS = (
    *("yes", "no", "On", "off", "y", "N", "true", "~", "null", "NULL", "0", "1", "-1", "007", "08", "0o7", "0x1f"),
    *("0b1", "1_000", "_1", "1__0", "1e3", "1e+3", "1.5", ".5", "1.", "-.5", "+.5", "._5", ".inf", "-.Inf", ".nan"),
    *("1e400", "-0", "-0.0", "0.", "1_0.5", "1e-400", "0x_1", "0o_7", "0b_1", "-0x1F", "+0x1F", "+1", "--1"),
    *("9007199254740993", "1e16", "0x1FFFFFFFFFFFFFFFFF", "18446744073709551616", "4.9e-324", "2001-01-02"),
    *("2001-01-02 03:04:05", "12:30", "1:2:3", "a", "a-b", "a:b", "a: b", "a b", "a#b", "x # c", "1Gi", "1.2.3"),
    *("http://x:1/y", "$(X)", "${Y}", "{a}", "<<", "=", "-", "'it''s'", "'x'", "''", '""', '"y"', '"a\\tb"'),
    *('"\\x41\\u00e9\\U0001F600"', '"a\\/b"', '"a\\', '"\\e\\_\\N\\L\\P"', '"q"z', "'a", '"a', "'a'b", ">-", "|"),
    *("|-", "|+", ">", "|2", ">1-", "| # c", "|x", "[a, b]", "[a,b]", "[]", "{}", "{a: 1}", "[a: 1]", "{a:1}"),
    *('{"a":1}', '{"a": 1, b}', "{a, b}", "[1,2,]", "[,]", "{,}", "[a", "{a: [b", "]", "}", "[a]b", "{? a : b}"),
    *("[? a]", "&x", "&x 1", "*x", "&x {a: 1}", "<<: *x", "!!str 1", "!!int 1", "! 1", "!x", "-- ", "- 1", "- - a"),
    *("- a: 1", "? ", "? a", ": ", ": a", "@a", "`b", "%c", "#", "---", "...", "--- a", "%YAML 1.1", "\t", "é"),
    *("日本", "😀", "\u2028", "\x85", "\ufeff", "\xa0", "\x00", "\x07", "\x7f", "\ufffe", "\r", "<", ">&", "null "),
    *("~x", "a?b", "?a", "x/?y=1", "[a?]", "--- # c", "a\tb", "a \t# c", "\\", "\\n", "%", "!", "&", "*"),
)
KEYS = (
    *("a", "b", "name", "on", "n", "1", "1.0", "0x10", "010", "~", "null", "a b", '"k"', "'k'", "<<", '"<<"', "? a"),
    *("é", "=", "[a]", "{a: b}", "&x a", "*x ", "-", "", "---", "---a", "a?", "?a", "..."),
)
CHARACTERS = " :-#'\"[]{},|>&*!%@\\?\t\n\r=<~.0_\x85\u2028\ufeffé"


def originals() -> list[str]:
    """Values files, good and bad ones."""
    folders = ("values-examples", "tests/cases/invalid")
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for name in folders
        for path in sorted((ROOT / name).glob("*.yaml"))
    ]
    corpus = json.loads((ROOT / "tests/data/helm_yaml_corpus.json").read_text(encoding="utf-8"))
    return texts + [entry["yaml"] for entry in corpus if len(entry.get("yaml", "")) in range(1, 2000)]


def mutated(text: str, rng: random.Random) -> str:
    """A few changes of lines and characters in a part of the text."""
    lines = _part(text.split("\n"), rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
        lines = _change(lines or [""], rng)
    return "\n".join(lines) + rng.choice(["\n", "\n", "\n", "", "\n\n", " ", "\r\n"])


def _part(lines: list[str], rng: random.Random) -> list[str]:
    if rng.random() < 0.3:
        return lines
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.randint(2, 12)]
    margin = min((len(line) - len(line.lstrip(" ")) for line in part if line.strip()), default=0)
    return [line[margin:] for line in part]


def _change(lines: list[str], rng: random.Random) -> list[str]:
    place = rng.randrange(len(lines))
    line, pad = lines[place], " " * rng.randrange(7)
    key, colon, _ = line.partition(": ")
    scalar = rng.choice(SCALARS)
    entry = pad + rng.choice(KEYS) + rng.choice([": ", ": ", ":", ":  ", " : ", ":\t"]) + scalar
    new = rng.choice(
        [
            [key + (colon or ": ") + scalar],
            [key + (colon or ": ") + scalar],
            [pad + line.lstrip()],
            [line, line],
            [],
            [pad + scalar, line],
            [line, pad + scalar],
            [entry, line],
            [line, entry],
            [line + rng.choice([" ", "  # c", "#c", " #c: d", "\t", " x", ": y", ",", " " + scalar])],
            [rng.choice(["", "   ", "# c", "      # d", "\t", " \t"]), line],
            [pad + "- " + scalar, line],
            [_character(line, rng)],
            [_character(line, rng)],
        ]
    )
    return lines[:place] + new + lines[place + 1 :]


def _character(line: str, rng: random.Random) -> str:
    place = rng.randint(0, len(line))
    return line[:place] + rng.choice([rng.choice(CHARACTERS), ""]) + line[place + rng.randint(0, 1) :]


def cases(count: int, seed: int) -> Iterator[str]:
    """As many texts; the same seed gives the same ones."""
    rng, texts = random.Random(seed), originals()
    return (mutated(rng.choice(texts), rng) for _ in range(count))


# -- the comparison ---------------------------------------------------------------------------------------------------

PRINTER = """\
{{ range $path, $text := .Files.Glob "files/*" }}
# {{ base $path }} {{ fromYaml (toString $text) | toJson | b64enc }}
{{ end }}
"""
HELM_ERROR = "Error"
CHART = {"Chart.yaml": "apiVersion: v2\nname: r\nversion: 1.0.0\n"}


def helms(major: int, texts: Sequence[str]) -> list[Any]:
    """What Helm reads in each of the texts; None where it cannot."""
    with tempfile.TemporaryDirectory() as name:
        folder = write_chart(Path(name), {**CHART, "templates/x.yaml": PRINTER})
        (folder / "files").mkdir()
        for number, text in enumerate(texts):
            (folder / "files" / f"{number:06}").write_bytes(text.encode("utf-8", "surrogateescape"))
        digests = dict(re.findall(r"^# (\d{6}) (\S*)$", helm_template(helm(major), folder), flags=re.MULTILINE))
    answers = [json.loads(base64.b64decode(digests[f"{number:06}"])) for number in range(len(texts))]
    return [None if _is_error(answer) else answer for answer in answers]


def _is_error(answer: dict[str, Any]) -> bool:
    return answer.keys() == {HELM_ERROR} and isinstance(answer[HELM_ERROR], str)


def same(one: Any, other: Any) -> bool:
    """Equal in type too: a boolean is no integer; 1 and 1.0 are one number, as in JSON."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)  # Go writes 18446744073709552.0 without its last digit
    return bool(one == other)


def helms_alone(major: int, texts: Sequence[str]) -> list[Any]:
    """The same by `--values`, one run for each text: only there Helm 4 looks for several documents."""
    with tempfile.TemporaryDirectory() as name:
        printer = "# {{ .Values | toRawJson | b64enc }}\n"
        chart = write_chart(Path(name), {**CHART, "templates/x.yaml": printer})
        return [_alone(helm(major), chart, text) for text in texts]


def _alone(executable: str, chart: Path, text: str) -> Any:
    (chart / "v.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    result = run_helm(executable, "template", chart, "--values", chart / "v.yaml")
    return None if result.returncode else json.loads(base64.b64decode(result.stdout.rpartition("# ")[2]))


def verdict(text: str, answer: Any, alone: bool = False) -> str:
    """`equal`, `refused` by both, `stricter` with the id of dsgen's first error, or what must never be: `DIFFERENT`."""
    tree = read(SourceText("v.yaml", text))
    if has_errors(tree.diagnostics):
        first = next(one.id for one in tree.diagnostics if one.severity == "error")
        return "refused" if answer is None else f"stricter: {first}"
    data = tree.root.as_data()
    if alone and answer is not None:
        data, answer = _of_the_user(data), _of_the_user(answer)
    return "equal" if answer is not None and same(data, answer) else "DIFFERENT"


def _of_the_user(data: Any) -> Any:
    # `global` is made by Helm, and a null stands for an absent key.
    without = {key: value for key, value in (data or {}).items() if key != "global"}
    return without_null(without)


def without_null(data: Any) -> Any:
    """The data without the keys of maps that are null: Helm 3 keeps some of them and Helm 4 does not."""
    if isinstance(data, dict):
        return {key: without_null(value) for key, value in data.items() if value is not None}
    return data


def compare(texts: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """How often each verdict was given, and a minimal text with both answers for each difference."""
    figures: Counter[str] = Counter()
    differences = []
    for major in MAJORS:
        accepted = [text for text in texts if not has_errors(read(SourceText("v.yaml", text)).diagnostics)]
        for alone, some in ((False, texts), (True, accepted[::EVERY])):
            verdicts = _verdicts(major, some, alone)
            figures.update(f"Helm {major}{' --values' * alone}: {verdict}" for verdict in verdicts)
            different = [text for text, verdict in zip(some, verdicts, strict=True) if verdict == "DIFFERENT"]
            differences += [_shown(major, text, alone) for text in different]
    return figures, differences


def _verdicts(major: int, texts: Sequence[str], alone: bool) -> list[str]:
    answers = (helms_alone if alone else helms)(major, texts)
    return [verdict(text, answer, alone) for text, answer in zip(texts, answers, strict=True)]


def _shown(major: int, text: str, alone: bool) -> str:
    text = smallest_text(text, lambda texts: [verdict == "DIFFERENT" for verdict in _verdicts(major, texts, alone)])
    ours, theirs = read(SourceText("v.yaml", text)).root.as_data(), (helms_alone if alone else helms)(major, [text])[0]
    return f"{text!r}\n  dsgen:  {_short(ours)}\n  Helm {major}: {'an error' if theirs is None else _short(theirs)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
