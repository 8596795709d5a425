"""Symbol resolution: one definition for each global name of the program.

Comes in: the inputs. Goes out: a `Resolution` that tells what each input's symbol means, or PTX306
for names that clash or stay undefined. It must know nothing of addresses or files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.link.chunks import Chunk, Definition, InputObject, State, most_constrained
from ptxlift.link.elf import Shf, Sht, Stb, Stt
from ptxlift.records import dataclass, replace

_MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Resolution:
    """`globals` in the order of first mention; `commons` are the chunks of common blocks."""

    globals: dict[str, Definition]
    inputs: Sequence[InputObject]
    commons: tuple[Chunk, ...]

    def of(self, origin: int, index: int) -> Definition:
        """What symbol `index` of an input stands for."""
        symbol = self.inputs[origin].symbols[index]
        return symbol if symbol.is_local else self.globals[symbol.name]

    def locals(self) -> Iterable[Definition]:
        """The symbols that stay inside their input, by input; hidden globals are among them."""
        hidden: dict[int, list[Definition]] = {}
        for symbol in self.globals.values():
            if symbol.state is not State.UNDEFINED and not symbol.is_exported:
                hidden.setdefault(symbol.origin, []).append(symbol)
        for source in self.inputs:
            yield from (s for s in source.symbols if _is_listed_local(s))
            yield from hidden.get(source.index, ())

    def exported(self) -> list[Definition]:
        """What the loader sees."""
        return [symbol for symbol in self.globals.values() if symbol.is_exported]


def resolve(inputs: Sequence[InputObject]) -> Resolution:
    """Binds the global names of all inputs."""
    found: dict[str, Definition] = {}
    visibilities: dict[str, list[int]] = {}
    clashes: list[Diagnostic] = []
    for source in inputs:
        for symbol in source.symbols:
            if symbol.is_local:
                continue
            visibilities.setdefault(symbol.name, []).append(symbol.visibility)
            old = found.get(symbol.name)
            if old is not None and _is_strong(old) and _is_strong(symbol):
                clashes.append(_clash(old, symbol, inputs))
            found[symbol.name] = symbol if old is None else _stronger(old, symbol)
    problems = clashes + [_undefined(s, inputs) for s in found.values() if _is_missing(s)]
    if problems:
        raise PtxError(problems[:_MAX_SHOWN])
    merged = {
        name: symbol.with_visibility(most_constrained(visibilities[name]))
        for name, symbol in found.items()
    }
    return _with_commons(merged, inputs)


_RANK = {State.UNDEFINED: 0, State.DEFINED: 3, State.ABSOLUTE: 3, State.COMMON: 2}


def _rank(symbol: Definition) -> int:
    """A strong definition before a common block before a weak definition before a mention."""
    rank = _RANK[symbol.state]
    return 1 if rank == 3 and symbol.bind == Stb.WEAK else rank


def _is_strong(symbol: Definition) -> bool:
    return _rank(symbol) == 3


def _is_missing(symbol: Definition) -> bool:
    return symbol.state is State.UNDEFINED and symbol.bind != Stb.WEAK


def _stronger(old: Definition, new: Definition) -> Definition:
    if old.state is State.COMMON and new.state is State.COMMON:
        value, size = max(old.value, new.value), max(old.size, new.size)
        return replace(old, value=value, size=size)
    if old.state is State.UNDEFINED and new.state is State.UNDEFINED:
        return old if _is_missing(old) else new
    return new if _rank(new) > _rank(old) else old


def _clash(old: Definition, new: Definition, inputs: Sequence[InputObject]) -> Diagnostic:
    first, second = inputs[old.origin].name, inputs[new.origin].name
    message = f"{old.name} is defined in {first} and again in {second}"
    return Diagnostic("PTX306", message, hint="rename one of them or make it .weak")


def _undefined(symbol: Definition, inputs: Sequence[InputObject]) -> Diagnostic:
    message = f"{symbol.name} is used in {inputs[symbol.origin].name} and defined nowhere"
    return Diagnostic("PTX306", message, hint="link an object that defines it")


def _is_listed_local(symbol: Definition) -> bool:
    if not symbol.is_local or symbol.state is State.UNDEFINED or symbol.type == Stt.SECTION:
        return False
    merged = symbol.chunk is not None and symbol.chunk.flags & Shf.MERGE
    return not (merged and symbol.name.startswith(".L"))


def _with_commons(symbols: dict[str, Definition], inputs: Sequence[InputObject]) -> Resolution:
    commons = []
    for name, symbol in symbols.items():
        if symbol.state is not State.COMMON:
            continue
        flags = Shf.ALLOC | Shf.WRITE
        block = Chunk(".bss", Sht.NOBITS, flags, symbol.value, symbol.size, origin=symbol.origin)
        commons.append(block)
        symbols[name] = replace(symbol, state=State.DEFINED, value=0, chunk=block, type=Stt.OBJECT)
    return Resolution(symbols, inputs, tuple(commons))
