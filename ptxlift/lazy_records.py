"""What `records` gives at run time: classes with slots, and methods compiled at their first use.

Comes in: a class with annotations. Goes out: the class with slots, and a stub for each method; the
stub compiles the method, puts it into the class and steps aside. It must know no record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn  # Any: fields hold whatever a record says they do

_FIELDS = "__record_fields__"


class _Missing:
    """No value."""


_MISSING = _Missing()


class Field:
    """How a field gets its value when none is given, and which methods look at it."""

    __slots__ = ("annotation", "default", "factory", "name", "switches")

    def __init__(self, default: Any, factory: Any, **switches: bool) -> None:
        self.name = self.annotation = ""
        self.default, self.factory = default, factory
        self.switches = switches  # as the library's `field` takes them

    def is_in(self, method: str) -> bool:
        """Whether it has a part in `init`, `repr` or `hash`."""
        return self.switches.get(method, True)

    def as_given(self) -> dict[str, Any]:
        """The arguments of the library's `field`."""
        values = {"default": self.default, "default_factory": self.factory}
        return {k: v for k, v in values.items() if v is not _MISSING} | self.switches

    @property
    def optional(self) -> bool:
        return self.default is not _MISSING or self.factory is not _MISSING


def field(*, default: Any = _MISSING, default_factory: Any = _MISSING, **switches: bool) -> Any:
    """A field that is more than a name; switches: `init`, `repr`, `hash`."""
    return Field(default, default_factory, **switches)


def dataclass(
    *, frozen: bool = False, slots: bool, eq: bool = True, repr: bool = True
) -> Callable[[type], type]:
    """A decorator that makes a record of a class."""
    assert slots, "records have slots"

    def make(cls: type) -> type:
        names = {"__init__": True, "__repr__": repr, "__eq__": eq, "__hash__": eq and frozen}
        stubs = {name: _Stub(name) for name, wanted in names.items() if wanted}
        return _with_slots(cls, stubs, frozen, eq)

    return make


def replace(record: Any, /, **changes: Any) -> Any:
    """The record with other values in some fields."""
    for entry in getattr(type(record), _FIELDS).values():
        if entry.is_in("init"):
            changes.setdefault(entry.name, getattr(record, entry.name))
    return type(record)(**changes)


def _with_slots(cls: type, stubs: Mapping[str, _Stub], frozen: bool, eq: bool) -> type:
    """The class made anew, with slots and the methods it does not define itself."""
    namespace = dict(cls.__dict__)
    own = _own_fields(cls, namespace)
    known: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        known |= base.__dict__.get(_FIELDS, {})
    slots = tuple(name for name in own if name not in known)
    known |= own
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    if eq and not frozen:
        namespace.setdefault("__hash__", None)
    if eq and namespace.get("__hash__", _MISSING) is None and frozen:
        del namespace["__hash__"]  # Python's own mark of a class that defines only `__eq__`
    if frozen:
        namespace |= {"__setattr__": _refuse, "__delattr__": _refuse}
        namespace |= {"__getstate__": _state, "__setstate__": _restore}
    namespace = {**stubs, "__dataclass_fields__": _Library(frozen, eq), **namespace}
    namespace |= {"__slots__": slots, _FIELDS: known}
    namespace["__match_args__"] = tuple(
        name for name, entry in known.items() if entry.is_in("init")
    )
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _own_fields(cls: type, namespace: dict[str, Any]) -> dict[str, Field]:
    """The fields a class adds, whose defaults leave its namespace: a slot stands there."""
    own = {}
    for name, annotation in namespace.get("__annotations__", {}).items():
        given = namespace.pop(name, _MISSING)
        entry = given if isinstance(given, Field) else Field(given, _MISSING)
        entry.name, entry.annotation = name, annotation
        own[name] = entry
    return own


