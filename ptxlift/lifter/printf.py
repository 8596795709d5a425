"""vprintf: frames in the buffer that HIP's runtime prints after the kernel.

A frame is a control word (size and flags), the hash of the format, and 8 bytes an argument; a
string argument is its bytes up to the zero, padded to 8. The host finds the format by its hash in
the code object's metadata, so the format must be a string the program contains. The buffer begins
with two words: bytes used, and bytes there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, Order, Scope, Space, Special
from ptxlift.ir.core import Op, Value
from ptxlift.ir.printf import format_hash
from ptxlift.lifter.calls import give, take
from ptxlift.lifter.loops import update
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[%a-zA-Z])"
)
_WIDE = ("l", "ll", "j", "z", "t")
_HEADER = 8  # bytes used, capacity
_CONSTANT_FORMAT = 2  # flag of the control word


@dataclass(frozen=True, slots=True)
class _Argument:
    """Where an argument lies in vprintf's buffer; `string`: it is a pointer to one."""

    offset: int
    size: int
    string: bool


def lift_vprintf(
    at: FunctionLifter, arguments: ptx.ArgList, results: ptx.ArgList, inst: ptx.Inst
) -> None:
    """The CUDA C++ Programming Guide, "Formatted Output": vprintf(format, arguments)."""
    template, buffer = (_value(at, argument) for argument in arguments.elements)
    text = _text_at(at, template)
    if text is None:
        text = _text_of(*(at.origins.address(arguments.elements[0]) or (None, 0)))
    if text is None:
        raise at.refuse(
            "the format of a printf is not a string of the program", "write it as a literal"
        )
    wanted = _arguments(text)
    words: list[Value] = []
    for argument in wanted:
        words += _load(at, buffer, argument)
    at.function.printf_formats.setdefault(text)
    _write_frame(at, format_hash(text), words)
    count = at.const(32, text.replace("%%", "").count("%"))
    for result in results.elements:
        if isinstance(result, ptx.Variable | ptx.Register):
            take(at, result, (count,), inst)


_WHERE = (Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z)
_WHO = (Special.TID_X, Special.TID_Y, Special.TID_Z)


def lift_assertfail(at: FunctionLifter, arguments: ptx.ArgList) -> None:
    """The CUDA C++ Programming Guide, "Assertion": prints what failed, where and in which thread,
    and aborts. Texts that the program does not contain are left out.
    """
    given = arguments.elements[:4]
    message, file, line, function = (_shown(at, argument) for argument in given)
    text = (
        f"{file}:{line}: {function}: block: [%u,%u,%u], thread: [%u,%u,%u] "
        f"Assertion `{message}` failed.\n"
    )
    at.function.printf_formats.setdefault(text)
    place = [at.builder.zext(at.builder.special(32, r), 64) for r in (*_WHERE, *_WHO)]
    _write_frame(at, format_hash(text), place)
    at.builder.trap()
    at.start_block(at.new_block("after_assert"))


def _shown(at: FunctionLifter, argument: object) -> str:
    """A string or a number of the program as part of a format; `?` if it is not known."""
    value = _value(at, argument)
    text = _text_at(at, value)
    if text is None:
        text = _text_of(*(at.origins.address(argument) or (None, 0)))
    definition = value.definition
    if text is None and isinstance(definition, Op) and definition.name == "const":
        text = str(definition.attr("bits"))
    return "?" if text is None else text.replace("%", "%%")


def _value(at: FunctionLifter, argument: object) -> Value:
    if isinstance(argument, ptx.Variable | ptx.Register):
        return give(at, argument)[0]
    assert isinstance(argument, ptx.Immediate)
    return at.const(64, argument.bits)


