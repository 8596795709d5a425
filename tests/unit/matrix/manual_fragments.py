"""The fragment layouts of mma.sync, each spelled out as the PTX manual's figures give it.

`g` is the group number (lane / 4), `t` the place in it (lane % 4), `i` the element. A formula gives
row and column. Tables are by shape and stored width of an element: 1, 4, 8, 16, 32 (tf32, f32, s32)
or 64.
"""

from __future__ import annotations

from collections.abc import Callable

Formula = Callable[[int, int, int], tuple[int, int]]


def _within(i: int, *spans: tuple[int, int]) -> bool:
    return any(low <= i < high for low, high in spans)


# fmt: off
LEFT: dict[tuple[str, int], Formula] = {
    ("m8n8k4", 64):     lambda g, t, i: (g, t),
    ("m8n8k16", 8):     lambda g, t, i: (g, t * 4 + i),
    ("m8n8k32", 4):     lambda g, t, i: (g, t * 8 + i),
    ("m8n8k128", 1):    lambda g, t, i: (g, t * 32 + i),
    ("m16n8k4", 32):    lambda g, t, i: (g if i == 0 else g + 8, t),
    ("m16n8k4", 64):    lambda g, t, i: (g if i == 0 else g + 8, t),
    ("m16n8k8", 16):    lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
    ("m16n8k8", 32):    lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
    ("m16n8k8", 64):    lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
    ("m16n8k16", 16):   lambda g, t, i: (g if _within(i, (0, 2), (4, 6)) else g + 8,
                                         t * 2 + (i & 1) if i < 4 else t * 2 + (i & 1) + 8),
    ("m16n8k16", 64):   lambda g, t, i: (g if i % 2 == 0 else g + 8,
                                         i * 2 + t if i % 2 == 0 else i * 2 - 2 + t),
    ("m16n8k16", 8):    lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
    ("m16n8k32", 4):    lambda g, t, i: (g if i < 8 else g + 8, t * 8 + (i & 7)),
    ("m16n8k32", 8):    lambda g, t, i: (g if _within(i, (0, 4), (8, 12)) else g + 8,
                                         t * 4 + (i & 3) if i < 8 else t * 4 + (i & 3) + 16),
    ("m16n8k64", 4):    lambda g, t, i: (g if _within(i, (0, 8), (16, 24)) else g + 8,
                                         t * 8 + (i & 7) if i < 16 else t * 8 + (i & 7) + 32),
    ("m16n8k128", 1):   lambda g, t, i: (g if i < 32 else g + 8, t * 32 + (i & 31)),
    ("m16n8k256", 1):   lambda g, t, i: (g if _within(i, (0, 32), (64, 96)) else g + 8,
                                         t * 32 + (i & 31) + (0 if i < 64 else 128)),
}
RIGHT: dict[tuple[str, int], Formula] = {
    ("m8n8k4", 64):     lambda g, t, i: (t, g),
    ("m8n8k16", 8):     lambda g, t, i: (t * 4 + i, g),
    ("m8n8k32", 4):     lambda g, t, i: (t * 8 + i, g),
    ("m8n8k128", 1):    lambda g, t, i: (t * 32 + i, g),
    ("m16n8k4", 32):    lambda g, t, i: (t, g),
    ("m16n8k4", 64):    lambda g, t, i: (t, g),
    ("m16n8k8", 16):    lambda g, t, i: (t * 2 + i, g),
    ("m16n8k8", 32):    lambda g, t, i: (t if i == 0 else t + 4, g),
    ("m16n8k8", 64):    lambda g, t, i: (t if i == 0 else t + 4, g),
    ("m16n8k16", 16):   lambda g, t, i: (t * 2 + (i & 1) if i < 2 else t * 2 + (i & 1) + 8, g),
    ("m16n8k16", 64):   lambda g, t, i: (t + i * 4, g),
    ("m16n8k16", 8):    lambda g, t, i: (t * 4 + i, g),
    ("m16n8k32", 4):    lambda g, t, i: (t * 8 + i, g),
    ("m16n8k32", 8):    lambda g, t, i: (t * 4 + (i & 3) if i < 4 else t * 4 + (i & 3) + 16, g),
    ("m16n8k64", 4):    lambda g, t, i: (t * 8 + (i & 7) if i < 8 else t * 8 + (i & 7) + 32, g),
    ("m16n8k128", 1):   lambda g, t, i: (t * 32 + i, g),
    ("m16n8k256", 1):   lambda g, t, i: (t * 32 + (i & 31) + (0 if i < 32 else 128), g),
}
# fmt: on


def accumulator(shape: str) -> Formula:
    """C and D of every shape: the first two elements in row g, the next two in row g + 8."""
    if shape.startswith("m8"):
        return lambda g, t, i: (g, t * 2 + i)
    return lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1))


# ---- m8n8k4 of f16: four tiles; a lane's number and `i` give row and column ----


def quad_tile(lane: int) -> int:
    """Tile 0: lanes 0-3 and 16-19; tile 1: lanes 4-7 and 20-23; and so on."""
    return {0: 0, 1: 1, 2: 2, 3: 3, 4: 0, 5: 1, 6: 2, 7: 3}[lane // 4]


def quad_left(lane: int, i: int, row_major: bool) -> tuple[int, int]:
    if row_major:
        return (lane % 4 if lane < 16 else lane % 4 + 4), i
    return (i % 4 if lane < 16 else i % 4 + 4), lane % 4


def quad_right(lane: int, i: int, row_major: bool) -> tuple[int, int]:
    if row_major:
        return lane % 4, (i if lane < 16 else i + 4)
    return i, (lane % 4 if lane < 16 else lane % 4 + 4)


def quad_accumulator(lane: int, i: int, wide: bool) -> tuple[int, int]:
    if not wide:
        return (lane % 4 if lane < 16 else lane % 4 + 4), i
    x = (lane & 0b1) + (i & 0b10)
    return (x if lane < 16 else x + 4), (i & 0b100) + (lane & 0b10) + (i & 0b1)
