"""Texts of users in the output: nothing that a terminal or a CI system would execute, and everything readable."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgen.problems.escaping import in_place, line, visible

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
    assert (text, text, text) == (visible(text), line(text), in_place(text))


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
    assert (escaped, same_width) == (line(text), in_place(text))


def test_secrets_are_hidden_too() -> None:
    assert "https://***@h \\n https://***@i" == visible("https://u:p@h \n https://v:q@i")


@given(st.text() | st.text(":# [\n\x1b\u202e", min_size=1))
def test_a_line_is_one_line_without_harm(text: str) -> None:
    for shown in (line(text), in_place(text)):
        assert not {unicodedata.category(char) for char in shown} & HARMFUL
        assert not shown.lstrip().startswith("::")
        assert "##[" not in shown
    assert len(text) == len(in_place(text))
