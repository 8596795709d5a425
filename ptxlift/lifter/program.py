"""The symbols of a program of one or several PTX modules: which name means what, and where.

Comes in: checked modules. Goes out: the definition behind every name and the name of every
definition in the object, or PTX306 with both places. The rules are those of NVIDIA's linker:
`.visible`, `.weak` and `.common` names are the program's, all others their module's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.isa import Type
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field

Symbol: TypeAlias = ptx.Function | ptx.Variable

_RANKS = {"visible": 3, "weak": 2, "common": 1}  # a higher one replaces a lower one
_STRONG = _RANKS["visible"]


@dataclass(frozen=True, slots=True)
class Older:
    """Another image of a module, for an older architecture. Kernels may be taken from it; the
    memory they share with other kernels is the module's.
    """

    module: ptx.Module
    of: ptx.Module


@dataclass(frozen=True, slots=True)
class Outside:
    """What the program is linked with. names: PTX's name of a function to the one it has there;
    others: functions that the program does not define have their own names there.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    others: bool = False


class Program:
    """All symbols of several PTX modules.

    `native`: the NVIDIA target whose own instructions may stay as they are, "" for none.
    """

    def __init__(
        self,
        modules: Sequence[ptx.Module],
        older: Sequence[Older] = (),
        native: str = "",
        outside: Outside | None = None,
    ) -> None:
        self.native = native
        self._outside = outside or Outside()
        self.modules = modules
        self.older = older
        self.home: dict[ptx.Function, ptx.Module] = {}
        self._own = {image.module.source for image in older}  # whose definitions are their own
        self._same: dict[ptx.Variable, ptx.Variable] = {}  # of an older image: the module's
        self._exports: dict[str, tuple[Symbol, ptx.Module]] = {}  # what all modules see
        self._declared: dict[str, ptx.Variable] = {}  # `.extern` and defined nowhere
        self._names: dict[Symbol, str] = {}
        self._named: dict[str, Symbol] = {}
        for module in modules:
            self.home.update(dict.fromkeys(module.functions.values(), module))
            for name, symbol in _definitions(module):
                self._export(name, symbol, module)
        for image in older:
            self._enter_older(image)
        for name, (symbol, _) in self._exports.items():
            self._named[name] = symbol
            self._names.setdefault(symbol, name)
        for module in (*modules, *(image.module for image in older)):
            for _, symbol in _definitions(module):
                self._name(symbol)

    def _enter_older(self, image: Older) -> None:
        functions = image.module.functions.values()
        self.home.update(dict.fromkeys(functions, image.module))
        self._names |= {f: f.name for f in functions if f.kind == "entry"}
        for variable in image.module.variables.values():
            known = image.of.variables.get(variable.name)
            if known is not None and variable.space is not ptx.Space.SHARED:
                self._same[variable] = known

    def _export(self, name: str, symbol: Symbol, module: ptx.Module) -> None:
        rank = _rank(symbol)
        if not rank:
            return
        known = self._exports.get(name)
        if known is None:
            self._exports[name] = symbol, module
            return
        other = known[0]
        if isinstance(other, ptx.Variable) is not isinstance(symbol, ptx.Variable):
            raise _clash(name, known, (symbol, module), "as two things")
        if rank == _rank(other) == _STRONG:
            raise _clash(name, known, (symbol, module), "in two modules")
        if rank > _rank(other) or (rank == _RANKS["common"] and _size(symbol) > _size(other)):
            self._exports[name] = symbol, module

    @property
    def kernels(self) -> dict[str, list[ptx.Function]]:
        """All kernels that have a body, by name in the order of the modules; those of older images
        after the module's own.
        """
        symbols = [symbol for symbol, _ in self._exports.values()]
        found = {s.name: [s] for s in symbols if isinstance(s, ptx.Function) and s.kind == "entry"}
        for image in self.older:
            for function in image.module.functions.values():
                if function.kind == "entry" and function.body is not None:
                    found.setdefault(function.name, []).append(function)
        return found

    @property
    def exported_variables(self) -> list[ptx.Variable]:
        """What `.extern` variables can mean."""
        return [s for s, _ in self._exports.values() if isinstance(s, ptx.Variable)]

    @property
    def constants(self) -> list[ptx.Variable]:
        """All `.const` variables that are defined here."""
        return [
            variable
            for module in self.modules
            for variable in module.variables.values()
            if variable.space is ptx.Space.CONST and self.variable(variable) is variable
        ]

    def objects_of(self, type_: Type) -> list[ptx.Variable]:
        """All texture, sampler or surface variables that are defined here."""
        return [
            variable
            for module in self.modules
            for variable in module.variables.values()
            if variable.type is type_ and self.variable(variable) is variable
        ]

    def function(self, function: ptx.Function) -> ptx.Function:
        """The definition behind a function's name, or the declaration itself."""
        module = self.home[function]
        if function.body is None and function.name in module.aliases:
            return self.function(module.aliases[function.name])
        own = not _rank(function) or module.source in self._own
        if function.body is not None and own:
            return function
        found = self._exports.get(function.name)
        return found[0] if found and isinstance(found[0], ptx.Function) else function

    def outside(self, function: ptx.Function, *, named: bool) -> str | None:
        """The name outside of a function that the program does not define; None if it is not to be
        found there. `named`: only if the caller named it.
        """
        if self.function(function).body is not None:
            return None
        found = self._outside.names.get(function.name)
        return found if named or found is not None or not self._outside.others else function.name

    def variable(self, variable: ptx.Variable) -> ptx.Variable:
        """The definition behind a variable's name; its first declaration if there is none. Raises
        PTX306 where two images disagree about it.
        """
        known = self._same.get(variable)
        if known is not None:
            if (known.size, known.space) != (variable.size, variable.space):
                message = f"variable '{variable.name}' differs between the images of the program"
                hint = "translate the images apart: `ptxlift extract` writes each to a file"
                raise PtxError.of("PTX306", message, hint=hint)
            variable = known
        if variable.linkage != "extern" and not _rank(variable):
            return variable
        found = self._exports.get(variable.name)
        if found and isinstance(found[0], ptx.Variable):
            return found[0]
        if variable.space is ptx.Space.SHARED:
            return variable
        return self._declared.setdefault(variable.name, variable)

    def name_of(self, symbol: Symbol) -> str:
        """The name in the object: its own, made unique for what only a module or a body knows."""
        if isinstance(symbol, ptx.Variable):
            return self._name(self.variable(symbol))
        return self._name(self.function(symbol))

    def _name(self, symbol: Symbol) -> str:
        name = self._names.get(symbol)
        if name is None:
            name, count = symbol.name, 0
            while name in self._named:
                count += 1
                name = f"{symbol.name}${count}"
            self._names[symbol] = name
            self._named[name] = symbol
        return name

    def named(self, name: str) -> Symbol | None:
        """What `name_of` gave a name in the object."""
        return self._named.get(name)

    def functions_in(self, variable: ptx.Variable) -> list[ptx.Function]:
        """Functions whose addresses a variable's initial value holds, through others it names."""
        found: dict[ptx.Function, None] = {}
        work = [self.variable(variable)]
        seen = set(work)
        while work:
            initial = work.pop().initializer
            for relocation in initial.relocations if initial is not None else ():
                symbol = relocation.symbol
                if isinstance(symbol, ptx.Function):
                    found[self.function(symbol)] = None
                elif (named := self.variable(symbol)) not in seen:
                    seen.add(named)
                    work.append(named)
        return list(found)


