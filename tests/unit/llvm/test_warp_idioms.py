"""What code writes with shuffles, and what a chip does in other ways.

Ballots for flags, scalar reads for one lane, one trip through the crossbar for what fits a word.
"""

from __future__ import annotations

import numpy as np
import pytest
from shuffle_kernels import LANES, OPERATIONS, Shuffle, integer_steps, lift, reduction

import ptxlift

BROADCAST = "shfl.sync.idx.b32 %r2, %r1, {}, 31, -1;"
UNKNOWN_LANES = {
    "of_the_block": "mov.u32 %r5, %ctaid.x; add.u32 %r5, %r5, 37;" + BROADCAST.format("%r5"),
    "in_a_loop": """mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, %nctaid.x; add.u32 %r7, %r7, 39;
        L: shfl.sync.idx.b32 %r3, %r1, %r5, 31, -1; mad.lo.u32 %r6, %r6, 3, %r3;
        add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r7; @%p1 bra L; mov.u32 %r2, %r6;""",
}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1250"])
def test_one_lane_for_all_that_the_launch_names(target: str) -> None:
    """Read into a scalar register: no trip through the crossbar; lanes count modulo 32."""
    lifted = lift("".join(reduction(name, text) for name, text in UNKNOWN_LANES.items()), target)
    assert "ds_" not in lifted.asm
    values = np.random.default_rng(15).integers(0, 1 << 32, 64, dtype=np.uint32)
    loop = np.zeros(2, np.uint64)
    for lane in range(40):
        loop = (3 * loop + values[[lane % 32, 32 + lane % 32]]) % (1 << 32)
    for name, expected in (("of_the_block", values[[5, 37]]), ("in_a_loop", loop)):
        out = values.copy()
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [out])
        assert (out == np.repeat(expected, 32)).all(), name


def test_lanes_that_differ_take_the_crossbar() -> None:
    """A near miss: each thread names its own lane."""
    lifted = lift(reduction("k", BROADCAST.format("%r1")), "gfx1100")
    assert lifted.asm.count("ds_bpermute") == 1
    values = np.random.default_rng(16).integers(0, 1 << 32, 64, dtype=np.uint32)
    expected = values[np.arange(64) & -LANES | values & 31]
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == expected).all()


IN_MEMORY = """mov.b32 %r5, {b}; st.local.u32 [%frame], %r5; mov.b32 %r6, {width};
st.local.u32 [%frame+4], %r6; ld.local.u32 %r7, [%frame+4]; sub.s32 %r8, 32, %r7;
shl.b32 %r8, %r8, 8; or.b32 %r8, %r8, {clamp}; ld.local.u32 %r9, [%frame];
shfl.sync.{mode}.b32 %r3, %r1, %r9, %r8, -1; add.u32 %r1, %r1, %r3;
"""


@pytest.mark.parametrize("target", ["gfx1030", "gfx1100"])
def test_distances_in_local_memory(target: str) -> None:
    """As compilers write them that optimise nothing: the operands wait in the frame."""
    steps = [("bfly", 16, 31), ("bfly", 2, 31), ("down", 8, 31), ("up", 1, 0), ("idx", 7, 31)]
    lines = (IN_MEMORY.format(mode=m, b=b, clamp=c, width=32) for m, b, c in steps)
    body = "".join(lines) + "mov.b32 %r2, %r1;"
    text = reduction("k", ".local .align 4 .b8 %frame[8];" + body)
    lifted = lift(text, target)
    assert "ds_" not in lifted.asm
    values = np.random.default_rng(17).integers(0, 1 << 32, 64, dtype=np.uint32)
    expected = values.reshape(2, LANES)
    for mode, b, _ in steps:
        sources = [Shuffle(mode, b, 32).source(lane)[0] for lane in range(LANES)]
        expected = expected + expected[:, sources]
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == expected.reshape(64)).all()


