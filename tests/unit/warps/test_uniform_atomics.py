"""Atomics of a whole wave on one address: one atomic a wave, right for whatever lanes are there.

Expected values are numpy's. The order in which threads come is open, so what the returning forms
give is checked by what any order must give.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlift

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 word, .param .u64 out)
{
.reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<9>;
.shared .align 8 .b8 s[8];
ld.param.u64 %rd1, [word]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r9, %ctaid.x;
mov.u32 %r10, %ntid.x; mad.lo.u32 %r11, %r9, %r10, %r1; mul.wide.u32 %rd3, %r11, 4;
add.u64 %rd2, %rd2, %rd3; mul.lo.u32 %r2, %r11, 0x9E3779B1; xor.b32 %r2, %r2, 0x1234567;
"""
OPTIONS = ptxlift.Options()
BLOCK, BLOCKS = 80, 3
TARGETS = ("gfx942", "gfx1100")
ALL_TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
THREADS = np.arange(BLOCK * BLOCKS, dtype=np.uint32)
VALUES = (THREADS * np.uint32(0x9E3779B1)) ^ np.uint32(0x1234567)
SIGNED = VALUES.view(np.int32)
START = 77
# PTX, which threads take part, the word afterwards
RED = {
    "add": ("red.global.add.u32 [%rd1], %r2;", lambda v: START + int(v.sum(dtype=np.uint64))),
    "add_one": ("red.global.add.u32 [%rd1], 1;", lambda v: START + len(v)),
    "umin": ("red.global.min.u32 [%rd1], %r2;", lambda v: min(START, int(v.min()))),
    "umax": ("red.global.max.u32 [%rd1], %r2;", lambda v: max(START, int(v.max()))),
    "smin": ("red.global.min.s32 [%rd1], %r2;", lambda v: min(START, int(v.view("i4").min()))),
    "smax": ("red.global.max.s32 [%rd1], %r2;", lambda v: max(START, int(v.view("i4").max()))),
    "and": ("red.global.and.b32 [%rd1], %r2;", lambda v: START & int(np.bitwise_and.reduce(v))),
    "or": ("red.global.or.b32 [%rd1], %r2;", lambda v: START | int(np.bitwise_or.reduce(v))),
    "xor": ("red.global.xor.b32 [%rd1], %r2;", lambda v: START ^ int(np.bitwise_xor.reduce(v))),
    "inc": ("red.global.inc.u32 [%rd1], -1;", lambda v: START + len(v)),
    "dec": ("red.global.dec.u32 [%rd1], -1;", lambda v: START - len(v)),
}
GUARDS = {
    "all": ("", THREADS >= 0),
    "some": ("and.b32 %r3, %r11, 5; setp.eq.u32 %p1, %r3, 4; @!%p1 bra D;", THREADS & 5 == 4),
    "one_a_warp": (
        "and.b32 %r3, %r1, 31; setp.eq.u32 %p1, %r3, 9; @!%p1 bra D;",
        THREADS % BLOCK % 32 == 9,
    ),
}


Words = NDArray[np.uint32]
# PTX whose old value each thread stores, and what it does to the word
RETURNING = {
    "add": ("atom.global.add.u32 %r4, [%rd1], %r2;", lambda old, v: old + v),
    "add_one": ("atom.global.add.u32 %r4, [%rd1], 1;", lambda old, v: old + 1),
    "inc": ("atom.global.inc.u32 %r4, [%rd1], -1;", lambda old, v: old + 1),
    "dec": ("atom.global.dec.u32 %r4, [%rd1], -1;", lambda old, v: old - 1),
    "inc_that_wraps": (
        "atom.global.inc.u32 %r4, [%rd1], 99;",
        lambda old, v: np.where(old >= 99, 0, old + 1),
    ),
    "umax": ("atom.global.max.u32 %r4, [%rd1], %r2;", np.maximum),
    "smin": (
        "atom.global.min.s32 %r4, [%rd1], %r2;",
        lambda old, v: np.minimum(old.view("i4"), v.view("i4")),
    ),
    "or": ("atom.global.or.b32 %r4, [%rd1], %r2;", np.bitwise_or),
    "xor": ("atom.global.xor.b32 %r4, [%rd1], %r2;", np.bitwise_xor),
}


def run(body: str, target: str, words: int = 1, **options: object) -> tuple[Words, Words, float]:
    """The words, what each thread stored, and the dynamic cost."""
    text = HEAD + body + " D: ret;\n}\n"
    if target == "interpreter":
        program = ptxlift.load(text, device="interpreter")
    else:
        lifted = ptxlift.lift(text, target=target, options=replace(OPTIONS, **options))
        program = ptxlift.load(lifted)
    word, out = np.array([START] + [0] * (words - 1), np.uint32), np.zeros_like(THREADS)
    arguments = [program.alloc(word), program.alloc(out)]
    result = program.launch("k", (BLOCKS, 1, 1), (BLOCK, 1, 1), arguments)
    return word, out, (result.profile or {}).get("dynamic cost", 0)


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_reductions(target: str, guard: str) -> None:
    skip, there = GUARDS[guard]
    for name, (ptx, expected) in RED.items():
        word, _, _ = run(skip + ptx, target)
        assert int(word[0]) == expected(VALUES[there]) & 0xFFFFFFFF, name


