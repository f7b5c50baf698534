"""Scalars as Helm reads them: the values of plain ones, and texts and keys that it cannot read.

Plain scalars are read as by go.yaml.in/yaml/v2: words of YAML 1.1, then JSON numbers.
"""

from __future__ import annotations

Scalar = str | int | float | bool | None

TRUE = frozenset(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
FALSE = frozenset(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
NULL = frozenset(("", "~", "null", "Null", "NULL"))
NOT_FINITE = frozenset(sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF"))
NOT_FINITE |= {".nan", ".NaN", ".NAN"}
EXACT = 2**53
"""Helm reads every number as a float64, which holds integers exactly up to this one."""

LONGEST_INTEGER = 64
"""Digits of an integer of 64 bits to the base 2. Python refuses to convert texts of thousands of digits."""

_BASES = {"x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2}
_FIGURES = {2: frozenset("01"), 8: frozenset("01234567"), 10: frozenset("0123456789")}
_FIGURES[16] = _FIGURES[10] | frozenset("abcdefABCDEF")


class UnreadableScalarError(ValueError):
    """A scalar that Helm would change or refuse; the message says why."""


def resolve(text: str) -> Scalar:
    """The value of a plain scalar; a float without a fraction is an integer.

    Raises UnreadableScalarError for infinities, not-a-number and integers that a float64 cannot hold.
    """
    if text in TRUE:
        return True
    if text in FALSE:
        return False
    if text in NULL:
        return None
    if text in NOT_FINITE:
        raise UnreadableScalarError("it is not a finite number, which Helm cannot read")
    number = _parse_number(text)
    return text if number is None else number


def _parse_number(text: str) -> int | float | None:
    # Underscores group digits, but not after a leading dot: `1_000` is a number, `._5` a text.
    digits = text if text.startswith(".") else text.replace("_", "")
    if text[0] not in "+-.0123456789":
        return None
    integer = _parse_integer(digits)
    if integer is not None:
        if abs(integer) > EXACT:
            raise UnreadableScalarError(f"Helm would round this number to {float(integer):.0f}")
        return integer
    if not _is_float(digits):
        return None
    number = float(digits)
    if abs(number) == float("inf"):
        return None  # 1e400 is a text for Helm
    if digits.lstrip("+-").isdigit() and abs(number) > EXACT:
        raise UnreadableScalarError(f"Helm would round this number to {number:.0f}")
    is_whole = number.is_integer() and abs(number) <= EXACT and str(number) != "-0.0"
    return int(number) if is_whole else number


def _remove_sign(text: str) -> str:
    return text[1:] if text[:1] in ("+", "-") else text


def _is_decimal(text: str) -> bool:
    return text != "" and _FIGURES[10].issuperset(text)


def _parse_integer(digits: str) -> int | None:
    figures, base = _remove_sign(digits), 10
    if figures[:1] == "0" and len(figures) > 1:
        base = _BASES.get(figures[1], 8)
        figures = figures[2:] if figures[1] in _BASES else figures[1:]
    if not figures or not _FIGURES[base].issuperset(figures) or len(figures.lstrip("0")) > LONGEST_INTEGER:
        return None
    number = int(figures, base)
    number = -number if digits[0] == "-" else number
    # Go tries int64, then uint64 if there is no sign.
    return number if -(2**63) <= number < (2**63 if digits[0] in "+-" else 2**64) else None


def _is_float(digits: str) -> bool:
    """Whether it is a decimal number, with or without a fraction and an exponent."""
    mantissa, sign, exponent = _remove_sign(digits).replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    return _is_decimal(whole + fraction) and (not sign or _is_decimal(_remove_sign(exponent)))


def format_key(text: str) -> str:
    """The text of a plain key, because keys in JSON are texts: `on` is "true", `0x10` is "16".

    Raises UnreadableScalarError for a key that is null, a fraction or too large.
    """
    value = resolve(text)
    if value is None:
        raise UnreadableScalarError("a key cannot be null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        raise UnreadableScalarError("a key cannot be a number with a fraction")
    return str(value)


def explain_surprise(text: str) -> tuple[str, str] | None:
    """The type and value of a plain scalar that Helm reads unexpectedly, such as ("boolean", "true"); else None."""
    if text in TRUE and text.lower() != "true":
        return "boolean", "true"
    if text in FALSE and text.lower() != "false":
        return "boolean", "false"
    if _remove_sign(text)[:1] == "0" and _is_decimal(_remove_sign(text).replace("_", "0")[1:]):
        value = resolve(text)
        return None if isinstance(value, str) else ("number", str(value))
    return None


LONGEST_KEY = 1024
"""Characters of a key as JSON: to validate values, Helm 3 converts them to JSON and reads that as YAML."""
_SHORT_KEY = 128
"""A key of so many characters is short enough as JSON, whatever its characters are."""


def explain_text(text: str) -> str:
    """The reason why Helm 3 fails on a text, however it is quoted; empty if it does not.

    U+0085 is allowed here: Helm 3 reads it as a line break when it checks the patterns of the schema, and those reject
    it. Both versions of Helm change a lone surrogate, from an escape or a command line, to another character.
    """
    return _explain_uncarried(text.replace("\x85", ""))


def is_refused(char: str) -> bool:
    """Whether it is a control character, a lone surrogate or a noncharacter."""
    return "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"


def _explain_uncarried(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return ""
    char = next(filter(is_refused, text), "")
    return f"has the character U+{ord(char):04X}, which Helm cannot read" if char else ""


def explain_argument(text: str) -> str:
    """The reason why a text that Helm can read cannot be passed to a program; empty if it can."""
    return "has the character U+0000, which no argument, variable or path can hold" if "\0" in text else ""


def explain_key(key: str) -> str:
    """The reason why Helm cannot read a key; empty if it can."""
    if key == "<<":
        return "is read as a merge by Helm, even in quotes"
    if len(key) <= _SHORT_KEY:
        return _explain_uncarried(key)
    import json  # imported late: few keys are so long

    # Go escapes a few more characters than Python.
    size = len(json.dumps(key, ensure_ascii=False)) + len("u003c") * sum(key.count(char) for char in "<>&\u2028\u2029")
    if size > LONGEST_KEY:
        return f"has {size} characters as JSON; Helm reads at most {LONGEST_KEY}"
    return _explain_uncarried(key)
