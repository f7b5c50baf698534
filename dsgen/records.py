"""`dataclass`, `field` and `replace`, as in the module `dataclasses`, whose import takes longer than checking a job.

mypy sees the functions of `dataclasses`, and only mypy rejects an assignment to a field of a frozen record.
"""

from __future__ import annotations

__all__ = ["dataclass", "field", "replace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    class field:  # noqa: N801 - the name in dataclasses
        def __init__(self, *, default=None, default_factory=None, repr=True, compare=True):  # noqa: A002 - also a name there
            self.default, self.make, self.repr, self.compare = default, default_factory, repr, compare

    def dataclass(cls=None, *, frozen=False, kw_only=False):
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, kw_only=kw_only)
        names = (*getattr(cls, "_fields", ()), *vars(cls).get("__annotations__", ()))
        given = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
        fields = {name: value if isinstance(value, field) else field(default=value) for name, value in given.items()}
        for name, one in fields.items():
            setattr(cls, name, one.default)
        cls._fields = cls.__match_args__ = names
        cls._compared = tuple([name for name in names if name not in fields or fields[name].compare])
        cls._shown = tuple([name for name in names if name not in fields or fields[name].repr])
        if "__init__" not in vars(cls):
            cls.__init__ = _init(cls.__name__, names, fields, 0 if kw_only else len(names))
        cls.__repr__, cls.__eq__ = _repr, _eq
        cls.__hash__ = _hash if frozen else None
        return cls

    def _init(title, names, fields, positional):
        required = [name for name in names if name not in fields]
        defaults = {name: one.default for name, one in fields.items() if not one.make}
        made = {name: one.make for name, one in fields.items() if one.make}
        known = frozenset(names)

        def __init__(self, *values, **named):  # noqa: N807 - becomes the method of the class
            if len(values) > positional or not known.issuperset(named):
                raise TypeError(f"the fields of {title} are {', '.join(names)}")
            state = self.__dict__
            state.update(defaults)
            state.update(zip(names, values), **named)  # noqa: B905 - the other names have defaults
            for name, make in made.items():
                if name not in state:
                    state[name] = make()
            for name in required:
                if name not in state:
                    raise TypeError(f"{title} needs {name}")

        return __init__

    def replace(record, /, **changes):
        return type(record)(**{name: getattr(record, name) for name in record._fields} | changes)

    def _values(record):
        return tuple([getattr(record, name) for name in record._compared])

    def _repr(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._shown)})"

    def _eq(self, other):
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def _hash(self):
        return hash(_values(self))
