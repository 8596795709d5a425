"""Instructions that stay as they are, for targets that speak PTX themselves.

On such a target everything the IR has no exact op for keeps its own text: matrix and asynchronous
instructions, barriers, atomics, accesses with an order or a cache hint. The text has `$0`, `$1` and
so on for the registers that are written and then for the values that are read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxlift.diag import PtxError
from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Value
from ptxlift.isa import Effect, Form, OperandKind, OperandSpec, Role
from ptxlift.isa.versions import NEWEST, needs
from ptxlift.lifter.operands import SPACE_OF
from ptxlift.lifter.words import space_of, words
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

# Rows with effects whose IR ops say all that PTX says.
_EXACT = frozenset(
    {
        "mov_sreg", "mov_address", "mov_vector", "cvta", "cvta_to", "call", "call_indirect",
        "shfl", "shfl_sync", "vote", "vote_sync", "vote_ballot", "vote_sync_ballot", "match",
        "activemask", "redux", "bar_warp_sync",
    }
)  # fmt: skip
_ACCESSES = frozenset({"ld", "ldu", "st"})
# What a plain access may say: the rest is an order, a scope, a cache hint or a cluster's address.
_PLAIN = frozenset(
    {
        "weak", "global", "shared", "shared::cta", "const", "local", "param", "param::entry",
        "param::func", "v2", "v4", "v8", "nc", "ca",
    }
)  # fmt: skip
_HEAD = re.compile(r"(?:@!?[^\s]+\s+)?([A-Za-z][\w.:]*)")
_BYTE = 8
_READ_TOO = frozenset({"wgmma_mma_async", "wgmma_mma_async_sp"})  # the results are addends, too
_CLUSTER = ("%cluster", "%nclusterid", "%is_explicit_cluster", "%envreg", "%reserved_smem", "%pm")


def is_native(form: Form, has_meaning: bool) -> bool:
    """Whether an instruction keeps its text. `has_meaning`: it is pure and has an IR definition."""
    if form.name in _EXACT:
        return False
    if form.name in _ACCESSES:
        return bool(_said(form) - _PLAIN)
    if has_meaning:
        return any(spec.kind is OperandKind.SELECTED for spec in form.operands)
    return True


def _said(form: Form) -> frozenset[str]:
    types = {type.name for type in form.types}
    return words(form) - types


def native_special(name: str) -> bool:
    """Whether a special register is read by its own name: blocks are no clusters elsewhere."""
    return name.startswith(_CLUSTER)


@dataclass(slots=True)
class _Text:
    """An instruction's operands as text, and the values in it."""

    at: FunctionLifter
    results: int
    values: list[Value] = field(default_factory=list)
    written: int = 0

    def read(self, value: Value) -> str:
        self.check_width(value.width)
        self.values.append(value)
        return f"${self.results + len(self.values) - 1}"

    def check_width(self, width: int) -> None:
        """Refuses what no constraint of inline PTX can hold."""
        if width == _BYTE:
            raise self.at.refuse(
                "an instruction on 8-bit registers cannot be kept as it is",
                "no LLVM register of NVIDIA targets is so narrow; use a form on wider ones",
            )

    def write(self) -> str:
        self.written += 1
        return f"${self.written - 1}"

    def operand(self, operand: ptx.Operand, spec: OperandSpec, space: Space) -> str:
        """One operand; `space` is that of addresses."""
        match operand:
            case ptx.Sink.SINK:
                return "_"
            case ptx.Immediate():
                return _literal(operand, spec)
            case ptx.SpecialRegister():
                return operand.name + (f".{operand.component}" if operand.component else "")
            case ptx.VectorOperand():
                return _braced([self.operand(part, spec, space) for part in operand.elements])
            case ptx.PairOperand():
                first = self.operand(operand.first, spec, space)
                return f"{first}|{self.operand(operand.second, spec, space)}"
            case ptx.Memory():
                return self._memory(operand, space)
            case ptx.BracketOperand():
                pairs = zip(operand.parts, spec.parts, strict=False)
                parts = [self.operand(part, inner, space) for part, inner in pairs]
                return f"[{', '.join(parts)}]"
            case _ if spec.role is Role.RESULT:
                return self._result(operand)
            case _ if spec.kind is OperandKind.REFERENCE and not isinstance(operand, ptx.Register):
                raise self._refused()
            case _:
                return self._source(operand)

    def _result(self, operand: ptx.Operand) -> str:
        match operand:
            case ptx.Register() if operand.vector > 1:
                return _braced([self.write() for _ in range(operand.vector)])
            case ptx.Register() | ptx.RegisterComponent():
                return self.write()
            case ptx.Selected():
                return f"{self.write()}.{operand.selector}"
            case _:
                raise self._refused()

    def _source(self, operand: ptx.Operand) -> str:
        match operand:
            case ptx.Register() if operand.vector == 1:
                return self.read(self.at.register(operand))
            case ptx.Register():
                parts = [ptx.RegisterComponent(operand, n) for n in range(operand.vector)]
                return _braced([self._source(part) for part in parts])
            case ptx.RegisterComponent():
                return self.read(self.at.scalar(operand, operand.register.type.bits))
            case ptx.Selected():
                text = self.read(self.at.register(operand.register))
                return f"{'-' if operand.negated else ''}{text}.{operand.selector}"
            case ptx.Negated():
                return f"!{self.read(self.at.register(operand.register))}"
            case ptx.SymbolAddress(symbol=ptx.Variable() as variable):
                value = self.at.address_of(variable, operand.offset)
                return self.read(self.at.builder.to_generic(value, SPACE_OF[variable.space]))
            case _:
                raise self._refused()

    def _refused(self) -> PtxError:
        return self.at.refuse(
            "this operand cannot be kept as it is",
            "pass textures, surfaces and samplers as handles in registers",
        )

    def _memory(self, memory: ptx.Memory, space: Space) -> str:
        address = self.at.memory_address(ptx.Memory(memory.base, 0), space)
        offset = memory.offset
        if memory.base is None:
            return f"[{offset}]"
        return f"[{self.read(address)}{f'+{offset}' if offset else ''}]"