class _Stub:
    """Stands where a method will be."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        holder = next(cls for cls in owner.__mro__ if cls.__dict__.get(self._name) is self)
        method = _WRITERS[self._name](holder)
        setattr(holder, self._name, method)
        return method if instance is None else method.__get__(instance, owner)


class _Library:
    """What the library keeps of its own records, made when somebody asks."""

    __slots__ = ("_eq", "_frozen")

    def __init__(self, frozen: bool, eq: bool) -> None:
        self._frozen, self._eq = frozen, eq

    def __get__(self, instance: object, owner: type) -> Any:
        import dataclasses

        entries: dict[str, Field] = getattr(owner, _FIELDS)
        namespace: dict[str, Any] = {
            name: dataclasses.field(**entry.as_given()) for name, entry in entries.items()
        }
        namespace["__annotations__"] = {n: entry.annotation for n, entry in entries.items()}
        twin = type(owner.__name__, (), namespace)
        made: Any = dataclasses.dataclass(frozen=self._frozen, eq=self._eq)(twin)
        owner.__dataclass_params__ = made.__dataclass_params__  # type: ignore[attr-defined]
        owner.__dataclass_fields__ = made.__dataclass_fields__  # type: ignore[attr-defined]
        return made.__dataclass_fields__


def _compiled(cls: type, name: str, head: str, body: list[str], names: Mapping[str, Any]) -> Any:
    """A method from its text, as the library does it."""
    lines = [f"def {name}({head}):", *(f" {line}" for line in body or ["pass"])]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), dict(names), scope)
    method = scope[name]
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    return method


def _fields_of(cls: type) -> list[Field]:
    entries: dict[str, Field] = getattr(cls, _FIELDS)
    return list(entries.values())


def _init(cls: type) -> Any:
    """Slots are set by their own descriptors: a frozen record refuses any other way."""
    names: dict[str, Any] = {"_missing": _MISSING}
    head, body = ["self"], []
    for entry in _fields_of(cls):
        name = entry.name
        if not entry.is_in("init") and not entry.optional:
            continue  # `__post_init__` sets it
        names[f"_set_{name}"] = getattr(cls, name).__set__
        value = name
        if entry.factory is not _MISSING:
            names[f"_new_{name}"] = entry.factory
            value = f"_new_{name}()"
            if entry.is_in("init"):
                value += f" if {name} is _missing else {name}"
        elif entry.default is not _MISSING:
            names[f"_default_{name}"] = entry.default
            value = name if entry.is_in("init") else f"_default_{name}"
        if entry.is_in("init"):
            default = "_missing" if entry.factory is not _MISSING else f"_default_{name}"
            head.append(f"{name}={default}" if entry.optional else name)
        body.append(f"_set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    return _compiled(cls, "__init__", ", ".join(head), body, names)


def _tuple(cls: type, of: str, method: str) -> str:
    names = [entry.name for entry in _fields_of(cls) if entry.is_in(method)]
    return "(" + "".join(f"{of}.{name}," for name in names) + ")"


def _eq(cls: type) -> Any:
    same = f"return {_tuple(cls, 'self', 'eq')} == {_tuple(cls, 'other', 'eq')}"
    body = [f"if other.__class__ is self.__class__: {same}", "return NotImplemented"]
    return _compiled(cls, "__eq__", "self, other", body, {})


def _hash(cls: type) -> Any:
    body = [f"return hash({_tuple(cls, 'self', 'hash')})"]
    return _compiled(cls, "__hash__", "self", body, {})


def _repr(cls: type) -> Any:
    from reprlib import recursive_repr

    names = [entry.name for entry in _fields_of(cls) if entry.is_in("repr")]

    @recursive_repr("...")
    def __repr__(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return __repr__


_WRITERS: Mapping[str, Callable[[type], Any]] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
}


def _refuse(self: object, name: str, *value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: object) -> list[Any]:
    return [getattr(self, name) for name in getattr(type(self), _FIELDS)]


def _restore(self: object, state: list[Any]) -> None:
    for name, value in zip(getattr(type(self), _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)
