"""The types that the compiler derives from a schema."""

import pytest

from dsgen.compiler.frontend.types import (
    ANY,
    BOOL,
    EMPTY,
    INT,
    STR,
    WORD,
    SchemaTypes,
    Type,
    is_harmless,
    is_plain_pattern,
    join_types,
)
from dsgen.errors import DsgenError
from tests.compiler.worlds import SCHEMA


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^[a-z]([-a-z0-9]*[a-z0-9])?$", True),
        ("^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$", True),
        ("^(sha256:[0-9a-f]{64})?$", True),
        ("^(unlimited|[0-9]+([.][0-9]+)?(m|k|Ki)?)?$", True),
        ("^/[^\\n]*$", False),
        ("^/.*$", False),
        ("^[a-z ]+$", False),
        ("^[a-z#]+$", False),
        ("^a: b$", False),
        ("[a-z]+", False),
        ("", False),
    ],
)
def test_patterns_of_text_that_needs_no_quotes(pattern: str, expected: bool) -> None:
    assert expected == is_plain_pattern(pattern)


def test_what_stands_below_a_key_of_the_user() -> None:
    """Defaults come along, since Helm cannot fill them; what has none may be absent."""
    storage = SchemaTypes(SCHEMA).values.find_field("storage")
    assert storage
    assert storage.item
    fields = dict(storage.item.fields)

    actual = {name: (one.default, one.nullable) for name, one in fields.items()}
    expected = {
        "path": ('"/data"', False),
        "readOnly": ("false", False),
        "count": ("2", False),
        "modes": ('["x"]', False),
        "create": (None, True),
        "nfs": (None, True),
    }
    assert expected == actual


def test_a_record_below_a_key_of_the_user_is_optional() -> None:
    """Otherwise it would be filled in one world and absent in the other."""
    record = {"type": "object", "properties": {"a": {"type": "string", "default": ""}}}
    volume = {"type": "object", "properties": {"record": record, "x": {"type": "string", "default": ""}}}
    volumes = {"type": "object", "additionalProperties": volume, "default": {}}

    with pytest.raises(DsgenError, match="the record 'record' is below a key that the user chooses"):
        SchemaTypes({"type": "object", "properties": {"volumes": volumes}})


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (STR, STR, STR),
        (STR, WORD, STR),
        (INT, STR, ANY),
        (BOOL, INT, ANY),
        (Type("null"), STR, Type("str", nullable=True)),
        (Type("list", item=EMPTY), Type("list", item=WORD), Type("list", item=WORD)),
        (Type("list", item=STR), Type("list", item=EMPTY), Type("list", item=STR)),
        (Type("list", item=STR), Type("list", item=INT), Type("list", item=ANY)),
    ],
)
def test_join(left: Type, right: Type, expected: Type) -> None:
    assert expected == join_types(left, right)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (INT, True),
        (BOOL, True),
        (WORD, True),
        (STR, False),
        (ANY, False),
        (Type("list", item=INT), True),
        (Type("list", item=STR), False),
        (Type("union", item=WORD, options=("number",)), True),
        (Type("union", item=STR, options=("number",)), False),
        (Type("union", item=WORD, options=("object",)), False),
    ],
)
def test_json_that_may_stand_bare(type_: Type, expected: bool) -> None:
    assert expected == is_harmless(type_)
