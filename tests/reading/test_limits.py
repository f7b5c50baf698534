"""Values that are too large or too deep, or have too many problems, get a short answer."""

import pytest

from dsgen import api
from dsgen.errors import UsageError
from dsgen.problems import Diagnostic
from dsgen.reading.nodes import Override, SourceText
from tests import hostile

pytestmark = pytest.mark.slow

JOB = "name: a\nnamespace: b\nimage: {repository: r/x, tag: v1}\ntraining: {python: t.py}\n"
MANY = 2000


def problems(text: str) -> list[Diagnostic]:
    """What is wrong with a file."""
    return api.validate(api.load(SourceText("v.yaml", text)))


def lines(entry: str, count: int = MANY) -> str:
    """A job with so many lines below `labels`, each with its number in it."""
    return f"{JOB}labels:\n" + "".join(f"  {entry.format(number)}\n" for number in range(count))


def test_a_million_labels_are_too_many_values() -> None:
    (problem,) = problems(lines("l{}: v", 1_000_000))

    assert ("DS011", "the file has more than 20000 values") == (problem.id, problem.message)


def test_many_labels_are_rendered() -> None:
    assert [] == problems(lines("l{}: v"))


VOLUMES = f"{JOB}storage:\n"
SOURCE = "emptyDir: {}, mountIn: workers"


def check_volumes(entry: str, count: int) -> list[str]:
    """The ids of the problems of a job with so many volumes."""
    text = VOLUMES + "".join(f"  {entry.format(number).replace('SOURCE', SOURCE)}\n" for number in range(count))
    return [each.id for each in api.validate(api.load(SourceText("v.yaml", text)))]


@pytest.mark.parametrize(
    ("entry", "ids"),
    [
        ("v{0}: {{mountPath: /v{0}, SOURCE}}", []),
        ("v{0}: {{mountPath: /v, SOURCE}}", ["DS251"] * 19),
        ("v{0}: {{mountPath: /v/v{0}, SOURCE, readOnly: true}}", []),
        ("v{0}: {{SOURCE}}", ["DS362"] * 20),
        ("v{0}: {{mountPath: v, SOURCE}}", ["DS104"] * 20),
    ],
    ids=["apart", "at one path", "in one folder", "not mounted", "with an error"],
)
def test_volumes_are_not_compared_in_pairs(entry: str, ids: list[str]) -> None:
    """From 200 to 400, as many steps are added for each as from 100 to 200."""
    few, some, many = (hostile.count_lines(check_volumes, entry, count) for count in (100, 200, 400))

    assert ids == check_volumes(entry, 20)
    assert (many - some) / (some - few) < 2.2


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (JOB + "".join(f"k{number}: 1\n" for number in range(MANY)), "DS101"),
        (lines("l{}:"), "DS106"),
        (lines("l: {}"), "DS004"),
        (lines("l{}: ['1']"), "DS102"),
    ],
)
def test_only_the_first_problems_are_listed(text: str, id_: str) -> None:
    reported = problems(text)

    assert {id_: 1000, "DS011": 1} == {one: [each.id for each in reported].count(one) for one in (id_, "DS011")}
    assert reported[-1].message.startswith("there are more than 1000 problems")


def test_only_the_first_warnings_are_listed() -> None:
    reported = problems(f"{JOB}global: {{a: [{'yes, ' * MANY}no]}}\n")

    assert {("DS050", "warning")} == {(each.id, each.severity) for each in reported}
    assert (1000, "there are 1000 of these warnings, or more; the others are not listed") == (
        len(reported),
        reported[-1].message,
    )


@pytest.mark.parametrize("text", ["\x00\n" * MANY, "\x01" * MANY, "---a\n" * MANY, "\udcff" * MANY])
def test_of_what_is_no_text_the_first_characters_are_listed(text: str) -> None:
    assert 20 == len(problems(text))


