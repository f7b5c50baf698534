"""The Go form of each kind of expression."""

from pathlib import Path

import pytest

from tests.compiler.worlds import everything, expression, go

CASES = Path(__file__).with_name("cases")


@pytest.mark.parametrize(
    ("jinja", "expected"),
    [
        # names and keys
        ("values.flag", ".Values.flag"),
        ("values.record.inner", ".Values.record.inner"),
        ("release.name", ".Release.Name"),
        ("values.free.key", ".Values.free.key"),
        # comparisons; an integer of the values is a float64 in Helm
        ("values.count == 1", "eq (int64 .Values.count) 1"),
        ("values.count != values.big", "ne (int64 .Values.count) (int64 .Values.big)"),
        ("values.count < 1", "lt (int64 .Values.count) 1"),
        ("values.count <= 1", "le (int64 .Values.count) 1"),
        ("values.count > 1", "gt (int64 .Values.count) 1"),
        ("values.count >= 1", "ge (int64 .Values.count) 1"),
        ('values.mode == "b"', 'eq .Values.mode "b"'),
        ("values.flag == true", "eq .Values.flag true"),
        ("values.maybe is none", "eq .Values.maybe nil"),
        ("values.maybe is not none", "ne .Values.maybe nil"),
        ("values.maybe is not none and values.maybe > 1", "and (ne .Values.maybe nil) (gt (int64 .Values.maybe) 1)"),
        ("values.maybe is none or values.maybe > 1", "or (eq .Values.maybe nil) (gt (int64 .Values.maybe) 1)"),
        # logic
        ("values.flag and values.text and values.count", "and .Values.flag .Values.text (int64 .Values.count)"),
        ("values.flag or values.text", "or .Values.flag .Values.text"),
        ("values.flag or values.text and values.name", "or .Values.flag (and .Values.text .Values.name)"),
        ("not values.flag", "not .Values.flag"),
        ("not (values.flag or values.text)", "not (or .Values.flag .Values.text)"),
        ('not values.mode == "b"', 'ne .Values.mode "b"'),
        # membership
        ('values.mode in ["a", "b"]', 'has .Values.mode (list "a" "b")'),
        ('values.mode not in ["a"]', 'not (has .Values.mode (list "a"))'),
        ('"x" in values.labels', 'hasKey .Values.labels "x"'),
        ('"x" in values.free', 'hasKey .Values.free "x"'),
        # arithmetic converts by itself
        ("values.count + values.big * 2", "add .Values.count (mul .Values.big 2)"),
        ("values.count - 20 > 0", "gt (sub .Values.count 20) 0"),
        ('values.texts + ["x"]', 'concat .Values.texts (list "x")'),
        ("values.texts + values.texts", "concat .Values.texts .Values.texts | default list"),
        # text
        ('values.name ~ "-" ~ values.count ~ "%"', 'printf "%s-%d%%" .Values.name (int64 .Values.count)'),
        ("'say \"x\"' == values.text", "eq `say \"x\"` .Values.text"),
        # filters, functions, tests
        ("values.texts | length > 1", "gt (len .Values.texts) 1"),
        ("values.name | length", "len .Values.name"),
        ("values.count | string", "toString (int64 .Values.count)"),
        ('values.text | replace("$", "$$")', '.Values.text | replace "$" "$$"'),
        ('values.texts | join(",")', '.Values.texts | join ","'),
        ("values.free | json | quote", ".Values.free | toRawJson | quote"),
        ('get(values.free, "a", "b", [])', 'dig "a" "b" (list) .Values.free'),
        ('values.id is string', 'kindIs "string" .Values.id'),
        ('values.name is matching("^[a-z]+$")', 'regexMatch "^[a-z]+$" .Values.name'),
        ("overlay(values.free, values.other)", "mergeOverwrite (deepCopy .Values.free) (deepCopy .Values.other)"),
        ('overlay({"a": 1}, values.free)', 'mergeOverwrite (dict "a" 1) (deepCopy .Values.free)'),
        ('{"a": [1, values.big], "b": {"c": true}} | json | quote',
         'dict "a" (list 1 (int64 .Values.big)) "b" (dict "c" true) | toRawJson | quote'),
    ],
)  # fmt: skip
def test_expressions(jinja: str, expected: str) -> None:
    assert expected == expression(jinja)


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda case: case.stem)
def test_statements_and_helpers(case: Path) -> None:
    """A file of each case has the template and the Go template, and then the same for its helpers if it calls any.

    In helpers.txt, roots alone are the dot, one argument is itself, a mixture is a dict, and a helper that may begin
    late is trimmed. A helper that passes on what it was given passes the dot.
    """
    source, expected, helpers, defines = (*case.read_text().split("=====\n"), "", "")[:4]

    made = everything(source, helpers, files={"scripts/x": ""})

    assert (expected, defines.strip()) == (made["t.yaml"], made["_h.tpl"].strip())


@pytest.mark.parametrize(
    ("body", "filters"),
    [
        ("a: 1\nb: 2", ""),
        ("<% set x = values.text %>\na: << x | quote >>\nb: 2", " | trim"),
        ("<% set x = values.text %>\n<< x | quote >>: 1\nb: 2", " | trim"),
        ("<% set x = values.labels %>\n<< x | yaml >>\nb: 2", " | trim"),
        ("<# D. #>\n<% set x = values.text %>\n<# E. #>\na: << x | quote >>\nb: 2", " | trim"),
        ("<# D. #>\na: 1\nb: 2", " | trim"),
    ],
)
def test_a_helper_that_begins_with_a_line_end_is_trimmed(body: str, filters: str) -> None:
    """Without it, nindent would write a line of blanks."""
    helper = f"<# C. #>\n<% macro late(values) %>\n{body}\n<% endmacro %>\n"
    source = "x:\n  << late(values) | indent(2) >>\n"

    assert f'x:\n  {{{{- include "<CHARTNAME>.late" .{filters} | nindent 2 }}}}\n' == go(source, helper)