def _arguments(text: str) -> list[_Argument]:
    """The arguments a format takes, laid out by their natural alignment."""
    found: list[_Argument] = []
    end = 0
    for match in _CONVERSION.finditer(text):
        sizes = [4] * [match["width"], match["precision"]].count("*")
        kind = match["kind"]
        if kind != "%":
            wide = kind in "aAeEfFgGps" or match["length"] in _WIDE
            sizes.append(8 if wide else 4)
        for size in sizes:
            end = -(-end // size) * size
            found.append(_Argument(end, size, kind == "s" and size == 8))
            end += size
    return found


def _load(at: FunctionLifter, buffer: Value, argument: _Argument) -> list[Value]:
    """The 8-byte words that carry an argument."""
    place = at.advance(buffer, argument.offset)
    bits = 8 * argument.size
    value = at.builder.load(place, Space.GENERIC, bits, 1, argument.size)[0]
    if not argument.string:
        return [at.fit(value, 64)]
    text = _text_at(at, _stored(at, buffer, argument.offset))
    if text is None:
        raise at.refuse(
            "a string that printf prints is not a string of the program", "print a literal"
        )
    data = text.encode("latin-1") + b"\0"
    data += bytes(-len(data) % 8)
    return [at.const(64, int.from_bytes(data[i : i + 8], "little")) for i in range(0, len(data), 8)]


def _stored(at: FunctionLifter, buffer: Value, offset: int) -> Value | None:
    """What the last store in this block put at an offset of the argument buffer."""
    wanted = _root(buffer)
    for op in reversed(at.builder.block.ops):
        if op.name != "store":
            continue
        base, first = _root(op.operands[0])
        if (base, first) == (wanted[0], wanted[1] + offset) and len(op.operands) == 2:
            return op.operands[1]
    return None


def _root(address: Value | None) -> tuple[object, int]:
    """A local slot or symbol, and the constant added to it."""
    offset = 0
    while address is not None and isinstance(address.definition, Op):
        op = address.definition
        match op.name:
            case "to_generic" | "from_generic" | "zext" | "trunc":
                address = op.operands[0]
            case "add" if isinstance(op.operands[1].definition, Op):
                constant = op.operands[1].definition
                if constant.name != "const":
                    break
                offset += int(str(constant.attr("bits")))
                address = op.operands[0]
            case "symbol_address":
                return str(op.attr("symbol")), offset
            case "frame_address":
                return int(str(op.attr("slot"))), offset
            case _:
                break
    return address, offset


def _text_at(at: FunctionLifter, address: Value | None) -> str | None:
    """The zero-terminated string of the program at an address, if it is known."""
    symbol, offset = _root(address)
    variable = at.program.named(symbol) if isinstance(symbol, str) else None
    return _text_of(variable, offset) if isinstance(variable, ptx.Variable) else None


def _text_of(variable: ptx.Variable | None, offset: int) -> str | None:
    if variable is None or variable.initializer is None:
        return None
    return variable.initializer.data[offset:].split(b"\0")[0].decode("latin-1")


def _write_frame(at: FunctionLifter, key: int, words: Sequence[Value]) -> None:
    build = at.builder
    size = 4 + 8 + 8 * len(words)
    buffer = build.special(64, Special.PRINTF_BUFFER)
    capacity = build.load(at.advance(buffer, 4), Space.GLOBAL, 32, 1, 4)[0]

    def fits(used: Value) -> Value:
        end = build.add(used, at.const(32, size + _HEADER))
        return build.icmp(end, capacity, IntPredicate.ULE)

    def step(used: Value) -> Value:
        return build.select(fits(used), build.add(used, at.const(32, size)), used)

    used = update(at, buffer, Space.GLOBAL, 32, Order.RELAXED, step, Scope.GPU)
    write, after = at.new_block("print"), at.new_block("printed")
    build.cond_br(fits(used), write, after)
    at.start_block(write)
    frame = at.advance(build.add(buffer, build.zext(used, 64)), _HEADER)
    control = at.const(32, size << 2 | _CONSTANT_FORMAT)
    build.store(frame, (control,), Space.GLOBAL, 32, 4)
    for index, word in enumerate([at.const(64, key), *words]):
        build.store(at.advance(frame, 4 + 8 * index), (word,), Space.GLOBAL, 64, 4)
    build.br(after)
    at.start_block(after)