@pytest.mark.parametrize(("levels", "ids"), [(99, []), (100, ["DS011"])], ids=["as deep as may be", "too deep"])
def test_a_file_has_a_hundred_levels(levels: int, ids: list[str]) -> None:
    text = f"{JOB}global: {{a: {'[' * levels}{']' * levels}}}\n"

    assert ids == [one.id for one in problems(text)]


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("--set-json", "global.a=" + "[" * 20_000 + "]" * 20_000),
        ("--set-json", "global.a=" + "[" * 101 + "]" * 101),
        ("--set-json", '{"global": ' + '{"a": ' * 101 + "1" + "}" * 102),
        ("--set", ".".join(["global"] + ["a"] * 40) + "=1"),
        ("--set", ".".join(["global"] + ["a"] * 20_000) + "=1"),
        ("--set", "global.a" + "[0]" * 101 + "=1"),
        ("--set", "global.a" + "[0]" * 20_000 + "=1"),
        ("--set-string", "global.a" + "[0].b" * 20_000 + "=1"),
    ],
)
def test_flags_have_a_limit_of_levels(flag: str, text: str) -> None:
    with pytest.raises(UsageError, match=r"nested more than (100|30) levels deep"):
        api.load(SourceText("v.yaml", JOB), overrides=[Override(flag, text)])


LARGE = 16 * 2**20 - 500
"""Almost the largest file."""
A, WORDS = "A" * LARGE, "a b" * (LARGE // 3)
LINES = "      some line of a text\n" * (LARGE // 28)
LARGE_FILES = {
    "a name": (f"name: {A}\n", "DS011"),
    "digits": (f"{JOB}workers: {{replicas: {'1' * LARGE}}}\n", "DS011"),
    "a command": (f"{JOB.replace('python: t.py', f'exec: {WORDS}')}", "DS011"),
    "a text": (f"{JOB.replace('t.py}', f't.py, setup: {WORDS!r}}}')}", "DS011"),
    "lines": (f"{JOB.replace('{python: t.py}', '')}  python: t.py\n  files:\n    a: |\n{LINES}", "DS011"),
    "addresses": (f"{JOB.replace('t.py}', 't.py, env: {A: ')}{'https://a:b@c/ ' * (LARGE // 15)!r}}}}}\n", "DS011"),
    "aliases": (f"{JOB}global: {{x: &a {WORDS[:100_000]!r}, y: [{'*a, ' * 90_000}]}}\n", "DS011"),
    "a comment": (f"{JOB}# {A}\n", ""),
    "quotes": (f"{JOB}x: {chr(39) * LARGE}\n", "DS011"),
}


@pytest.mark.parametrize(("text", "id_"), LARGE_FILES.values(), ids=LARGE_FILES)
def test_a_file_of_16_mib_gets_an_answer(text: str, id_: str) -> None:
    job = api.load(SourceText("v.yaml", text))
    found = api.validate(job)
    assert api.as_text(found, job.sources) or not id_

    assert [id_] == [each.id for each in found] or not id_


def script(text: str) -> str:
    """A job that runs a script."""
    return JOB.replace("{python: t.py}", f"{{exec: [bash, -c, {text!r}]}}")


@pytest.mark.parametrize(
    "text",
    [
        JOB.replace("t.py}", f"t.py, env: {{A: {'$(' * 100_000!r}}}}}"),
        JOB.replace("t.py}", f"t.py, setup: {'conda a ' * 20_000!r}}}"),
        JOB.replace("t.py}", f't.py, setup: "a{chr(10) * 100_000}"}}'),
        JOB.replace("t.py}", f"t.py, args: [{'/job/files/a, ' * 9900}a]}}"),
        JOB.replace("{python: t.py}", f"{{exec: {'(' * 200_000!r}}}"),
        JOB.replace("t.py}", f"t.py, deepspeed: {{config: {{{', '.join(f'k{n}: 1' for n in range(9900))}}}}}}}"),
        f"{JOB}workers: {{sidecars: [{{name: s, image: a, env: [{'{name: A, value: $(B)}, ' * 3900}]}}]}}",
        *(script(part * 40_000) for part in ("env ", "conda run -n ", "cat <<A\n", "a\n\n\n", "read:")),
        "".join(f"{'k' * 900}{number}: 1\n" for number in range(1000)),
    ],
    ids=lambda text: text.removeprefix(JOB[:-22])[:50],
)
def test_a_hostile_text_gets_an_answer_in_time(text: str) -> None:
    assert not hostile.is_endless(problems, text)


def test_text_below_the_limit_is_accepted() -> None:
    assert ["DS257"] == [
        each.id for each in problems(JOB.replace("t.py}", f"t.py, setup: {WORDS[: 4 * 2**20 - 100]!r}}}"))
    ]