# how a lane's flag becomes a word, and the words for true and false
FLAGS = {
    "one": ("selp.b32 %r1, 1, 0, %p3;", 1, 0),
    "all_bits": ("selp.b32 %r1, -1, 0, %p3;", 0xFFFFFFFF, 0),
    "two_words": ("selp.b32 %r1, -7, 12, %p3;", 0xFFFFFFF9, 12),
}
RARE = "setp.ne.u32 %p3, %r1, 5;"  # false in few lanes
SEVERAL = "and.b32 %r5, %r1, 3; setp.eq.u32 %p3, %r5, 1;"


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_any_and_all_by_shuffles(target: str) -> None:
    """A butterfly of flags is a ballot, whose bits are counted or compared."""
    names, texts = {}, []
    for number, (operation, (flag, test)) in enumerate(
        (o, (f, t)) for o in OPERATIONS for f in FLAGS for t in (RARE, SEVERAL)
    ):
        names[f"k{number}"] = (operation, flag, test)
        steps = test + FLAGS[flag][0] + integer_steps(operation, (16, 8, 4, 2, 1))
        texts.append(reduction(f"k{number}", steps))
    lifted = lift("".join(texts), target)
    assert "dpp" not in lifted.asm and "ds_" not in lifted.asm
    values = np.full(96, 9, np.uint32)  # all, none and some lanes of the three warps
    values[32:64], values[64:] = 5, np.arange(32)
    for name, (operation, flag, test) in names.items():
        chosen = values != 5 if test is RARE else values % 4 == 1
        _, yes, no = FLAGS[flag]
        words = np.where(chosen, np.uint32(yes), np.uint32(no)).reshape(3, LANES)
        expected = OPERATIONS[operation](words).repeat(LANES)
        out = values.copy()
        ptxlift.run(lifted, name, (1, 1, 1), (96, 1, 1), [out])
        assert (out == expected).all(), (operation, flag)


def test_flags_of_which_one_is_no_constant_are_reduced() -> None:
    """A near miss."""
    body = SEVERAL + "selp.b32 %r1, 1, %r0, %p3;" + integer_steps("or.b32", (16, 8, 4, 2, 1))
    lifted = lift(reduction("k", body), "gfx1100")
    assert "v_or_b32_dpp" in lifted.asm
    values = np.arange(64, dtype=np.uint32) * 3
    words = np.where(values % 4 == 1, 1, np.arange(64)).astype(np.uint32).reshape(2, LANES)
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == np.bitwise_or.reduce(words, axis=1).repeat(LANES)).all()


# The source lane is in the word itself, so that every shuffle takes the crossbar.
SEND = "and.b32 %r5, %r1, 31; {} {} xor.b32 %r2, %r8, %r9;"
TO = "shfl.sync.idx.b32 %r8, %r6, %r5, 31, -1; shfl.sync.idx.b32 %r9, %r7, %r5, 31, -1;"


def _sources(values: np.ndarray) -> np.ndarray:
    return values[np.arange(64) & -LANES | values & 31]


def _widened(values: np.ndarray) -> np.ndarray:
    wide = _sources(values).view(np.float32).astype(np.float64).view(np.uint64)
    return (wide ^ wide >> np.uint64(32)).astype(np.uint32)


def _halves(values: np.ndarray) -> np.ndarray:
    both = _sources(values).view(np.float16).astype(np.float32).view(np.uint32).reshape(64, 2)
    return both[:, 0] ^ both[:, 1]


def _extended(values: np.ndarray) -> np.ndarray:
    signed = _sources(values).view(np.int32)
    return (signed ^ signed >> 31).view(np.uint32)


# what travels as %r6 and %r7, numpy's result, trips through the crossbar
JOURNEYS = {
    "halves_of_a_word": (
        "and.b32 %r6, %r1, 0xffff; shr.u32 %r7, %r1, 16;",
        lambda v: _sources(v) & 0xFFFF ^ _sources(v) >> 16,
        1,
    ),
    "two_small_numbers": (
        "mul.lo.u32 %r6, %r1, 77; and.b32 %r6, %r6, 0x7fff; add.u32 %r7, %r1, 99; "
        "shr.u32 %r7, %r7, 17;",
        lambda v: _sources(v) * np.uint32(77) & 0x7FFF ^ (_sources(v) + np.uint32(99)) >> 17,
        1,
    ),
    "a_widened_float": ("cvt.f64.f32 %g1, %f1; mov.b64 {%r6, %r7}, %g1;", _widened, 1),
    "a_sign_extended_word": ("cvt.s64.s32 %d3, %r1; mov.b64 {%r6, %r7}, %d3;", _extended, 1),
    "a_zero_extended_word": (
        "cvt.u64.u32 %d3, %r1; mov.b64 {%r6, %r7}, %d3;",
        _sources,
        1,
    ),
    "widened_halves": (
        "mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %f2, %h1; cvt.f32.f16 %f3, %h2; "
        "mov.b32 %r6, %f2; mov.b32 %r7, %f3;",
        _halves,
        1,
    ),
    "two_words": (
        "mul.lo.u32 %r6, %r1, 77; mul.lo.u32 %r7, %r0, 3;",
        lambda v: _sources(v) * np.uint32(77) ^ 3 * (np.arange(64, dtype=np.uint32) & 32 | v & 31),
        2,
    ),
    "seventeen_bits": (
        "and.b32 %r6, %r1, 0x1ffff; add.u32 %r7, %r1, %r0; shr.u32 %r7, %r7, 17;",
        lambda v: (
            _sources(v) & 0x1FFFF
            ^ (_sources(v) + (np.arange(64, dtype=np.uint32) & 32 | v & 31)) >> 17
        ),
        2,
    ),
}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_values_that_travel_together(target: str) -> None:
    """The last two are near misses."""
    texts = []
    for name, (steps, _, _) in JOURNEYS.items():
        text = reduction(name, SEND.format(steps, TO))
        texts.append(text.replace(".reg .b64 %d<4>;", ".reg .b64 %d<4>, %g<2>; .reg .b16 %h<4>;"))
    lifted = lift("".join(texts), target)
    for name, (_, expected, trips) in JOURNEYS.items():
        body = lifted.asm.split(f"\n{name}:", 1)[1].split("s_endpgm", 1)[0]
        assert body.count("ds_bpermute") == trips, name
        values = np.random.default_rng(18).integers(0, 1 << 32, 64, dtype=np.uint32)
        values &= 0xBBFFBBFF  # no NaN, whose bits are open
        out = values.copy()
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [out])
        assert (out == expected(values)).all(), name


