"""gfx1250's named barriers: expected values by what the kernels write, worked out in numpy."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlift

PLACES = ("interpreter", "gfx1100", "gfx1250")
HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .shared .align 4 .b8 tile[512];
    .reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %d<4>;
    ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile;
    shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; mul.lo.u32 %r4, %r0, %r0;
    cvt.u64.u32 %d1, %r2; add.u64 %d0, %d0, %d1; setp.lt.u32 %p0, %r0, 32;
"""
TAIL = "ST: st.global.u32 [%d0], %r6; ret; }\n"

# Warp 0 writes squares and arrives; warp 1 waits for it and reads them backwards.
PAIR = (
    HEAD
    + """mov.u32 %r6, 7; @!%p0 bra READ;
    st.shared.u32 [%r3], %r4; bar.arrive 1, 64; bra ST;
READ: bar.sync 1, 64; sub.u32 %r5, 252, %r2; add.u32 %r5, %r1, %r5; ld.shared.u32 %r6, [%r5];
"""
    + TAIL
)

# Each warp meets at a barrier of its own; their numbers come in registers that hold constants.
ALONE = (
    HEAD
    + """st.shared.u32 [%r3], %r4; xor.b32 %r3, %r3, 124; mov.u32 %r7, 32; @!%p0 bra OTHER;
    mov.u32 %r8, 3; barrier.sync %r8, %r7; ld.shared.u32 %r6, [%r3]; bra ST;
OTHER: mov.u32 %r8, 4; barrier.sync %r8, %r7; ld.shared.u32 %r6, [%r3];
"""
    + TAIL
)

# Half-warps reach the barrier one after the other, in two branches, and lanes of a warp count once.
APART = (
    HEAD
    + """st.shared.u32 [%r3], %r4; xor.b32 %r3, %r3, 252; and.b32 %r5, %r0, 16;
    setp.eq.u32 %p1, %r5, 0; @%p1 bra LOW;
    barrier.sync 1, 64; ld.shared.u32 %r6, [%r3]; bra ST;
LOW: barrier.sync 1, 64; ld.shared.u32 %r6, [%r3];
"""
    + TAIL
)

# Only warps with an odd square in the tile arrive, with what lanes have one: warp 0 and not warp 1.
SOME = (
    HEAD
    + """mov.u32 %r6, 7; setp.ge.u32 %p1, %r0, 64; @%p1 bra WAIT; and.b32 %r5, %r4, 1;
    setp.eq.u32 %p2, %r5, 1; and.pred %p2, %p2, %p0; @!%p2 bra ST;
    bar.arrive 1, 64; bra ST;
WAIT: bar.sync 1, 64; mov.u32 %r6, 9;
"""
    + TAIL
)

# The votes of barrier 1 are counted in memory, and barrier 2 is one of the hardware's.
MIXED = (
    HEAD
    + """st.shared.u32 [%r3], %r4; bar.red.popc.u32 %r7, 1, 64, %p0; bar.sync 2, 64;
    xor.b32 %r3, %r3, 252; ld.shared.u32 %r6, [%r3]; add.u32 %r6, %r6, %r7;
"""
    + TAIL
)
IN_REGISTER = ALONE.replace("mov.u32 %r8, 4;", "shr.u32 %r8, %r0, 5;")
LANES = np.arange(64)
SQUARES = LANES.astype(np.uint32) ** 2
CASES = {
    "pair": (PAIR, np.where(LANES < 32, 7, SQUARES[::-1])),
    "alone": (ALONE, SQUARES[LANES ^ 31]),
    "apart": (APART, SQUARES[::-1]),
    "mixed": (MIXED, SQUARES[::-1] + 32),
    "in register": (IN_REGISTER, SQUARES[LANES ^ 31]),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, place: str) -> None:
    text, expected = CASES[name]
    out = np.zeros(64, np.uint32)
    where = {"device": place} if place == "interpreter" else {"target": place}
    ptxlift.run(text, "k", 1, 64, [out], **where)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("place", PLACES)
def test_a_warp_without_lanes_does_not_arrive(place: str) -> None:
    out = np.zeros(96, np.uint32)
    where = {"device": place} if place == "interpreter" else {"target": place}
    ptxlift.run(SOME, "k", 1, 96, [out], **where)
    np.testing.assert_array_equal(out, np.where(np.arange(96) < 64, 7, 9))