def check_returning(
    name: str, skip: str, there: NDArray[np.bool_], *way: str, **options: object
) -> None:
    """Each old value is what one thread found and, but for the first, what another one left."""
    ptx, left = RETURNING[name]
    word, out, _ = run(f"{skip}{ptx} st.global.u32 [%rd2], %r4;", *way, **options)
    found = out[there]
    leaves = left(found, VALUES[there]).astype(np.uint32)
    assert Counter([START, *leaves.tolist()]) == Counter([int(word[0]), *found.tolist()])
    assert not out[~there].any()


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("target", TARGETS)
def test_returning_forms(target: str, guard: str) -> None:
    for name in RETURNING:
        check_returning(name, *GUARDS[guard], target)


@pytest.mark.parametrize(
    "way",
    [("gfx90a", {"warp_mapping": "split"}), ("gfx1100", {"wave_size": 64}), ("gfx1030", {})],
    ids=str,
)
def test_other_mappings(way: tuple[str, dict[str, object]]) -> None:
    for name in ("add", "add_one", "umax"):
        check_returning(name, *GUARDS["some"], way[0], **way[1])


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("target", sorted({*ALL_TARGETS} - {*TARGETS}))
@pytest.mark.parametrize("guard", GUARDS)
def test_every_target(target: str, guard: str) -> None:
    for name in RETURNING:
        check_returning(name, *GUARDS[guard], target)


@pytest.mark.parametrize("target", TARGETS)
def test_words_of_64_bits_and_shared_memory(target: str) -> None:
    """The block's sum goes through shared memory into the halves of a 64-bit word."""
    body = """mov.u32 %r12, s; setp.ne.u32 %p1, %r1, 0; @%p1 bra B; st.shared.u64 [%r12], 0;
        B: bar.sync 0; cvt.u64.u32 %rd4, %r2; atom.shared.add.u64 %rd5, [%r12], %rd4; bar.sync 0;
        @%p1 bra D; ld.shared.u64 %rd6, [%r12]; red.global.add.u64 [%rd1], %rd6;"""
    word, _, _ = run(body, target, words=2)
    assert int(word.view(np.uint64)[0]) == START + int(VALUES.sum(dtype=np.uint64))


@pytest.mark.parametrize("target", TARGETS)
def test_in_a_divergent_loop_and_in_a_function(target: str) -> None:
    """Thread t adds its value t % 4 times, through a function that is not inlined."""
    head, entry = HEAD.split(".visible")
    function = """.func add(.param .u64 p, .param .u32 v) { .reg .b64 %d; .reg .b32 %r<3>;
        ld.param.u64 %d, [p]; ld.param.u32 %r1, [v]; red.global.add.u32 [%d], %r1; ret; }
        """
    body = """and.b32 %r5, %r11, 3; L: setp.eq.u32 %p1, %r5, 0; @%p1 bra D; sub.u32 %r5, %r5, 1;
        { .param .u64 p; .param .u32 v; st.param.u64 [p], %rd1; st.param.u32 [v], %r2;
        call add, (p, v); } bra L; D: ret; }"""
    lifted = ptxlift.lift(f"{head}{function}.visible{entry}{body}", target=target)
    word, out = np.zeros(1, np.uint32), np.zeros_like(THREADS)
    ptxlift.run(lifted, "k", BLOCKS, BLOCK, [word, out])
    assert word[0] == (VALUES * (THREADS % 4)).sum(dtype=np.uint32)


ROUND_THE_LANES = ("s_ff1_i32", "s_ctz_i32", "v_readfirstlane", "s_bitset0")  # one lane at a time
# vector instructions of five or six steps, the atomic, and what a wave needs to come so far
MOST_COST = {"add": 60, "umin": 60, "add_one": 30, "inc": 30}


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_a_wave_issues_one_atomic_without_a_loop_over_its_lanes(target: str) -> None:
    for name, most in MOST_COST.items():
        lifted = ptxlift.lift(HEAD + RED[name][0] + " D: ret;\n}\n", target=target)
        assert lifted.asm.count("global_atomic_") == 1
        assert not any(word in lifted.asm for word in ROUND_THE_LANES)
        waves = BLOCKS * -(-BLOCK // lifted.kernels["k"].wave_size)
        assert run(RED[name][0], target)[2] / waves <= most, name
