"""Where the bytes of a word come from.

Comes in: a value. Goes out: for each of its bytes, from the lowest, the value that it is a byte of,
behind whatever only moves bytes: prmt, packing, extension and truncation. It must know no target.
"""

from __future__ import annotations

from ptxlift.ir.core import Op, Value
from ptxlift.records import dataclass

_DEEPEST = 8
_SIGN = 8  # of a selector: the byte's sign instead of the byte


@dataclass(frozen=True, slots=True)
class Byte:
    """Byte number `index` of a value."""

    value: Value
    index: int


Bytes = tuple[Byte | int, ...]  # a number: a constant byte


def byte_sources(value: Value, depth: int = _DEEPEST) -> Bytes:
    """Of a value whose width is whole bytes."""
    found = _moved(value, depth) if depth else None
    return found or tuple(Byte(value, index) for index in range(value.width // 8))


def whole_word(sources: Bytes) -> Value | None:
    """The value of which these are all bytes in their order; None if there is none."""
    first = sources[0]
    if isinstance(first, int) or first.value.width != 8 * len(sources):
        return None
    same = tuple(Byte(first.value, index) for index in range(len(sources)))
    return first.value if sources == same else None


def _moved(value: Value, depth: int) -> Bytes | None:
    """The bytes behind one operation; None if that does more than move bytes."""
    op = value.definition
    if not isinstance(op, Op) or any(operand.width % 8 for operand in op.operands):
        return None
    size = value.width // 8
    match op.name:
        case "const":
            bits = op.attr("bits")
            assert isinstance(bits, int)
            return tuple(bits.to_bytes(size, "little"))
        case "zext":
            narrow = byte_sources(op.operands[0], depth - 1)
            return (*narrow, *(0 for _ in range(size - len(narrow))))
        case "trunc":
            return byte_sources(op.operands[0], depth - 1)[:size]
        case "extract":
            return _extracted(op, size, depth)
        case "pack":
            return tuple(part for x in op.operands for part in byte_sources(x, depth - 1))
        case "prmt":
            return _selected(op, depth)
        case _:
            return None


def _extracted(op: Op, size: int, depth: int) -> Bytes | None:
    offset = op.attr("offset")
    assert isinstance(offset, int)
    if offset % 8:
        return None
    return byte_sources(op.operands[0], depth - 1)[offset // 8 :][:size]


def _selected(op: Op, depth: int) -> Bytes | None:
    selector = op.operands[2].definition
    if not isinstance(selector, Op) or selector.name != "const":
        return None
    bits = selector.attr("bits")
    assert isinstance(bits, int)
    numbers = [bits >> shift & 15 for shift in (0, 4, 8, 12)]
    if any(number & _SIGN for number in numbers):
        return None
    given = [part for x in op.operands[:2] for part in byte_sources(x, depth - 1)]
    return tuple(given[number] for number in numbers)
