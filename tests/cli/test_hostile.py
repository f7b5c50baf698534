"""No command prints names and texts that a terminal or a CI system would execute.

Manifests and values on standard output are data, and are not changed.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsgen.writer import INDEX
from tests.cli.conftest import Cli, Result

COMMAND = "::error::x"
SEVERAL = "ok\n::error::x\x1b[2J\u202e\u2066\x9b\u2028##[error]y ##vso[task]\x85::warning::z"
BYTES = "::a\udc9b\udcff\r\n::error::x"
TEXTS = (COMMAND, SEVERAL, BYTES)
BROKEN = "name: cifar\nimage: {repositry: r}\n"

HARMFUL = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
    r"|^[^\S\n]*::|##\w*\[",
    re.MULTILINE,
)


def harm(text: str) -> list[str]:
    """What a terminal or a CI system would act upon."""
    return [match[0] for match in HARMFUL.finditer(text)]


def arguments(text: str) -> Iterator[list[str]]:
    """Every place of the command line that takes a text of the user's, with a text that is wrong there."""
    for command in ("render", "validate", "values"):
        yield [command, text]
        yield [command, "cifar.yaml", "-f", text]
    yield ["chart", text, "-d", "out"]
    for flag in ("--set", "--set-string", "--set-json", "--set-file"):
        for form in ("{}", "{}=1", "workers.replicas={}", "workers.{}=1", "name={}", "storage.a.{}=1"):
            yield ["validate", "cifar.yaml", flag, form.format(text)]
    for flag in ("--name", "-n"):
        yield ["validate", "cifar.yaml", flag, text]
        yield ["chart", "cifar.yaml", "-d", "out", flag, text]
        yield ["init", "new.yaml", flag, text]
    yield ["init", "new.yaml", "--preset", text]
    yield ["init", "new.yaml", "--image", text]
    yield ["validate", "cifar.yaml", "-o", text]
    yield ["validate", "cifar.yaml", "--for", text]
    yield ["render", "cifar.yaml", "--check", text]
    yield ["render", f"--{text}"]
    yield ["schema", text]
    yield ["chart", "cifar.yaml", text]
    yield ["explain", text]
    yield ["explain", f"storage.{text}.nosuch"]
    yield ["explain", f"workers.{text}"]
    yield [text]
    yield [f"--{text}"]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_the_command_line_is_not_passed_on(cli: Cli, text: str) -> None:
    for given in arguments(text):
        code, out, err = cli(*given)

        assert (given, []) == (given, harm(out + err))
        assert code in (0, 1, 2, 3)
        assert code == 0 or err.strip()
        assert "internal error" not in err


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_names_of_files_are_not_passed_on(cli: Cli, folder: Path, text: str) -> None:
    good, broken = folder / f"{text}.yaml", folder / f"{text}broken.yaml"
    good.write_text((folder / "cifar.yaml").read_text())
    broken.write_text(BROKEN)
    explained = cli("explain", f"storage.{text}")

    results = [
        cli("validate", good.name),
        cli("validate", good.name, good.name),
        cli("validate", broken.name),
        *(cli("validate", broken.name, "-o", form) for form in ("json", "sarif")),
        cli("render", broken.name),
        cli("values", broken.name),
        cli("values", good.name),
        cli("init", good.name),
        cli("init", f"{text}.new"),
        explained,
    ]

    assert [] == [harm(result.out + result.err) for result in results if harm(result.out + result.err)]
    assert (0, 0) == (results[0].code, results[-2].code)
    assert 1 == results[0].out.count("\n")


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_names_of_folders_are_not_passed_on(cli: Cli, folder: Path, text: str) -> None:
    def calls() -> Iterator[Result]:
        for command in ("render", "chart"):
            name = f"{text}{command}"
            yield cli(command, "cifar.yaml", "-d", name, "--dry-run")
            yield cli(command, "cifar.yaml", "-d", name)
            yield cli(command, "mnist.yaml", "-d", name)
            yield cli(command, "cifar.yaml", "-d", name, "--set", "run.id=b", "--check")
            next(path for path in (folder / name).iterdir() if path.is_file()).write_text("edited")
            yield cli(command, "cifar.yaml", "-d", name)
            yield cli(command, "cifar.yaml", "-d", name, "--check")
            (folder / f"{text}file").write_text("")
            yield cli(command, "cifar.yaml", "-d", f"{text}file/x")
        yield cli("render", "cifar.yaml", "mnist.yaml", "-d", f"{text}render")

    for result in calls():
        assert [] == harm(result.out + result.err)
        assert "internal error" not in result.err