# Of each kernel: barriers of the hardware it uses, and whether words in shared memory count too.
CHOSEN = {
    "pair": (1, False),
    "alone": (2, False),
    "apart": (1, False),
    "mixed": (1, True),
    "in register": (0, True),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_which_barriers_are_the_hardwares(name: str) -> None:
    own, counts_in_memory = CHOSEN[name]
    text = CASES[name][0]
    found = ptxlift.lift(text, target="gfx1250").asm
    assert found.count("s_barrier_init m0") == own
    assert ("s_barrier_join" in found) == bool(own)
    assert ("ds_add" in found) == counts_in_memory
    assert "s_barrier_init" not in ptxlift.lift(text, target="gfx1201").asm


def test_waves_jump_over_an_arrival_for_which_they_have_no_lane() -> None:
    """Hardware's barriers do not heed EXEC."""
    code = ptxlift.lift(SOME, target="gfx1250").asm
    instructions = re.findall(r"^\s+([sv]_(?:barrier|cbranch|cmpx)\w*)", code, re.M)
    guarded = instructions[instructions.index("s_barrier_wait") + 1 :]
    assert guarded == [
        "v_cmpx_gt_u32_e32", "s_cbranch_execz", "v_cmpx_eq_u32_e32", "s_cbranch_execz",
        "s_barrier_signal", "s_cbranch_execz", "s_barrier_join", "s_barrier_signal",
        "s_barrier_wait",
    ]  # fmt: skip


def test_counts_that_cannot_be_are_told_by_the_emulator() -> None:
    """Two warps of three have arrived when the fourth says that one is enough."""
    body = """setp.ge.u32 %p1, %r0, 96; mov.u32 %r6, 7; @%p1 bra LESS; setp.ge.u32 %p2, %r0, 64;
    @%p2 bra ST; bar.arrive 1, 96; bra ST;
LESS: bar.sync 0; bar.arrive 1, 32;
"""
    text = (HEAD + body + TAIL).replace("ST: ", "ST: @!%p1 bar.sync 0; ")
    with pytest.raises(ptxlift.PtxError, match="more waves have arrived than it expects") as caught:
        ptxlift.run(text, "k", 1, 128, [np.zeros(128, np.uint32)], target="gfx1250")
    assert caught.value.diagnostics[0].code == "PTX403"


def test_sixteen_barriers_and_those_of_a_function() -> None:
    """Warp w waits at its own barrier w, warp 5 in a function that the kernel calls."""
    calls = "".join(
        f"W{n}: {'call meet, (%r9);' if n == 5 else f'bar.sync {n}, 32;'} bra DONE;\n"
        for n in range(16)
    )
    names = ", ".join(f"W{n}" for n in range(16))
    body = f"""st.shared.u32 [%r3], %r4; shr.u32 %r9, %r0, 5;
    T: .branchtargets {names};
    brx.idx %r9, T;
{calls}DONE: xor.b32 %r3, %r3, 124; ld.shared.u32 %r6, [%r3];
"""
    meet = ".func meet(.reg .b32 %n) { bar.sync 5, 32; bar.sync 5, 32; ret; }\n"
    kernel = (HEAD + body + TAIL).replace("tile[512]", "tile[2048]")
    text = kernel.replace(".visible", meet + ".visible")
    assert ptxlift.lift(text, target="gfx1250").asm.count("s_barrier_init m0") == 16
    out = np.zeros(512, np.uint32)
    ptxlift.run(text, "k", 1, 512, [out], target="gfx1250")
    np.testing.assert_array_equal(out, (np.arange(512, dtype=np.uint32) ^ 31) ** 2)


@pytest.mark.parametrize("target", ["gfx1100", "gfx1250"])
def test_a_statement_has_no_barriers_that_count(target: str) -> None:
    """What they count in would have to be set up by the kernel around it."""
    with pytest.raises(ptxlift.PtxError, match="a barrier that counts threads") as caught:
        ptxlift.raise_inline_asm("bar.sync 1, 64;", "~{memory}", [], target=target)
    assert caught.value.diagnostics[0].code == "PTX201"
