"""Texts of users in the output: nothing that a terminal or a CI system would execute, and everything readable."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgen.problems.safe_text import escape_line, escape_output, escape_text, replace_in_place

HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
READABLE = [
    "größe, naïve, ﬁ",
    "日本語のファイル.yaml",
    "הקובץ",
    "ملف القيم",
    "फ़ाइल",
    "ไฟล์",
    "e\u0301",
    "δ→λ ≤ 4",
    "🙂",
    "a\\b",
    "C:\\temp",
]


@pytest.mark.parametrize("text", READABLE)
def test_text_of_any_script_stays(text: str) -> None:
    assert (text, text, text) == (escape_text(text), escape_line(text), replace_in_place(text))


@pytest.mark.parametrize(
    ("text", "escaped", "same_width"),
    [
        ("a\nb", "a\\nb", "a\ufffdb"),
        ("a\tb\r", "a\\tb\\r", "a b\ufffd"),
        ("\x1b[2J", "\\x1b[2J", "\ufffd[2J"),
        ("\x9b2J", "\\x9b2J", "\ufffd2J"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066", "a\ufffdb\ufffd"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff", "a\ufffdb\ufffd"),
        ("a\u2028b", "a\\u2028b", "a\ufffdb"),
        ("a\xa0b\u3164", "a\\xa0b\\u3164", "a\ufffdb\ufffd"),
        ("\U000e0041", "\\U000e0041", "\ufffd"),
        ("\udcff", "\\xff", "\ufffd"),
        ("::error::x", "\\x3a:error::x", "\ufffd:error::x"),
        ("  ::error::x", "  \\x3a:error::x", "  \ufffd:error::x"),
        ("a ##[error]x", "a #\\x23[error]x", "a #\ufffd[error]x"),
        ("##vso[task.x]y ###[z]", "#\\x23vso[task.x]y ##\\x23[z]", "#\ufffdvso[task.x]y ##\ufffd[z]"),
        ("a::b # c ## d", "a::b # c ## d", "a::b # c ## d"),
    ],
)
def test_what_acts_is_replaced(text: str, escaped: str, same_width: str) -> None:
    assert (escaped, same_width) == (escape_line(text), replace_in_place(text))


RED, PLAIN = "\x1b[1;31m", "\x1b[0m"


@pytest.mark.parametrize(
    ("text", "plain", "colored"),
    [
        ("step 3\tloss 0.5 größe", None, None),
        ("https://u:p@h TOKEN=x", None, None),
        (f"{RED}step{PLAIN} 3", "step 3", f"{RED}step{PLAIN} 3\x1b[m"),
        ("\x1b]0;title\x07\x1b[2J\x1b[31m", "\\x1b]0;title\\x07\\x1b[2J", "\\x1b]0;title\\x07\\x1b[2J\x1b[31m\x1b[m"),
        ("\x9b2J\x1bc\u202e\udcff\x08", "\\x9b2J\\x1bc\\u202e\\xff\\x08", "\\x9b2J\\x1bc\\u202e\\xff\\x08"),
        ("\r10%\r100%", "100%", "100%"),
        ("100%\r", "100%", "100%"),
        ("loss\r::set-output name=x::y", "\\x3a:set-output name=x::y", "::set-output name=x::y"),
        (f" :{RED}:error::x", " \\x3a:error::x", f" :{RED}:error::x\x1b[m"),
        (f"a #{RED}#vso[task.x]", "a #\\x23vso[task.x]", f"a #{RED}#vso[task.x]\x1b[m"),
        ("\u2028::error::x", "\\u2028::error::x", "\\u2028::error::x"),
    ],
)
def test_of_the_output_of_a_training_only_colors_and_tabs_stay(
    text: str, plain: str | None, colored: str | None
) -> None:
    assert (text if plain is None else plain) == escape_output(text, colored=False)
    assert (text if colored is None else colored) == escape_output(text, colored=True)


@given(st.text() | st.text(":# [\n\r\t\x1b;m1\x9b\u202e", min_size=1))
def test_output_does_nothing_to_a_terminal_or_a_ci_system(text: str) -> None:
    plain, colored = escape_output(text, colored=False), escape_output(text, colored=True)

    for shown in (plain, re.sub("\x1b\\[[0-9;:]*m", "", colored)):
        assert not {unicodedata.category(char) for char in shown.replace("\t", "")} & HARMFUL
    assert not plain.lstrip().startswith("::")
    assert "##[" not in plain
    assert "\x1b" not in colored or colored.endswith("\x1b[m")


def test_secrets_are_hidden_too() -> None:
    assert "https://***@h \\n https://***@i" == escape_text("https://u:p@h \n https://v:q@i")


@given(st.text() | st.text(":# [\n\x1b\u202e", min_size=1))
def test_a_line_is_one_line_without_harm(text: str) -> None:
    for shown in (escape_line(text), replace_in_place(text)):
        assert not {unicodedata.category(char) for char in shown} & HARMFUL
        assert not shown.lstrip().startswith("::")
        assert "##[" not in shown
    assert len(text) == len(replace_in_place(text))