@pytest.mark.parametrize("text", [COMMAND, SEVERAL, "\udc9b"], ids=ascii)
@pytest.mark.parametrize("field", ["version", "owner", "run", "file", "run id"])
def test_an_index_is_not_passed_on(cli: Cli, folder: Path, text: str, field: str) -> None:
    cli("render", "cifar.yaml", "-d", "out")
    path = folder / "out" / INDEX
    index = json.loads(path.read_text())
    if field == "file":
        index["files"][text] = index["files"][f"../{text}"] = {"sha256": "0"}
        (folder / "out" / text).write_text("mine")
    elif field == "run id":
        index["runs"] = {text: "0"}
    else:
        index[field] = text
    path.write_text(json.dumps(index))

    for more in ([], ["--check"], ["--dry-run"], ["--set", "run.id=b"]):
        result = cli("render", "cifar.yaml", "-d", "out", *more)
        assert [] == harm(result.out + result.err)
        assert "internal error" not in result.err


@pytest.mark.parametrize("text", [COMMAND, SEVERAL], ids=ascii)
def test_content_is_not_passed_on(cli: Cli, text: str) -> None:
    quoted = json.dumps(text)
    for content in (
        text,
        f"name: {quoted}\n",
        f"{quoted}: 1\n",
        f"a: |\n  b\n  {text}\n",
        f"storage: {{{quoted}: 1}}\n",
    ):
        for form in ("text", "json", "sarif"):
            result = cli("validate", "-", "-o", form, stdin=content)
            assert (content, []) == (content, harm(result.out + result.err))
        lines = cli("validate", "-", "-o", "github", stdin=content).out.splitlines()
        assert lines
        assert [] == [line for line in lines if not re.match("::(error|warning) title=|::(error|warning) file=", line)]
        assert [] == [harm(line) for line in lines if harm(line) != ["::"]]


def test_a_bug_is_told_without_harm(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(word: str) -> str:
        raise ZeroDivisionError(word)

    monkeypatch.setattr("dsgen.explain.explain_word", fail)
    monkeypatch.setenv("DSGEN_DEBUG", "1")

    result = cli("explain", SEVERAL)

    assert (3, []) == (result.code, harm(result.err))
    assert "Traceback" in result.err


# ---- secrets ----

SECRET = "hunter2"
ADDRESSES = (
    f"https://me:{SECRET}@example.com/x",
    f"HTTPS://me:{SECRET}@example.com/x",
    f"https://{SECRET}@example.com/x",
    f"ssh://git:{SECRET}@example.com/x",
    f"https://{'long-' * 12}:{SECRET}@example.com/x",
    f"https://example.com/x?token={SECRET}",
    f"https://hooks.slack.com/services/T0/B0/{SECRET}",
    f"me:{SECRET}@example.com/x",
)


def secret_arguments(address: str) -> Iterator[list[str]]:
    """An address with a secret, where one belongs and where none does."""
    for key in ("status.webhook.url", "code.git.repository", "image.repository", "workers.replicas", "nosuch", "name"):
        yield ["--set-string", f"{key}={address}"]
        yield ["--set-json", f"{key}={json.dumps(address)}"]
    yield ["--set", f"{address}"]
    yield ["--set-json", f"a={address}"]
    yield ["--set-file", f"a={address}"]
    yield ["-f", address]
    yield ["--name", address]
    yield ["--nosuch", address]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_secret_is_never_repeated(cli: Cli, folder: Path, address: str) -> None:
    for given in secret_arguments(address):
        for form in ("text", "json", "sarif", "github"):
            result = cli("validate", "cifar.yaml", *given, "-o", form)
            assert (given, False) == (given, SECRET in result.out + result.err)
    for text in ("status: {{webhook: {{url: {0}}}}}\n", "code: {{git: {{repository: '{0}'}}}}\n", "nosuch: {0}\n  b\n"):
        (folder / "more.yaml").write_text(text.format(address))
        for command in (["render"], ["validate"], ["validate", "-o", "github"]):
            result = cli(*command, "cifar.yaml", "-f", "more.yaml")
            messages = result.err if command == ["render"] else result.err + result.out
            assert (text, False) == (text, SECRET in messages)