def _definitions(module: ptx.Module) -> Iterator[tuple[str, Symbol]]:
    """What a module defines, by name; an alias is its function's other name."""
    for function in module.functions.values():
        if function.body is not None:
            yield function.name, function
    for name, target in module.aliases.items():
        if target.body is not None and _rank(module.functions[name]):
            yield name, target
    for variable in module.variables.values():
        if variable.linkage != "extern":
            yield variable.name, variable


def _rank(symbol: Symbol) -> int:
    """How strong an exported name is; 0 for a module's own. A kernel is never only that."""
    rank = _RANKS.get(symbol.linkage, 0)
    if isinstance(symbol, ptx.Function) and symbol.kind == "entry":
        return rank or _STRONG
    return rank


def _size(symbol: Symbol) -> int:
    return symbol.size if isinstance(symbol, ptx.Variable) else 0


def _clash(
    name: str, first: tuple[Symbol, ptx.Module], second: tuple[Symbol, ptx.Module], how: str
) -> PtxError:
    """Two diagnostics, so that both places are shown."""
    hint = "rename one, or make one of them .weak"
    found = []
    for text, (symbol, module) in (("first here", first), ("and here", second)):
        what = "variable" if isinstance(symbol, ptx.Variable) else "function"
        span = module.span(symbol.start, symbol.start + max(len(name), 1))
        message = f"{what} '{name}' is defined {how}: {text}"
        found.append(Diagnostic("PTX306", message, span, hint))
    return PtxError(found)
