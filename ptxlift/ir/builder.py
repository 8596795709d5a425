"""Builds IR: an Algebra whose values are SSA values, plus the ops that are not pure.

It folds constants where that is free of judgement (widths, identities), never searches: real
simplification is the rewriter's. Knows nothing of PTX.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ptxlift.ir.attributes import (
    Approximation,
    AtomicOp,
    BarrierMode,
    FloatPredicate,
    Format,
    Hint,
    IntPredicate,
    Number,
    Order,
    ReduceOp,
    Rounding,
    Scope,
    ShuffleMode,
    Space,
    Special,
    VoteMode,
)
from ptxlift.ir.core import Attribute, Block, Op, Value
from ptxlift.ir.matrix import Product, register_bits
from ptxlift.ir.ops import OpDef, op_table


class Builder:
    """Appends ops to `block`; `span` marks each with its PTX offset."""

    def __init__(self, block: Block | None = None) -> None:
        self.block = block if block is not None else Block("entry")
        self.span = -1
        self._table: dict[str, OpDef] = op_table()

    # ---- the one way an op is made ----

    def emit(
        self,
        name: str,
        operands: Sequence[Value],
        attrs: tuple[Attribute, ...] = (),
        widths: Sequence[int] = (),
    ) -> Op:
        """Appends an op and returns it."""
        op = Op(self._table[name], operands, attrs, widths, self.span)
        self.block.ops.append(op)
        return op

    def _one(
        self, name: str, width: int, operands: Sequence[Value], attrs: tuple[Attribute, ...] = ()
    ) -> Value:
        op = Op(self._table[name], operands, attrs, (width,), self.span)
        self.block.ops.append(op)
        return op.results[0]

    # ---- Algebra: integers ----

    def width(self, a: Value) -> int:
        return a.width

    def const(self, width: int, bits: int) -> Value:
        return self._one("const", width, (), (width, bits & ((1 << width) - 1)))

    def undef(self, width: int) -> Value:
        return self._one("undef", width, (), (width,))

    def add(self, a: Value, b: Value) -> Value:
        return self._one("add", a.width, (a, b))

    def sub(self, a: Value, b: Value) -> Value:
        return self._one("sub", a.width, (a, b))

    def mul(self, a: Value, b: Value) -> Value:
        return self._one("mul", a.width, (a, b))

    def umulh(self, a: Value, b: Value) -> Value:
        return self._one("umulh", a.width, (a, b))

    def smulh(self, a: Value, b: Value) -> Value:
        return self._one("smulh", a.width, (a, b))

    def udiv(self, a: Value, b: Value) -> Value:
        return self._one("udiv", a.width, (a, b))

    def urem(self, a: Value, b: Value) -> Value:
        return self._one("urem", a.width, (a, b))

    def sdiv(self, a: Value, b: Value) -> Value:
        return self._one("sdiv", a.width, (a, b))

    def srem(self, a: Value, b: Value) -> Value:
        return self._one("srem", a.width, (a, b))

    def and_(self, a: Value, b: Value) -> Value:
        return self._one("and_", a.width, (a, b))

    def or_(self, a: Value, b: Value) -> Value:
        return self._one("or_", a.width, (a, b))

    def xor(self, a: Value, b: Value) -> Value:
        return self._one("xor", a.width, (a, b))

    def not_(self, a: Value) -> Value:
        return self._one("not_", a.width, (a,))

    def shl(self, a: Value, b: Value) -> Value:
        return self._one("shl", a.width, (a, b))

    def lshr(self, a: Value, b: Value) -> Value:
        return self._one("lshr", a.width, (a, b))

    def ashr(self, a: Value, b: Value) -> Value:
        return self._one("ashr", a.width, (a, b))

    def fshl(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("fshl", a.width, (a, b, c))

    def fshr(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("fshr", a.width, (a, b, c))

    def umin(self, a: Value, b: Value) -> Value:
        return self._one("umin", a.width, (a, b))

    def umax(self, a: Value, b: Value) -> Value:
        return self._one("umax", a.width, (a, b))

    def smin(self, a: Value, b: Value) -> Value:
        return self._one("smin", a.width, (a, b))

    def smax(self, a: Value, b: Value) -> Value:
        return self._one("smax", a.width, (a, b))

    def popcount(self, a: Value) -> Value:
        return self._one("popcount", 32, (a,))

    def clz(self, a: Value) -> Value:
        return self._one("clz", 32, (a,))

    def ctz(self, a: Value) -> Value:
        return self._one("ctz", 32, (a,))

    def bitreverse(self, a: Value) -> Value:
        return self._one("bitreverse", a.width, (a,))

    def icmp(self, a: Value, b: Value, predicate: IntPredicate) -> Value:
        return self._one("icmp", 1, (a, b), (predicate,))

    def select(self, a: Value, b: Value, c: Value) -> Value:
        return b if b is c else self._one("select", b.width, (a, b, c))

    def zext(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._one("zext", width, (a,), (width,))

    def sext(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._one("sext", width, (a,), (width,))

    def trunc(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._one("trunc", width, (a,), (width,))

    def pack(self, parts: Sequence[Value]) -> Value:
        width = sum(part.width for part in parts)
        return parts[0] if len(parts) == 1 else self._one("pack", width, parts, (width,))

    def extract(self, a: Value, width: int, offset: int) -> Value:
        return a if a.width == width else self._one("extract", width, (a,), (width, offset))

    def add_carry(self, a: Value, b: Value, c: Value) -> tuple[Value, Value]:
        op = self.emit("add_carry", (a, b, c), (), (a.width, 1))
        return op.results[0], op.results[1]

    def sub_borrow(self, a: Value, b: Value, c: Value) -> tuple[Value, Value]:
        op = self.emit("sub_borrow", (a, b, c), (), (a.width, 1))
        return op.results[0], op.results[1]

    def bfe_u(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("bfe_u", a.width, (a, b, c))

    def bfe_s(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("bfe_s", a.width, (a, b, c))

    def bfi(self, a: Value, b: Value, c: Value, d: Value) -> Value:
        return self._one("bfi", a.width, (a, b, c, d))

    def bfind(self, a: Value, signed: bool, shift: bool) -> Value:
        return self._one("bfind", 32, (a,), (signed, shift))

    def bitwise3(self, a: Value, b: Value, c: Value, lut: int) -> Value:
        return self._one("bitwise3", a.width, (a, b, c), (lut,))

    def prmt(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("prmt", 32, (a, b, c))

    def dp4a(self, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool) -> Value:
        return self._one("dp4a", 32, (a, b, c), (a_signed, b_signed))

    def dp2a(
        self, a: Value, b: Value, c: Value, a_signed: bool, b_signed: bool, high: bool
    ) -> Value:
        return self._one("dp2a", 32, (a, b, c), (a_signed, b_signed, high))

    def sad_u(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("sad_u", a.width, (a, b, c))

    def sad_s(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("sad_s", a.width, (a, b, c))

    def sad_bytes(self, a: Value, b: Value, c: Value) -> Value:
        return self._one("sad_bytes", 32, (a, b, c))

    def uadd_sat(self, a: Value, b: Value) -> Value:
        return self._one("uadd_sat", a.width, (a, b))

    def sadd_sat(self, a: Value, b: Value) -> Value:
        return self._one("sadd_sat", a.width, (a, b))

    def ssub_sat(self, a: Value, b: Value) -> Value:
        return self._one("ssub_sat", a.width, (a, b))

    # ---- Algebra: floats ----

    def fadd(self, a: Value, b: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fadd", a.width, (a, b), (fmt, rounding, ftz))

    def fsub(self, a: Value, b: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fsub", a.width, (a, b), (fmt, rounding, ftz))

    def fmul(self, a: Value, b: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fmul", a.width, (a, b), (fmt, rounding, ftz))

    def ffma(
        self, a: Value, b: Value, c: Value, fmt: Format, rounding: Rounding, ftz: bool
    ) -> Value:
        return self._one("ffma", a.width, (a, b, c), (fmt, rounding, ftz))

    def fdiv(self, a: Value, b: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fdiv", a.width, (a, b), (fmt, rounding, ftz))

    def fsqrt(self, a: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fsqrt", a.width, (a,), (fmt, rounding, ftz))

    def fneg(self, a: Value, fmt: Format) -> Value:
        return self._one("fneg", a.width, (a,), (fmt,))

    def fabs(self, a: Value, fmt: Format) -> Value:
        return self._one("fabs", a.width, (a,), (fmt,))

    def fflush(self, a: Value, fmt: Format) -> Value:
        return self._one("fflush", a.width, (a,), (fmt,))

    def fsaturate(self, a: Value, fmt: Format) -> Value:
        return self._one("fsaturate", a.width, (a,), (fmt,))

    def fmin(self, a: Value, b: Value, fmt: Format, ftz: bool, nan: bool) -> Value:
        return self._one("fmin", a.width, (a, b), (fmt, ftz, nan))

    def fmax(self, a: Value, b: Value, fmt: Format, ftz: bool, nan: bool) -> Value:
        return self._one("fmax", a.width, (a, b), (fmt, ftz, nan))

    def fcmp(self, a: Value, b: Value, fmt: Format, predicate: FloatPredicate, ftz: bool) -> Value:
        return self._one("fcmp", 1, (a, b), (fmt, predicate, ftz))

    def fround(self, a: Value, fmt: Format, rounding: Rounding, ftz: bool) -> Value:
        return self._one("fround", a.width, (a,), (fmt, rounding, ftz))

    def fconvert(
        self, a: Value, source: Format, fmt: Format, rounding: Rounding, ftz: bool
    ) -> Value:
        return self._one("fconvert", fmt.bits, (a,), (source, fmt, rounding, ftz))

    def float_to_int(
        self, a: Value, fmt: Format, width: int, signed: bool, rounding: Rounding, ftz: bool
    ) -> Value:
        return self._one("float_to_int", width, (a,), (fmt, width, signed, rounding, ftz))

    def int_to_float(self, a: Value, signed: bool, fmt: Format, rounding: Rounding) -> Value:
        return self._one("int_to_float", fmt.bits, (a,), (signed, fmt, rounding))

    def fapprox(self, a: Value, function: Approximation, fmt: Format, ftz: bool) -> Value:
        return self._one("fapprox", a.width, (a,), (function, fmt, ftz))

    def fdiv_approx(self, a: Value, b: Value, fmt: Format, ftz: bool, full: bool) -> Value:
        return self._one("fdiv_approx", a.width, (a, b), (fmt, ftz, full))

    # ---- launch, addresses ----

    def special(self, width: int, register: Special) -> Value:
        return self._one("special", width, (), (width, register))

    def clock(self, width: int, register: Special) -> Value:
        return self._one("clock", width, (), (width, register))

    def kernel_param(self, width: int, offset: int) -> Value:
        return self._one("kernel_param", width, (), (width, offset))

    def kernel_param_address(self, offset: int) -> Value:
        return self._one("kernel_param_address", 64, (), (offset,))

    def symbol_address(self, width: int, symbol: str) -> Value:
        return self._one("symbol_address", width, (), (width, symbol))

    def function_address(self, symbol: str) -> Value:
        return self._one("function_address", 64, (), (symbol,))

    def frame_address(self, slot: int) -> Value:
        return self._one("frame_address", 32, (), (slot,))

    def to_generic(self, a: Value, space: Space) -> Value:
        return self._one("to_generic", 64, (a,), (space,))

    def from_generic(self, a: Value, width: int, space: Space) -> Value:
        return self._one("from_generic", width, (a,), (width, space))

    def is_space(self, a: Value, space: Space) -> Value:
        return self._one("is_space", 1, (a,), (space,))

    # ---- memory ----

    def load(
        self,
        address: Value,
        space: Space,
        width: int,
        count: int = 1,
        align: int = 1,
        order: Order = Order.WEAK,
        scope: Scope = Scope.THREAD,
        hint: Hint = Hint.NONE,
    ) -> list[Value]:
        attrs = (space, width, count, align, order, scope, hint)
        return self.emit("load", (address,), attrs, (width,) * count).results

    def store(
        self,
        address: Value,
        values: Sequence[Value],
        space: Space,
        width: int,
        align: int = 1,
        order: Order = Order.WEAK,
        scope: Scope = Scope.THREAD,
        hint: Hint = Hint.NONE,
    ) -> None:
        attrs = (space, width, len(values), align, order, scope, hint)
        self.emit("store", (address, *values), attrs)

    def atomic(
        self,
        address: Value,
        values: Sequence[Value],
        space: Space,
        width: int,
        op: AtomicOp,
        number: Number,
        order: Order,
        scope: Scope,
        returns: bool,
    ) -> Value:
        attrs = (space, width, op, number, order, scope, returns)
        return self._one("atomic", width, (address, *values), attrs)

    def fence(self, order: Order, scope: Scope) -> None:
        self.emit("fence", (), (order, scope))

    # ---- warp and block ----

    def shuffle(
        self, a: Value, b: Value, c: Value, mask: Value, mode: ShuffleMode
    ) -> tuple[Value, Value]:
        op = self.emit("shuffle", (a, b, c, mask), (mode,), (32, 1))
        return op.results[0], op.results[1]

    def permute(self, a: Value, lane: Value, lanes: tuple[int, ...]) -> Value:
        return self._one("permute", a.width, (a, lane), (lanes,))

    def move_lanes(self, a: Value, lanes: tuple[int, ...], all_active: bool) -> Value:
        return self._one("move_lanes", 32, (a,), (lanes, all_active))

    def reduce_warp(self, a: Value, op: ReduceOp, number: Number) -> Value:
        return self._one("reduce_warp", 32, (a,), (op, number))

    def scan_warp(self, a: Value, op: ReduceOp, number: Number, width: int) -> Value:
        return self._one("scan_warp", 32, (a,), (op, number, width))

    def vote(self, p: Value, mask: Value, mode: VoteMode) -> Value:
        return self._one("vote", 1, (p, mask), (mode,))

    def ballot(self, p: Value, mask: Value) -> Value:
        return self._one("ballot", 32, (p, mask))

    def active_mask(self) -> Value:
        return self._one("active_mask", 32, ())

    def match_any(self, a: Value, mask: Value) -> Value:
        return self._one("match_any", 32, (a, mask))

    def match_all(self, a: Value, mask: Value) -> tuple[Value, Value]:
        op = self.emit("match_all", (a, mask), (), (32, 1))
        return op.results[0], op.results[1]

    def native(
        self,
        operands: Sequence[Value],
        text: str,
        widths: Sequence[int],
        pure: bool = False,
        tied: int = 0,
    ) -> list[Value]:
        """An instruction of PTX as it is."""
        if pure:
            return self.emit("native_value", operands, (text,), widths).results
        return self.emit("native", operands, (text, tied), widths).results

    def reduce(self, a: Value, mask: Value, op: ReduceOp, number: Number) -> Value:
        return self._one("reduce", 32, (a, mask), (op, number))

    def elect(self, mask: Value) -> tuple[Value, Value]:
        op = self.emit("elect", (mask,), (), (32, 1))
        return op.results[0], op.results[1]

    def mma(
        self, product: Product, operands: Sequence[Value], selectors: tuple[int, ...] = (0,)
    ) -> list[Value]:
        widths = (register_bits(product.result),) * product.sums(product.result).registers
        return self.emit("mma", operands, (*product.attributes, selectors), widths).results

    def matrix_load(self, rows: Value, count: int, transposed: bool) -> list[Value]:
        return self.emit("matrix_load", (rows,), (transposed,), (32,) * count).results

    def matrix_core(
        self, core: Enum, operands: Sequence[Value], widths: Sequence[int]
    ) -> list[Value]:
        return self.emit("matrix_core", operands, (core,), widths).results

    def wave_permute(self, a: Value, lane: Value, lanes: tuple[int, ...]) -> Value:
        return self._one("wave_permute", a.width, (a, lane), (lanes,))

    def is_among(self, mask: int, lanes: int) -> Value:
        return self._one("is_among", 1, (), (mask, lanes))

    def warp_barrier(self, mask: Value) -> None:
        self.emit("warp_barrier", (mask,))

    def barrier(
        self, ident: Value, count: Value, predicate: Value, mode: BarrierMode, counted: bool
    ) -> Value:
        return self._one("barrier", 32, (ident, count, predicate), (mode, counted))

    def sleep(self, duration: Value) -> None:
        self.emit("sleep", (duration,))

    # ---- calls and control ----

    def call(self, symbol: str, arguments: Sequence[Value], widths: tuple[int, ...]) -> list[Value]:
        return self.emit("call", arguments, (symbol, widths), widths).results

    def call_indirect(
        self, address: Value, arguments: Sequence[Value], widths: tuple[int, ...]
    ) -> list[Value]:
        return self.emit("call_indirect", (address, *arguments), (widths,), widths).results

    def br(self, block: Block, arguments: Sequence[Value] = ()) -> Op:
        return self.branch("br", (), ((block, arguments),))

    def cond_br(self, condition: Value, then: Block, otherwise: Block) -> Op:
        return self.branch("cond_br", (condition,), ((then, ()), (otherwise, ())))

    def switch(self, index: Value, blocks: Sequence[Block]) -> Op:
        return self.branch("switch", (index,), [(block, ()) for block in blocks])

    def branch(
        self,
        name: str,
        operands: Sequence[Value],
        successors: Sequence[tuple[Block, Sequence[Value]]],
    ) -> Op:
        """Appends a terminator with successors and their arguments."""
        op = self.emit(name, operands)
        op.successors = [block for block, _ in successors]
        op.arguments = [list(arguments) for _, arguments in successors]
        return op

    def ret(self, values: Sequence[Value] = ()) -> Op:
        return self.emit("ret", values)

    def exit(self) -> Op:
        return self.emit("exit", ())

    def trap(self) -> Op:
        return self.emit("trap", ())

    def unreachable(self) -> Op:
        return self.emit("unreachable", ())