def _braced(parts: list[str]) -> str:
    return f"{{{', '.join(parts)}}}"


def _literal(operand: ptx.Immediate, spec: OperandSpec) -> str:
    """A constant; floats by their bits."""
    bits, type_ = operand.bits, operand.type
    if type_.is_float and type_.bits in (32, 64):
        return f"0f{bits:08X}" if type_.bits == 32 else f"0d{bits:016X}"
    signed = type_.is_signed or spec.kind is OperandKind.CONSTANT
    if signed and type_.bits > 1 and bits >> (type_.bits - 1):
        return str(bits - (1 << type_.bits))
    return str(bits)


def lift_native(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Keeps an instruction."""
    form = inst.form
    _check_target(at, form)
    pairs = list(zip(inst.operands, form.operands, strict=True))
    keys = [key for operand, spec in pairs if spec.role is Role.RESULT for key in _keys(operand)]
    widths = [(key[0] if isinstance(key, tuple) else key).type.bits for key in keys]
    text = _Text(at, len(keys))
    for bits in widths:
        text.check_width(bits)
    parts = [text.operand(operand, spec, _space(form, spec)) for operand, spec in pairs]
    before = [at.variables.read(at.node, key, bits) for key, bits in zip(keys, widths, strict=True)]
    tied = before if form.name in _READ_TOO else []
    line = f"{_mnemonic(at, inst)} {', '.join(parts)}".rstrip() + ";"
    pure = form.row.effect is Effect.PURE
    made = at.builder.native([*text.values, *tied], line, widths, pure, len(tied))
    for key, value in zip(keys, made, strict=True):
        at.set(key, value, inst)


def read_native_special(at: FunctionLifter, name: str, component: str, width: int) -> Value:
    """A special register by its own name."""
    kind = "pred" if width == 1 else f"u{width}"
    whole = name + (f".{component}" if component else "")
    return at.builder.native((), f"mov.{kind} $0, {whole};", (width,), True)[0]


_Key = ptx.Register | tuple[ptx.Register, int]


def _keys(operand: ptx.Operand) -> list[_Key]:
    """The registers that a result operand names, as the variables know them."""
    match operand:
        case ptx.Register() if operand.vector == 1:
            return [operand]
        case ptx.Register():
            return [(operand, index) for index in range(operand.vector)]
        case ptx.RegisterComponent():
            return [(operand.register, operand.index)]
        case ptx.VectorOperand():
            return [key for element in operand.elements for key in _keys(element)]
        case ptx.PairOperand():
            return [*_keys(operand.first), *_keys(operand.second)]
        case ptx.Selected():
            return [operand.register]
        case _:
            return []


def _space(form: Form, spec: OperandSpec) -> Space:
    """The state space of an address."""
    word = spec.space.partition("::")[0]
    if word == "tmem":  # addresses of tensor memory are plain 32-bit numbers, as shared ones
        return Space.SHARED
    return Space(word) if word else space_of(form)


def _mnemonic(at: FunctionLifter, inst: ptx.Inst) -> str:
    """The opcode with its modifiers, as it is written."""
    text = at.module.source.text[inst.start : inst.end]
    found = _HEAD.match(text)
    assert found is not None, f"an instruction begins with its opcode: {text[:40]!r}"
    return found[1]


def _check_target(at: FunctionLifter, form: Form) -> None:
    """Refuses what the target lacks."""
    for requirement in needs(form.row, words(form)):
        problem = requirement.problem(NEWEST, at.program.native)
        if problem:
            raise at.refuse(
                f"'{form.row.opcode}' is not on {at.program.native}: it needs {problem}",
                "choose a target that has the instruction",
                "PTX302",
            )
