"""Which lane each lane reads, by AMD's instruction set documents: one table for all tests."""

from __future__ import annotations


def dpp_source(ctrl: int, lane: int, lanes: int) -> int | None:
    """Source lane of a dpp_ctrl value, None where it is invalid."""
    row, at, n = lane & ~15, lane & 15, ctrl & 15
    if ctrl < 0x100:
        return (lane & ~3) | (ctrl >> 2 * (lane & 3) & 3)
    match ctrl & ~15:
        case 0x100:
            return row + at + n if at + n < 16 else None
        case 0x110:
            return row + at - n if at >= n else None
        case 0x120:
            return row + (at - n) % 16
        case 0x150:
            return row + n
        case 0x160:
            return row + (at ^ n)
    return {
        0x130: lane + 1 if lane + 1 < lanes else None,
        0x134: (lane + 1) % lanes,
        0x138: lane - 1 if lane else None,
        0x13C: (lane - 1) % lanes,
        0x140: lane ^ 15,
        0x141: lane ^ 7,
        0x142: row - 1 if lane >= 16 else None,
        0x143: 31 if lane >= 32 else None,
    }[ctrl]


def swizzle_source(offset: int, lane: int) -> int:
    """Source lane of a ds_swizzle offset: rotation, or and, or, xor within 32 lanes."""
    own = lane & 31
    if offset >= 0xC000:
        kept, n = offset & 31, offset >> 5 & 31
        return lane & 32 | (own & kept) | (own + n & ~kept & 31)
    return lane & 32 | ((own & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31)
