"""How many registers the vectors of an instruction have.

Comes in: the words of a form's modifiers. Goes out: a number of elements, 0 where the operand is no
vector. `COUNTS` is the table that the operand notation of the rows names after `*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ptxlift.isa.constraints import tmem_registers
from ptxlift.isa.row import Values
from ptxlift.isa.types import Kind, type_of

_WARP_BITS = 32 * 32  # one 32-bit register in each lane


def _vector(v: Values) -> int:
    return int(v["vec"][1:]) if v["vec"] else 0


def _repeat(v: Values) -> int:
    return int(v["num"][1:])


def _shape(v: Values) -> tuple[int, int, int]:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", v["shape"])
    assert found, v["shape"]
    return int(found[1]), int(found[2]), int(found[3])


def _stored_bits(v: Values, word: str) -> int:
    """Bits that one element takes in a fragment: the narrow formats sit in bytes unless all are 4
    bits wide.
    """
    kind = v.get("kind", "")
    if kind.startswith("kind::mxf4"):
        return 4
    return 8 if kind else type_of(word).bits


def _fragment(elements: int, word: str, bits: int) -> int:
    if type_of(word).kind is Kind.F and bits == 64:
        return elements // 32
    return max(1, elements * bits // _WARP_BITS)


def _mma_a(v: Values) -> int:
    m, _, k = _shape(v)
    return _fragment(m * k, v["atype"], _stored_bits(v, v["atype"]))


def _mma_a_sparse(v: Values) -> int:
    return max(1, _mma_a(v) // 2)


def _mma_b(v: Values) -> int:
    _, n, k = _shape(v)
    return _fragment(n * k, v["btype"], _stored_bits(v, v["btype"]))


def _accumulator(v: Values, key: str) -> int:
    m, n, _ = _shape(v)
    return _fragment(m * n, v[key], type_of(v[key]).bits)


def _mma_c(v: Values) -> int:
    return _accumulator(v, "ctype")


def _mma_d(v: Values) -> int:
    return _accumulator(v, "dtype")


def _mma_volta_c(v: Values) -> int:
    """m8n8k4 of four quad pairs: each pair holds a whole tile."""
    return 8 if v["ctype"] == "f32" else 4


def _mma_volta_d(v: Values) -> int:
    return 8 if v["dtype"] == "f32" else 4


def _wmma_ab(v: Values, which: str, word: str) -> int:
    """f16 tiles are held twice; the others once."""
    if word == "f16":
        return 8
    m, n, k = _shape(v)
    return _fragment((m if which == "a" else n) * k, word, type_of(word).bits)


def _wmma_tile(v: Values) -> int:
    which = v["which"]
    return _accumulator(v, "type") if which in "cd" else _wmma_ab(v, which, v["type"])


def _wmma_a(v: Values) -> int:
    return _wmma_ab(v, "a", v["atype"])


def _wmma_b(v: Values) -> int:
    return _wmma_ab(v, "b", v["btype"])


def _wgmma_d(v: Values) -> int:
    return _shape(v)[1] // (4 if v["dtype"] == "f16" else 2)


def _disable_lanes(v: Values) -> int:
    return 4 if v["cg"] == "cta_group::1" else 8


# geometry -> coordinates, texel offsets, gradients
_GEOMETRY = {
    "1d": (1, 1, 1), "2d": (2, 2, 2), "3d": (4, 4, 4), "a1d": (2, 1, 1), "a2d": (4, 2, 2),
    "cube": (4, 0, 4), "acube": (4, 0, 4), "2dms": (4, 2, 0), "a2dms": (4, 2, 0),
}  # fmt: skip


def _coordinates(v: Values) -> int:
    return _GEOMETRY[v["geom"]][0]


def _offsets(v: Values) -> int:
    return _GEOMETRY[v["geom"]][1]


def _gradients(v: Values) -> int:
    return _GEOMETRY[v["geom"]][2]


def _tensor_coordinates(v: Values) -> int:
    return 5 if v["lm"] in ("tile::gather4", "tile::scatter4") else int(v["dim"][0])


def _im2col_offsets(v: Values) -> int:
    return 2 if v["lm"].startswith("im2col::w") else int(v["dim"][0]) - 2


def _twice(v: Values) -> int:
    return 2 * _repeat(v)


COUNTS: dict[str, Callable[[Values], int]] = {
    "vec": _vector,
    "num": _repeat,
    "num2": _twice,
    "tmem": tmem_registers,
    "mma_a": _mma_a,
    "mma_asp": _mma_a_sparse,
    "mma_b": _mma_b,
    "mma_c": _mma_c,
    "mma_d": _mma_d,
    "volta_c": _mma_volta_c,
    "volta_d": _mma_volta_d,
    "wmma_tile": _wmma_tile,
    "wmma_a": _wmma_a,
    "wmma_b": _wmma_b,
    "wmma_c": _mma_c,
    "wmma_d": _mma_d,
    "wgmma_d": _wgmma_d,
    "disable_lanes": _disable_lanes,
    "coord": _coordinates,
    "offset": _offsets,
    "gradient": _gradients,
    "tensor_coord": _tensor_coordinates,
    "im2col": _im2col_offsets,
}


def count(word: str, values: Values) -> int:
    """Elements for a count of the notation: a number or a name of `COUNTS`."""
    return int(word) if word.isdigit() else COUNTS[word](values)
