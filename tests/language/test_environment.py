"""Templates see the helpers of all files, keys instead of methods, and text as Go prints it."""

from pathlib import Path

import jinja2
import pytest

from dsgen.errors import DsgenError
from dsgen.language.environment import Environment, make_environment
from dsgen.language.functions import TemplateError

HELPERS = {
    "_b.j2": "<% macro outer(x) %>\n[<< inner(x) >>]\n<% endmacro %>\n",
    "_a.j2": "<% def size(x) = 'over ' ~ x | length ~ ' <<' if x else '' if x == '' else 'none' %>\n",
    "_c.j2": "<% macro inner(x) %>\n<< x >>\n\n<% endmacro %>\n",
}


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    for name, text in HELPERS.items():
        tmp_path.joinpath(name).write_text(text)
    tmp_path.joinpath("scripts").mkdir()
    tmp_path.joinpath("scripts/a.sh").write_text("one\n\ntwo\n")
    return make_environment(tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<< values.items >>.<< values.keys >>", "1.2"),
        ("<% for key, value in values | items %>\n<< key >>\n<% endfor %>\n", "items\nkeys\n"),
        ("<< outer('a') >>.", "[a\n]."),
        ("<% if values.absent is none %>\nyes\n<% endif %>\n", "yes\n"),
        ("a: |\n  << files.get('scripts/a.sh') | indent(2) >>\n", "a: |\n  one\n\n  two\n"),
        ("<% for path, _ in files.glob('scripts/*') | items %>\n<< path | basename >>\n<% endfor %>\n", "a.sh\n"),
        ("<< size('ab') >>, << size('') >>, << size(none) >>", "over 2 <<, , none"),
        ("a:\n  <% write 'x: ' ~ 1 if true %>\n  <% write 'y' if false %>\nb\n", "a:\n  x: 1\nb\n"),
        ("  <% write 'x' if false else 'y\\n  z' %>\n", "  y\n  z\n"),
        ("  <% write x for x in ['a', '', 'b'] if x %>\nc\n", "  a\n  b\nc\n"),
        ("<< true >> << 1000000.0 >>", "true 1000000"),
        ("  <% if true %>\nx\n  <% endif %>\n<# gone #>\ny\n", "x\ny\n"),
    ],
)
def test_rendering(env: Environment, source: str, expected: str) -> None:
    assert expected == env.from_string(source).render(values={"items": 1, "keys": 2})


@pytest.mark.parametrize("source", ["<< nothing >>", "<< values >>", "<< values.absent >>", "<< 1.5 >>"])
def test_nothing_is_printed_by_mistake(env: Environment, source: str) -> None:
    with pytest.raises((jinja2.UndefinedError, TypeError)):
        env.from_string(source).render(values={})


def test_helpers_in_expressions(env: Environment) -> None:
    assert env.compile_expression("outer('a') == '[a\n]'")()


def test_refuse_ends_with_its_message_and_id(env: Environment) -> None:
    with pytest.raises(TemplateError, match=r"^no \[DS201\]$"):
        env.from_string("<% refuse 'DS201', 'no' %>").render()


def test_refuse_takes_loops_and_tests_as_a_comprehension_does(env: Environment) -> None:
    source = "<% refuse 'DS201', x ~ y for x in ['a', '', 'b'] if x for y in ['1', x] if y in ['b', 'c'] %>"

    with pytest.raises(TemplateError, match=r"^bb \[DS201\]$"):
        env.from_string(source).render()


def test_refuse_without_a_message_goes_on(env: Environment) -> None:
    assert env.from_string("a\n<% refuse 'DS201', '' %>").render() == "a\n"


def test_two_helpers_of_one_name(tmp_path: Path) -> None:
    for name in ("_a.j2", "_b.j2"):
        tmp_path.joinpath(name).write_text(HELPERS["_c.j2"])

    with pytest.raises(DsgenError, match=r"_b\.j2: the helper 'inner' exists already"):
        make_environment(tmp_path).from_string("<< inner(1) >>").render()
