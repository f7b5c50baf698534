"""The schema of the values; the functions of `walk` are also available as `schema.type_at(path)` and so on."""

from dsgen.schema.walk import (
    DEFINITION,
    KUBERNETES_FILE,
    SCHEMA_FILE,
    child,
    defaults,
    is_always_there,
    is_nullable,
    is_record,
    keys,
    kubernetes_type,
    kubernetes_version,
    load,
    records,
    resolve,
    takes_null,
    type_at,
    types,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dsgen.schema.walk import Schema

__all__ = [
    "DEFINITION",
    "KUBERNETES_FILE",
    "SCHEMA_FILE",
    "Schema",
    "child",
    "defaults",
    "is_always_there",
    "is_nullable",
    "is_record",
    "keys",
    "kubernetes_type",
    "kubernetes_version",
    "load",
    "records",
    "resolve",
    "takes_null",
    "type_at",
    "types",
]
