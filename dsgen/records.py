"""`dataclass`, `field` and `replace` as those of `dataclasses`, which takes longer to import than a job takes to check.

To mypy they are those. Nothing but mypy keeps frozen fields from being assigned, and a field whose name begins with `_`
is not compared, printed or copied.
"""

from __future__ import annotations

__all__ = ["dataclass", "field", "replace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    class _Factory:
        def __init__(self, make):
            self.make = make

    def field(*, default_factory, repr=True, compare=True):  # noqa: A002, ARG001 - a name tells: see above
        return _Factory(default_factory)

    def dataclass(cls=None, *, frozen=False, kw_only=False):
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, kw_only=kw_only)
        names = (*getattr(cls, "_fields", ()), *vars(cls).get("__annotations__", ()))
        cls._fields = cls.__match_args__ = tuple([name for name in names if name[0] != "_"])
        defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
        if "__init__" not in vars(cls):
            cls.__init__ = _init(cls.__name__, names, defaults, 0 if kw_only else len(names))
        cls.__repr__, cls.__eq__ = _repr, _eq
        cls.__hash__ = _hash if frozen else None
        return cls

    def _init(title, names, defaults, positional):
        made = [(name, value.make) for name, value in defaults.items() if isinstance(value, _Factory)]
        required = [name for name in names if name not in defaults]
        known = frozenset(names)

        def __init__(self, *values, **named):  # noqa: N807 - it becomes the method
            state = self.__dict__
            if len(values) > positional or not known.issuperset(named):
                raise TypeError(f"{title} has the fields {', '.join(names)}")
            state.update(zip(names, values), **named)  # noqa: B905 - the rest have defaults
            for name in required:
                if name not in state:
                    raise TypeError(f"{title} needs {name}")
            for name, make in made:
                if name not in state:
                    state[name] = make()

        return __init__

    def replace(record, /, **changes):
        return type(record)(**{name: getattr(record, name) for name in record._fields} | changes)

    def _values(record):
        return tuple([getattr(record, name) for name in record._fields])

    def _repr(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._fields)})"

    def _eq(self, other):
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def _hash(self):
        return hash(_values(self))
