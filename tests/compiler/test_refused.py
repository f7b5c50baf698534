"""Templates with constructs outside the language are refused, with template and line."""

import pytest

from dsgen.compiler import CompileError
from tests.compiler.worlds import everything, go

LOOP = "<% for name, volume in values.storage | items %>\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        # unknown names, keys, filters, functions, tests
        ("<% macro x() %>\n<% endmacro %>\n", "Macro is not part of the language"),
        ("<% set x = namespace(a=1) %>\n", "arguments are given by position"),
        ("<% for x in values.texts %>\n<< loop.index >>\n<% endfor %>\n", "unknown name 'loop'"),
        ("a: << 1.5 >>\n", "a constant 1.5 is not part of the language"),
        ("a: << nothing >>\n", "unknown name 'nothing'"),
        ("a: << files >>\n", "unknown name 'files'"),
        ("a: << values.nam >>\n", "no key 'nam' here; there are text, name, path"),
        ("a: << release.chart >>\n", "release has name and namespace, no 'chart'"),
        ("a: << values.text | upper >>\n", "unknown filter 'upper'; there are"),
        ("a: << foo(1) >>\n", "unknown function 'foo'; there are"),
        ("<% if values.text is defined %>\n<% endif %>\n", "unknown test 'defined'; there are"),
        ("a: << values.labels.items() >>\n", "the only methods are files.get, files.glob, files.digest"),
        ('a: << files.get("scripts/none") >>\n', "there is no file 'scripts/none'"),
        ("a: << files.get(values.name) >>\n", "there is no file ''"),
        ('a: << files.digest("none/*") >>\n', "there is no file 'none/*'"),
        ('<% for path, _ in files.glob("none/*") | items %>\n<% endfor %>\n', "there is no file 'none/*'"),
        ("a: <<\n", "unexpected 'end of template'"),
        ("<% for x in values.texts %>\n<% for x in values.none %>\n<% endfor %>\n<% endfor %>\n", "already a name"),
        # layout
        ("a: <% if values.flag %>x<% endif %>\n", "a tag must be alone on its lines"),
        ("<% if values.flag %> a\n<% endif %>\n", "a tag must be alone on its lines"),
        ("a: 1 <# why #>\n", "a comment must be alone on its lines"),
        ("a:\n  << values.labels | yaml | indent(4) >>\n", "begins at column 2, so it needs indent(2)"),
        ("a:\n  << values.labels | yaml >>\n", "lines of YAML at column 2 need indent(2)"),
        ("a: << values.labels | yaml | indent(3) >>\n", "lines of YAML must be alone on their line"),
        # what needs no quotes
        ("a: << values.text >>\n", "a text from the values needs quotes"),
        ("a: << values.path >>\n", "a text from the values needs quotes"),
        ("a: << values.free | json >>\n", "JSON from the values needs quotes"),
        ("a: << values.texts | json >>\n", "JSON from the values needs quotes"),
        ("a: << values.labels >>\n", "map cannot be printed"),
        ("a: << values.id >>\n", "union cannot be printed"),
        ("a: << values.maybe >>\n", "may be absent here"),
        ("a: << values.id | quote >>\n", "quote of union"),
        ("a: << values.record | yaml >>\n", "a record cannot be written whole"),
        # records, absent keys, free objects
        ("<% if values.record %>\n<% endif %>\n", "a record is not a condition"),
        ("<% if values.flag or values.record %>\n<% endif %>\n", "a record is not a condition"),
        (LOOP + "<% if volume.create %>\n<% endif %>\n<% endfor %>\n", "a record is not a condition"),
        (LOOP + "a: << volume.create.size | json >>\n<% endfor %>\n", "may be absent here"),
        (LOOP + "<% for k in [\"path\"] %>\n<% if k in volume %>\n<% endif %>\n<% endfor %>\n<% endfor %>\n",
         "one of these keys has a default"),
        ("a: << values.free.one.two | json | quote >>\n", "may be absent here"),
        ("a: << get(values, \"text\", \"\") | quote >>\n", "get of record"),
        ("a: << overlay(values.free, values.other).x | json | quote >>\n", "a key of a computed value"),
        ("a: << values.labels.x | quote >>\n", "map has no fixed keys"),
        ("a: << values.record[values.text] | quote >>\n", "the key must come from a literal list"),
        ("a: << values.texts[0] | quote >>\n", "only a text can stand in brackets"),
        # types
        ('<% if values.count == "1" %>\n<% endif %>\n', "compares int with word"),
        ("<% if values.texts == values.texts %>\n<% endif %>\n", "compares list with list"),
        ("<% if values.text > values.name %>\n<% endif %>\n", "gt of str"),
        ("<% if 1 < values.count < 3 %>\n<% endif %>\n", "one comparison at a time"),
        ("<% if values.maybe > 1 %>\n<% endif %>\n", "may be absent here"),
        ("<% if 1 in values.numbers %>\n<% endif %>\n", "`in` finds texts only, not int"),
        ('<% if "x" in values.text %>\n<% endif %>\n', "`in` looks into lists and maps, not into str"),
        ("a: << values.text + 1 >>\n", "arithmetic on str and int"),
        ("a: << (values.flag ~ values.text) | quote >>\n", "~ joins texts and integers"),
        ("a: << values.text | length >>\n", "length of str"),
        ("a: << values.text | int >>\n", "int of str"),
        ("a: << values.text | replace(values.name, \"x\") | quote >>\n", "the arguments of replace are constants"),
        ('<% if values.text is matching("x|y") %>\n<% endif %>\n', "a pattern of matching is ^...$"),
        ('<% if values.text is matching("^a|b$") %>\n<% endif %>\n', "a pattern of matching is ^...$"),
        (r'<% if values.text is matching("^\\d$") %>' "\n<% endif %>\n", "a pattern of matching is ^...$"),
        ("a: << values.text | quote(1) >>\n", "quote takes 1 arguments"),
        ("a: << {values.name: 1} | json | quote >>\n", "the keys of a map literal are texts"),
        ('<% refuse "DS201", values.text %>\n', "refuse needs a helper, which returns the message"),
        # loops and names
        ("<% for k in values.labels %>\n<% endfor %>\n", "loops over map"),
        ("<% for k, v in values.texts | items %>\n<% endfor %>\n", "loops over list"),
        ("<% for k in values.labels | items %>\n<% endfor %>\n", "for has one name for a list, two for the items"),
        ("<% for k in values.texts if k %>\n<% endfor %>\n", "for has no else and no if"),
        ("a: << values.labels | items | json >>\n", "items stands in a `for` only"),
        ("<% set x = 1 %>\n<% for i in range(3) %>\n<% set x = 2 %>\n<% endfor %>\n", "Jinja2 forgets the value"),
        ("<% if values.flag %>\n<% set x = 1 %>\n<% endif %>\na: << x >>\n", "is set inside a branch or loop"),
        ("<% set values = 1 %>\n", "'values' is an argument"),
        ("<% set a, b = 1, 2 %>\n", "set assigns a value to one name"),
    ],
)  # fmt: skip
def test_refused(source: str, message: str) -> None:
    """The message names what it is about; the line is that of the offending part."""
    with pytest.raises(CompileError) as caught:
        go(source)

    place, _, said = str(caught.value).partition(": ")
    assert place.startswith("t.yaml:")
    assert message in said


