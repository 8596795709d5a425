"""The LLVM forms of IR values in one function, and the lines of text they are defined in.

Comes in: definitions from lowerings. Goes out: operand text. An IR value is a bit pattern; in LLVM
it may be an integer, a float or a pointer. Each form is made once, at the first use that asks for
it, in the line after the value's definition; phis take the form that was asked for first. It must
know no op and no block structure.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from ptxlift.diag import InternalError
from ptxlift.ir.core import Block, Op, Value
from ptxlift.ir.text import print_op
from ptxlift.llvm.context import ModuleContext
from ptxlift.llvm.floats import TYPES, FloatType, literal

Shared = TypeVar("Shared", bound=ModuleContext)


class Forms(Generic[Shared]):
    """Lines of LLVM text and the names of values in them."""

    def __init__(self, context: Shared) -> None:
        self.context = context
        self.lines: list[str] = []
        self.pending_phis: list[tuple[Value, str, str]] = []  # block parameter, type, name
        self._bits: dict[Value, str] = {}
        self._reals: dict[str, dict[Value, str]] = {t.name: {} for t in TYPES.values()}
        self._pointers: dict[Value, tuple[str, str]] = {}  # name, type
        self._constants: dict[Value, int] = {}
        self._loose_nan: dict[Value, FloatType] = {}
        self.without_payload: set[Value] = set()  # whose NaN may stay as they are
        self._where: dict[Value, int] = {}  # index of the defining line
        self._count = 0

    # ---- writing ----

    def fresh(self, prefix: str) -> str:
        """A new name, for labels."""
        self._count += 1
        return f"{prefix}.{self._count}"

    def do(self, instruction: str) -> None:
        """An instruction without a result."""
        self.lines.append("  " + instruction)

    def let(self, expression: str) -> str:
        """A temporary; returns its name."""
        self._count += 1
        name = f"%.{self._count}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def call(self, signature: str, *arguments: str) -> str:
        """The expression that calls an intrinsic, declared on the way."""
        pattern = self.context.calls.get(signature) or self.context.declare(signature)
        return pattern % arguments

    def at_entry(self, expression: str) -> str:
        """A temporary at the function's entry, where it dominates everything."""
        self._count += 1
        name = f"%.{self._count}"
        self.lines[0] += f"\n  {name} = {expression}"
        return name

    # ---- giving results their definitions ----

    def set_bits(self, value: Value, expression: str) -> None:
        self._count += 1
        name = f"%.{self._count}"
        self._where[value] = len(self.lines)
        self.lines.append(f"  {name} = {expression}")
        self._bits[value] = name

    def set_real(
        self, value: Value, type: FloatType, expression: str, loose_nan: bool = False
    ) -> None:
        """`loose_nan`: a NaN may have any payload; whoever reads bits gets PTX's NaN."""
        self._count += 1
        name = f"%.{self._count}"
        self._where[value] = len(self.lines)
        self.lines.append(f"  {name} = {expression}")
        self._reals[type.name][value] = name
        if loose_nan:
            self._loose_nan[value] = type

    def set_constant(self, value: Value, bits: int) -> None:
        self._constants[value] = bits
        self._bits[value] = ("true" if bits else "false") if value.width == 1 else str(bits)
        self._where[value] = 0

    def alias(self, value: Value, text: str) -> None:
        """The value's bits are something already named."""
        self._bits[value] = text
        self._where[value] = len(self.lines) - 1

    def alias_pointer(self, value: Value, text: str, type: str) -> None:
        """The value is an address that has a name as a pointer."""
        self._pointers[value] = (text, type)
        self._where.setdefault(value, len(self.lines) - 1)

    def place_at_entry(self, value: Value) -> None:
        """The value is known from the function's entry on."""
        self._where[value] = 0

    def set_param(self, value: Value) -> None:
        """A block parameter; it becomes a phi of the first form that is asked for."""
        self._where[value] = len(self.lines) - 1

    # ---- reading values ----

    def constant(self, value: Value) -> int | None:
        """The bits of a value that is a constant."""
        return self._constants.get(value)

    def bits(self, value: Value) -> str:
        """The integer form."""
        text = self._bits.get(value)
        return text if text is not None else self._make_bits(value)

    def real(self, value: Value, type: FloatType) -> str:
        """The floating-point form."""
        text = self._reals[type.name].get(value)
        return text if text is not None else self._make_real(value, type)

    def has_loose_nan(self, value: Value) -> bool:
        """Whether its floating-point form may be another NaN than its bits are."""
        return value in self._loose_nan and value not in self.without_payload

    def known_pointer(self, value: Value) -> str | None:
        """The pointer form, where there is one."""
        known = self._pointers.get(value)
        return known[0] if known is not None else None

    def pointer_phi(self, value: Value, type: str) -> str:
        """The pointer form of a block parameter."""
        name = self._phi(value, type)
        self._pointers[value] = (name, type)
        return name

    def set_pointer(self, value: Value, type: str, expression: str) -> str:
        """Makes the pointer form of a value that has another form."""
        name = self.insert_after(value, expression)
        self._pointers[value] = (name, type)
        return name

    def insert_after(self, value: Value, expression: str) -> str:
        """Defines a temporary right after the value's definition."""
        self._count += 1
        name = f"%.{self._count}"
        self.lines[self._where[value]] += f"\n  {name} = {expression}"
        return name

    def _make_bits(self, value: Value) -> str:
        text = self._bits_of_form(value)
        self._bits[value] = text
        return text

    def _bits_of_form(self, value: Value) -> str:
        for name, forms in self._reals.items():
            if value in forms:
                return self._bits_of_real(value, name, forms[value])
        if value in self._pointers:
            text, type = self._pointers[value]
            return self.insert_after(value, f"ptrtoint {type} {text} to i{value.width}")
        if value in self._where:
            return self._phi(value, f"i{value.width}")
        raise InternalError(f"no definition before the use of {_describe(value)}")

    def _bits_of_real(self, value: Value, name: str, text: str) -> str:
        bits = self.insert_after(value, f"bitcast {name} {text} to i{value.width}")
        if not self.has_loose_nan(value):
            return bits
        type = self._loose_nan[value]
        unordered = self.insert_after(value, f"fcmp uno {name} {text}, 0.0")
        integer = type.integer
        chosen = f"select i1 {unordered}, {integer} {type.canonical_nan}, {integer} {bits}"
        return self.insert_after(value, chosen)

    def _make_real(self, value: Value, type: FloatType) -> str:
        forms = self._reals[type.name]
        constant = self._constants.get(value)
        if constant is not None:
            forms[value] = literal(constant, type)
        elif self._is_formless(value):
            forms[value] = self._phi(value, type.name)
        else:
            bits = self.bits(value)
            forms[value] = self.insert_after(value, f"bitcast i{value.width} {bits} to {type.name}")
        return forms[value]

    def _is_formless(self, value: Value) -> bool:
        """Whether nothing has asked for this block parameter yet."""
        if not isinstance(value.definition, Block) or value in self._bits:
            return False
        in_use = value in self._pointers or any(value in forms for forms in self._reals.values())
        return not in_use

    def _phi(self, param: Value, type: str) -> str:
        self._count += 1
        name = f"%.{self._count}"
        self.pending_phis.append((param, type, name))
        return name


def _describe(value: Value) -> str:
    definition = value.definition
    return print_op(definition) if isinstance(definition, Op) else definition.name
