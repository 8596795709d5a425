"""Moves, predicates, carries and merges: values worked by hand from the manual's text."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from replay import evaluate
from vector_file import Section, Signature, Vector

import ptxlift
from ptxlift import ptx
from ptxlift.interp.lanes import from_ints
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.semantics.registry import extra_arguments, lookup

HEAD = """.version 8.7
.target sm_100a
.address_size 64
.visible .entry k() {
.reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
.reg .b128 %q<3>; .reg .pred %p<9>;
"""


def compute(statement: str, *sources: Any) -> list[int]:  # Any: lanes, tuples of them, numbers
    """One instruction's semantics over one lane; integers of a known width are (value, width)."""
    module = ptx.parse_module(f"{HEAD}{statement}\nret;\n}}\n")
    inst = next(s for s in module.functions["k"].body or () if isinstance(s, ptx.Inst))
    meaning = lookup(inst.form.name)
    assert meaning is not None
    extra = extra_arguments(inst.form, inst.operands)
    with np.errstate(all="ignore"):
        results = meaning(NumpyAlgebra(), inst.form, *(lanes(s) for s in sources), **extra)
    results = results if isinstance(results, tuple) else (results,)
    return [int(result[0]) for result in results]


def lanes(source: Any) -> Any:  # Any: as above
    if isinstance(source, list):
        return tuple(lanes(part) for part in source)
    if isinstance(source, tuple):
        return from_ints(source[1], [source[0]])
    return np.array([source]) if isinstance(source, bool) else source


def test_moves_keep_bits() -> None:
    assert compute("mov.b32 %r0, %r1;", (0x12345678, 32)) == [0x12345678]
    assert compute("mov.pred %p0, %p1;", True) == [1]


@pytest.mark.parametrize(
    ("whole", "parts", "width"),
    [
        ("b32 %r0, {%h0, %h1}", [0x1234, 0xABCD], 16),
        ("b32 %r0, {%c0, %c1, %c2, %c3}", [0x11, 0x22, 0x33, 0xF4], 8),
        ("b16 %h0, {%c0, %c1}", [0x11, 0xF2], 8),
        ("b64 %d0, {%r0, %r1}", [0x11223344, 0xF5667788], 32),
        ("b64 %d0, {%h0, %h1, %h2, %h3}", [1, 2, 3, 0xFFF4], 16),
        ("b128 %q0, {%d0, %d1}", [0x1122334455667788, 0xF00000000000000F], 64),
    ],
)
def test_pack_and_unpack(whole: str, parts: list[int], width: int) -> None:
    """The first element is the lowest."""
    value = sum(part << (width * place) for place, part in enumerate(parts))
    assert compute(f"mov.{whole};", [(part, width) for part in parts]) == [value]
    kind, register, elements = whole.split(" ", 2)
    back = f"mov.{kind} {elements}, {register.rstrip(',')};"
    assert compute(back, (value, width * len(parts))) == parts


@pytest.mark.parametrize(("a", "b"), list(itertools.product([False, True], repeat=2)))
def test_predicate_logic(a: bool, b: bool) -> None:
    assert compute("and.pred %p0, %p1, %p2;", a, b) == [a and b]
    assert compute("or.pred %p0, %p1, %p2;", a, b) == [a or b]
    assert compute("xor.pred %p0, %p1, %p2;", a, b) == [a != b]
    assert compute("not.pred %p0, %p1;", a) == [not a]


@pytest.mark.parametrize("carry", [False, True])
def test_carry_in(carry: bool) -> None:
    """addc, subc, madc: the flag comes in, and goes out only with .cc."""
    full, one = (0xFFFFFFFF, 32), (1, 32)
    assert compute("addc.u32 %r0, %r1, %r2;", full, one, carry) == [int(carry), carry]
    assert compute("addc.cc.u32 %r0, %r1, %r2;", full, one, carry) == [int(carry), 1]
    assert compute("addc.cc.u32 %r0, %r1, %r2;", full, (0, 32), carry) == [
        0 if carry else 0xFFFFFFFF,
        carry,
    ]
    assert compute("subc.cc.u32 %r0, %r1, %r2;", one, one, carry) == [
        0xFFFFFFFF if carry else 0,
        carry,
    ]
    assert compute("subc.u32 %r0, %r1, %r2;", (0, 32), one, carry)[0] == 0xFFFFFFFF - carry
    assert compute("madc.hi.cc.u32 %r0, %r1, %r2, %r3;", full, full, one, carry) == [
        (0xFFFFFFFF + carry) & 0xFFFFFFFF,
        carry,
    ]
    assert compute("madc.lo.cc.u32 %r0, %r1, %r2, %r3;", full, full, full, carry) == [int(carry), 1]


def test_lop3_with_predicate() -> None:
    """p is (d != 0) BoolOp q."""
    words = ((0xF0, 32), (0xCC, 32), (0xAA, 32))
    assert compute("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1;", *words, 0x80, False) == [
        0x80,
        1,
    ]
    assert compute("lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1;", *words, 0x80, False) == [
        0x80,
        0,
    ]
    assert compute("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0, %p1;", *words, 0, True) == [0, 1]
    for value in (0, 1):  # d is a itself
        row = ((value, 32), *words[1:])
        statement = "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0xf0, %p1;"
        assert compute(statement, *row, 0xF0, False) == [value, value]


@pytest.mark.parametrize("lut", ["0x1c0", "-64"])
@pytest.mark.parametrize("words", ["lop3.b32 %r0, {}{}", "lop3.or.b32 %r0|%p0, {}{}, %p1"])
def test_tables_of_lop3_have_eight_bits(words: str, lut: str) -> None:
    """ptxas writes LOP3.LUT with 0xc0 for both."""
    texts = [
        f"{HEAD}{words.format('%r1, %r2, %r3, ', table)};\nret;\n}}\n" for table in (lut, "0xc0")
    ]
    first, second = (ptxlift.lift(text, "gfx942").ir for text in texts)
    assert first == second


@pytest.mark.parametrize(
    ("kind", "a", "b", "want"),
    [
        ("s16", 40000, -40000, 0x7FFF8000),
        ("u16", 70000, -5, 0xFFFF0000),
        ("u16", 1, 2, 0x00010002),
    ],
)
def test_cvt_pack_halves(kind: str, a: int, b: int, want: int) -> None:
    """a becomes the upper half."""
    assert compute(f"cvt.pack.sat.{kind}.s32 %r0, %r1, %r2;", (a, 32), (b, 32)) == [want]


def test_pairs_of_halves_to_small_floats() -> None:
    """1.0 is 0x38 in e4m3 and 0x3c in e5m2; the upper half of the source is the upper byte."""
    assert compute("cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", (0xBC003C00, 32)) == [0xB838]
    assert compute("cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;", (0x7BFF4000, 32)) == [0x7B40]
    assert compute("cvt.rn.satfinite.relu.e4m3x2.f16x2 %h0, %r1;", (0xBC003C00, 32)) == [0x0038]
    assert compute("cvt.rz.ue8m0x2.bf16x2 %h0, %r1;", (0x3FC04000, 32)) == [0x7F80]
    assert compute("cvt.rp.ue8m0x2.bf16x2 %h0, %r1;", (0x3FC04000, 32)) == [0x8080]


MERGES = [
    ("vadd.u32.u32.u32 %r0.b1, %r1, %r2, %r3", 0x1234AA78),
    ("vsub.u32.u32.u32 %r0.h1, %r1, %r2, %r3", 0x00885678),
    ("vabsdiff.u32.u32.u32 %r0.b3, %r1, %r2, %r3", 0x88345678),
    ("vmin.u32.u32.u32 %r0.h0, %r1, %r2, %r3", 0x12340011),
    ("vmax.u32.u32.u32 %r0.b0, %r1, %r2, %r3", 0x12345699),
    ("vset.u32.u32.gt %r0.b2, %r1, %r2, %r3", 0x12015678),
    ("vshl.u32.u32.u32.clamp %r0.b0, %r1, %r2, %r3", 0x12345600),
    ("vshr.u32.u32.u32.clamp %r0.b0, %r1, %r2, %r3", 0x1234564C),
]


@pytest.mark.parametrize(("statement", "want"), MERGES)
def test_video_results_merge_into_c(statement: str, want: int) -> None:
    """a = 0x99, b = 0x11 (1 for the shift to the right), c = 0x12345678."""
    b = 1 if statement.startswith("vshr") else 0x11
    assert compute(f"{statement};", (0x99, 32), (b, 32), (0x12345678, 32)) == [want]


def test_video_selectors() -> None:
    """Bytes and halves are extended by their type."""
    a, b = (0x80FF7F01, 32), (0x00020003, 32)
    assert compute("vadd.s32.s32.s32 %r0, %r1.b2, %r2.h1;", a, b) == [1]
    assert compute("vadd.s32.u32.s32 %r0, %r1.b2, %r2.h1;", a, b) == [0x101]
    assert compute("vsub.s32.s32.s32 %r0, %r1.h1, %r2.b0;", a, b) == [0xFFFF80FC]


def test_video_lanes_by_selector_and_mask() -> None:
    """Selectors pick lanes of b:a; lanes outside the mask come from c."""
    words = ((0x00020001, 32), (0x00040003, 32), (0xBBBBAAAA, 32))
    assert compute("vadd2.s32.s32.s32 %r0, %r1, %r2, %r3;", *words) == [0x00060004]
    assert compute("vadd2.s32.s32.s32 %r0.h0, %r1.h31, %r2, %r3;", *words) == [0xBBBB0005]
    assert compute("vadd2.s32.s32.s32.add %r0.h1, %r1, %r2, %r3;", *words) == [0xBBBBAAB0]


def test_video_lanes_of_the_second_source() -> None:
    """b.h23 turns b's lanes around."""
    words = ((0x00020001, 32), (0x00040003, 32), (0, 32))
    assert compute("vadd2.s32.s32.s32 %r0, %r1, %r2.h23, %r3;", *words) == [0x00050005]
    words = ((0x40302010, 32), (0x04030201, 32), (0, 32))
    assert compute("vsub4.u32.u32.u32 %r0, %r1, %r2.b4567, %r3;", *words) == [0x3F2E1D0C]


def test_video_saturates_to_the_part_that_is_written() -> None:
    """0x199 + 0x11 fits a half and no byte."""
    words = ((0x199, 32), (0x11, 32), (0x12345678, 32))
    assert compute("vadd.u32.u32.u32.sat %r0.b0, %r1.h0, %r2, %r3;", *words) == [0x123456FF]
    assert compute("vadd.u32.u32.u32.sat %r0.h1, %r1.h0, %r2.b0, %r3;", *words) == [0x01AA5678]


# Scalar Video Instructions: vmad. "signedFinal = isSigned(atype) || isSigned(btype) ||
# (a.negate ^ b.negate) || c.negate": it decides how the result shifts and saturates.
MADS = [
    ("s32.s32.s32 %r0, -%r1, %r2, %r3", 3, 5, 100, 85),
    ("s32.s32.s32 %r0, %r1, -%r2, %r3", 3, 5, 100, 85),
    ("s32.s32.s32 %r0, %r1, %r2, -%r3", 3, 5, 100, -85),
    ("u32.u32.u32.sat %r0, -%r1, %r2, %r3", 3, 5, 10, -5),
    ("u32.u32.u32.sat %r0, %r1, %r2, -%r3", 0xFFFF, 0xFFFF, 1, 0x7FFFFFFF),
    ("u32.u32.u32.sat %r0, %r1, %r2, %r3", 0xFFFF, 0xFFFF, 1, 0xFFFE0002),
    ("u32.u32.u32.shr7 %r0, -%r1, %r2, %r3", 16, 16, 0, -2),
    ("s32.s32.s32.shr15 %r0, %r1, %r2, -%r3", 1 << 10, 1 << 10, 1 << 16, 30),
    ("s32.s32.s32 %r0, %r1.b1, -%r2.h1, %r3", 0x0200, 0x00070000, 20, 6),
    ("s32.s32.s32.po %r0, %r1, %r2, %r3", 3, 5, 100, 116),
]


@pytest.mark.parametrize(("statement", "a", "b", "c", "want"), MADS)
def test_vmad_negates(statement: str, a: int, b: int, c: int, want: int) -> None:
    words = ((a, 32), (b, 32), (c, 32))
    assert compute(f"vmad.{statement};", *words) == [want & 0xFFFFFFFF]


# cvt to .tf32: 10 places of the 23 are kept, the low 13 bits are zero.
TF32 = [
    ("rn", 0x3F801000, 0x3F800000),  # a tie, below is even
    ("rn", 0x3F803000, 0x3F804000),  # a tie, above is even
    ("rn", 0x3F801001, 0x3F802000),
    ("rn", 0x3F800FFF, 0x3F800000),
    ("rn", 0xBF803000, 0xBF804000),
    ("rn", 0x00001001, 0x00002000),
    ("rn", 0x7F7FFFFF, 0x7F800000),  # beyond the largest finite value
    ("rn", 0xFF800000, 0xFF800000),
    ("rn", 0x7F800001, 0x7FFFFFFF),
    ("rn.satfinite", 0x7F7FFFFF, 0x7F7FE000),
    ("rn.satfinite", 0xFF7FFFFF, 0xFF7FE000),
    ("rn.satfinite", 0x7F800000, 0x7F7FE000),
    ("rn.satfinite", 0x3F803000, 0x3F804000),
    ("rn.relu", 0xBF803000, 0),
    ("rn.relu", 0x3F803000, 0x3F804000),
    ("rn.relu", 0xFFC00000, 0x7FFFFFFF),
    ("rz", 0x3F803FFF, 0x3F802000),
    ("rz", 0xBF803FFF, 0xBF802000),
    ("rz", 0x7F7FFFFF, 0x7F7FE000),
    ("rz.relu", 0xBF803FFF, 0),
    ("rna", 0x3F801000, 0x3F802000),  # ties go away from zero
    ("rna", 0xBF801000, 0xBF802000),
    ("rna", 0x3F800FFF, 0x3F800000),
    ("rna.satfinite", 0x7F7FFFFF, 0x7F7FE000),
    ("rna.satfinite", 0xFF7FFFFF, 0xFF7FE000),
    ("rna.satfinite", 0x7F7FC000, 0x7F7FC000),
    ("rna.satfinite", 0x7F800000, 0x7F7FE000),
]


@pytest.mark.parametrize(("words", "value", "want"), TF32)
def test_cvt_to_tf32(words: str, value: int, want: int) -> None:
    assert compute(f"cvt.{words}.tf32.f32 %r0, %r1;", (value, 32)) == [want]


@pytest.mark.parametrize("kind", ["s32", "u32", "s16", "u16"])
def test_nan_of_a_double_to_fewer_bits(kind: str) -> None:
    """Data Movement and Conversion Instructions: cvt. ptxas folds the msb alone."""
    bits = int(kind[1:])
    register = "%r0" if bits == 32 else "%h0"
    statement = f"cvt.rni.{kind}.f64 {register}, %d1;"
    assert compute(statement, (0x7FF8000000000000, 64)) == [1 << (bits - 1)]
    assert compute(statement, (0x4008000000000000, 64)) == [3]


def test_satfinite_takes_infinities_alone() -> None:
    """Data Movement and Conversion Instructions: cvt. 65504 is the largest f16, 2^15 is 0x7800."""
    statement = "cvt.rn.satfinite.f16x2.f32 %r0, %r1, %r2;"
    assert compute(statement, (0x47800000, 32), (0xFF800000, 32)) == [0x7BFFFBFF]
    assert compute(statement, (0x47000000, 32), (0xC7000000, 32)) == [0x7800F800]


def test_sum_of_byte_distances() -> None:
    """|a - b| of each byte, and a sum that wraps."""
    words = (
        from_ints(32, [0xFF01_8000]),
        from_ints(32, [0x01FF_0080]),
        from_ints(32, [0xFFFFFFFF]),
    )
    distances = 0xFE + 0xFE + 0x80 + 0x80
    assert NumpyAlgebra().sad_bytes(*words).tolist() == [distances - 1]


def test_predicate_sources_of_a_section() -> None:
    section = Section("selp.b32", Signature.parse("32 <- 32 32 p"), [Vector((1, 2, 0), ())])
    assert evaluate(section, NumpyAlgebra())[0].tolist() == [2]