def test_line_of_an_error() -> None:
    with pytest.raises(CompileError, match=r"^t\.yaml:4: unknown name 'x'$"):
        go("<# Two\nlines. #>\na: 1\nb: << x >>\n")


def test_the_end_of_a_comment_in_go() -> None:
    with pytest.raises(CompileError, match=r"a comment cannot contain \*/, which ends it in Go: a \*/ b"):
        go("<# a */ b #>\na: 1\n")


def macro(body: str, argument: str = "a") -> str:
    """A file with one helper, x."""
    return f"<# C. #>\n<% macro x({argument}) %>\n{body}\n<% endmacro %>\n"


@pytest.mark.parametrize(
    ("helpers", "call", "message"),
    [
        ("<% macro x(a) %>\ny\n<% endmacro %>\n", "x(1)", "x needs a comment"),
        (macro("y", "a=1"), "x(1)", "arguments of helpers have no defaults"),
        (macro("y"), "x()", "x takes 1 arguments"),
        (macro("y", "values"), "x(release)", "the argument values of x must be values"),
        (macro("<< x(a) >>"), "x(1)", "x calls itself"),
        (macro("<< values.name >>"), "x(1)", "unknown name 'values'"),
        (macro("<% set a = 1 %>"), "x(1)", "'a' is an argument"),
        (macro('<< files.get("scripts/x") >>'), "x(1)", "files are read in templates"),
        (macro("  y"), "x(1)", "a helper of one line has no blanks at its ends"),
        (macro("<< a >> "), "x(1)", "a helper of one line has no blanks at its ends"),
        ("loose\n", "1", "text outside helpers"),
        ("<% set x = 1 %>\n", "1", "a file of helpers has nothing else"),
        (macro("y") + macro("z"), "x(1)", "the helper 'x' exists already"),
    ],
)
def test_refused_helpers(helpers: str, call: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        everything(f"a: << {call} >>\n", helpers, files={"scripts/x": ""})

    assert message in str(caught.value)


def test_helper_that_would_need_two_spellings() -> None:
    """A list needs `has` in Go and a map `hasKey`: one define cannot have both."""
    helpers = macro('<% if "a" in a %>\ny\n<% endif %>')

    with pytest.raises(CompileError) as caught:
        everything("a: << x(values.texts) >><< x(values.labels) >>\n", helpers)

    assert "_h.j2:2: x has different outputs for arguments of different types (a: list; a: map)" == str(caught.value)