@pytest.mark.parametrize(("target", "trips"), [("gfx942", 1), ("gfx1100", 0)])
def test_halves_of_a_word_across_rows(target: str, trips: int) -> None:
    """By ds_swizzle on gfx9; gfx11 exchanges rows in hardware, and two moves are cheaper."""
    steps = (
        "and.b32 %r6, %r1, 0xffff; shr.u32 %r7, %r1, 16; "
        "shfl.sync.bfly.b32 %r8, %r6, 16, 31, -1; shfl.sync.bfly.b32 %r9, %r7, 16, 31, -1;"
        "sub.u32 %r2, %r8, %r9;"
    )
    lifted = lift(reduction("k", steps), target)
    assert lifted.asm.count("ds_swizzle") == trips
    values = np.random.default_rng(19).integers(0, 1 << 32, 64, dtype=np.uint32)
    other = values[np.arange(64) ^ 16]
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == (other & 0xFFFF) - (other >> 16)).all()


# A square of four by four words in groups of four lanes, by two exchanges of two words each.
TRANSPOSE = """and.b32 %r5, %r0, 3; mul.lo.u32 %r6, %r1, 3; mul.lo.u32 %r7, %r1, 5;
mul.lo.u32 %r8, %r1, 7; and.b32 %r9, %r0, 1; setp.ne.u32 %p1, %r9, 0;
and.b32 %r9, %r0, 2; setp.ne.u32 %p2, %r9, 0;
selp.b32 %r3, %r1, %r6, %p1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
selp.b32 %r1, %r3, %r1, %p1; selp.b32 %r6, %r6, %r3, %p1;
selp.b32 %r3, %r7, %r8, %p1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
selp.b32 %r7, %r3, %r7, %p1; selp.b32 %r8, %r8, %r3, %p1;
selp.b32 %r3, %r1, %r7, %p2; shfl.sync.bfly.b32 %r3, %r3, 2, 31, -1;
selp.b32 %r1, %r3, %r1, %p2; selp.b32 %r7, %r7, %r3, %p2;
selp.b32 %r3, %r6, %r8, %p2; shfl.sync.bfly.b32 %r3, %r3, 2, 31, -1;
selp.b32 %r6, %r3, %r6, %p2; selp.b32 %r8, %r8, %r3, %p2;
mad.lo.u32 %r2, %r6, 17, %r1; mad.lo.u32 %r2, %r7, 289, %r2; mad.lo.u32 %r2, %r8, 4913, %r2;
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1250"])
def test_a_transpose_in_registers(target: str) -> None:
    """Quads are wired: the choice of a lane reads the other one on the way, or one move does."""
    lifted = lift(reduction("k", TRANSPOSE), target)
    assert "ds_" not in lifted.asm
    assert lifted.asm.count("quad_perm") + lifted.asm.count("row_xmask") >= 4
    values = np.random.default_rng(20).integers(0, 1 << 32, 64, dtype=np.uint32)
    rows = values[:, None] * np.array([1, 3, 5, 7], np.uint32)  # what each lane has
    squares = rows.reshape(16, 4, 4).transpose(0, 2, 1).reshape(64, 4)
    expected = squares @ np.array([1, 17, 289, 4913], np.uint32)
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == expected).all()
