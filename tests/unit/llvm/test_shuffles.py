"""Constant shuffles and what is built of them: right in the emulator, cheap in the assembly."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shuffle_kernels import (
    HEAD,
    LANES,
    OPERATIONS,
    Shuffle,
    check,
    every_shuffle,
    float_steps,
    in_parts,
    integer_scan,
    integer_steps,
    kernel,
    lift,
    reduction,
)

import ptxlift

EVERY = every_shuffle()
SOME = [s for s in EVERY if s.width == 32 and s.b in (1, 2, 4, 5, 8, 15, 16, 19, 31)]
SOME += [s for s in EVERY if s.width in (16, 8, 4) and s.b in (1, 3, 6, 9, 20)]
WAYS = [("gfx900", None), ("gfx942", None), ("gfx950", None), ("gfx1030", None)]
WAYS += [("gfx1100", 64), ("gfx1201", None), ("gfx1250", None)]
MASK = 0x0F3C5A17


@pytest.mark.parametrize(("target", "wave"), WAYS)
def test_constant_shuffles(target: str, wave: int | None) -> None:
    """Whole blocks, blocks that end inside a warp, and warps that are partly elsewhere."""
    text = kernel("whole", SOME, bounds=".reqntid 64") + kernel("any", SOME)
    lifted = lift(text + kernel("masked", SOME, MASK), target, wave)
    check(lifted, "whole", SOME, 64)
    check(lifted, "any", SOME, 39)
    check(lifted, "any", SOME, 7)
    check(lifted, "masked", SOME, 64, MASK)


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize(("target", "wave"), WAYS)
def test_every_constant_shuffle(target: str, wave: int | None) -> None:
    for bounds, mask, sizes in (
        (".reqntid 64", 0xFFFFFFFF, (64,)),
        ("", 0xFFFFFFFF, (64, 39, 28)),
        ("", MASK, (64,)),
    ):
        parts = in_parts(EVERY, 64)
        lifted = lift("".join(kernel(n, part, mask, bounds) for n, part in parts), target, wave)
        for name, part in parts:
            for threads in sizes:
                check(lifted, name, part, threads, mask)


@pytest.mark.parametrize("target", ["gfx90a", "gfx942"])
def test_split_waves(target: str) -> None:
    options = ptxlift.Options(warp_mapping="split")
    lifted = ptxlift.lift(HEAD + kernel("k", SOME), target, options=options)
    check(lifted, "k", SOME, 64)


# ---- the assembly ----


def instructions(lifted: ptxlift.Lifted, name: str) -> list[str]:
    """The kernel's instructions without waits and memory accesses."""
    body = lifted.asm.split(f"\n{name}:", 1)[1].split("s_endpgm", 1)[0]
    found = [line.split(";")[0].strip() for line in body.splitlines()]
    return [line for line in found if re.match(r"(v|ds)_", line)]


def added(lifted: ptxlift.Lifted, name: str) -> tuple[int, int]:
    """Vector and crossbar instructions beyond those of the kernel `none`."""
    lines, none = instructions(lifted, name), instructions(lifted, "none")
    crossbar = sum(line.startswith("ds_") for line in lines)
    return len(lines) - crossbar - len(none), crossbar


NONE = reduction("none", "add.f32 %f1, %f1, 0f3F800000; mov.b32 %r2, %f1;")
BUTTERFLY = float_steps("bfly", (16, 8, 4, 2, 1), 31)
SUMS = {"gfx90a": 1, "gfx942": 1, "gfx950": 0, "gfx1030": 0, "gfx1100": 0, "gfx1201": 0}
SUMS["gfx1250"] = 0


def floats(seed: int) -> np.ndarray:
    """Of sizes so different that the order of a sum shows."""
    random = np.random.default_rng(seed)
    return (random.standard_normal(64) * 10.0 ** random.integers(-4, 4, 64)).astype(np.float32)


@pytest.mark.parametrize("target", SUMS)
def test_butterfly_sum(target: str) -> None:
    """At most eight vector instructions, and every lane the sum in the butterfly's own order."""
    text = NONE + reduction("k", BUTTERFLY) + reduction("whole", BUTTERFLY, ".reqntid 64")
    lifted = lift(text, target)
    values = floats(1)
    expected = values.reshape(2, LANES)
    for distance in (16, 8, 4, 2, 1):
        expected = expected + expected[:, np.arange(LANES) ^ distance]
    for name in ("k", "whole"):
        vector, crossbar = added(lifted, name)
        assert vector + 1 <= 8  # `none` has an addition
        assert crossbar == SUMS[target]
        out = values.copy()
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [out])
        assert (out.view(np.uint32) == expected.reshape(64).view(np.uint32)).all()


def test_moves_fuse_with_the_addition() -> None:
    """On gfx10 on all but the exchange of rows; on gfx9 what one pattern does."""
    text = reduction("k", BUTTERFLY, ".reqntid 64")
    for target, count in (("gfx1030", 4), ("gfx1201", 4), ("gfx942", 4)):
        lines = instructions(lift(text, target), "k")
        assert sum(line.startswith("v_add_f32_dpp") for line in lines) == count, target
        assert not any(line.startswith("v_mov_b32_dpp") for line in lines), target


@pytest.mark.parametrize("target", ["gfx90a", "gfx950", "gfx1100"])
def test_integer_reductions(target: str) -> None:
    """Any order of the five steps is one reduction, without the crossbar."""
    values = np.random.default_rng(4).integers(0, 1 << 32, 64, dtype=np.uint32)
    orders = ((16, 8, 4, 2, 1), (1, 2, 4, 8, 16))
    names = {f"k{i}_{j}": (op, o) for i, op in enumerate(OPERATIONS) for j, o in enumerate(orders)}
    text = "".join(reduction(n, integer_steps(op, order)) for n, (op, order) in names.items())
    lifted = lift(text, target)
    assert "ds_" not in lifted.asm
    for name, (operation, _) in names.items():
        out = values.copy()
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [out])
        expected = OPERATIONS[operation](values.reshape(2, LANES)).repeat(LANES)
        assert (out == expected).all(), name


def test_sums_end_in_scalar_registers() -> None:
    """A wave of one warp: two lanes are read, the last addition is scalar."""
    lines = lift(reduction("k", integer_steps("add.s32", (16, 8, 4, 2, 1))), "gfx1100").asm
    assert lines.count("v_readlane_b32") == 2
    assert "s_add_i32" in lines


def test_steps_with_other_readers_stay_steps() -> None:
    """A near miss: one of the sums is stored too."""
    steps = integer_steps("add.s32", (16, 8)) + "st.global.u32 [%d2], %r1;"
    text = reduction("k", steps + integer_steps("add.s32", (4, 2, 1)))
    values = np.arange(64, dtype=np.uint32)
    lifted = lift(text, "gfx1100")
    assert "v_readlane_b32" not in lifted.asm
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == np.repeat([496, 1520], 32)).all()


SCAN = float_steps("up", (1, 2, 4, 8, 16), 0, "@%p1")
SEGMENTS = float_steps("up", (1, 2, 4, 8), 0x1000, "@%p1")


def scanned(values: np.ndarray, distances: tuple[int, ...], width: int) -> np.ndarray:
    """Each step adds the value so many lanes below, where the segment has one."""
    parts = values.reshape(-1, width)
    for distance in distances:
        below = np.roll(parts, distance, axis=1)
        parts = np.where(np.arange(width) >= distance, parts + below, parts)
    return parts.reshape(-1)


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1030", "gfx1201", "gfx1250"])
def test_scans(target: str) -> None:
    """Lanes whose source is out of range keep their sum: no one needs what they read."""
    text = NONE + reduction("scan", SCAN) + reduction("segments", SEGMENTS)
    lifted = lift(text, target)
    for name, distances, width in (("scan", (1, 2, 4, 8, 16), 32), ("segments", (1, 2, 4, 8), 16)):
        values = floats(5)
        expected = scanned(values, distances, width)
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [values])
        assert (values.view(np.uint32) == expected.view(np.uint32)).all(), name
    assert added(lifted, "segments")[1] == 0
    fused = [line for line in instructions(lifted, "segments") if "v_add_f32_dpp" in line]
    assert len(fused) == 4


DOWN = float_steps("down", (16, 8, 4, 2, 1), 31)
FIRST_LANE = "and.b32 %r5, %r0, 31; setp.ne.u32 %p2, %r5, 0; @%p2 bra DONE;"


@pytest.mark.parametrize("target", ["gfx90a", "gfx950", "gfx1100"])
def test_down_sums_of_which_one_lane_is_stored(target: str) -> None:
    """Only the lanes that lead to lane 0 matter: one move each, fused but for the rows' exchange
    and for the last one, whose addition LLVM puts into the branch.
    """
    steps = DOWN + FIRST_LANE
    text = NONE + reduction("k", steps, ".reqntid 64").replace("ret;", "DONE: ret;")
    lifted = lift(text, target)
    values = floats(6)
    out = values.copy()
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [out])
    expected = values.reshape(2, LANES)
    for distance in (16, 8, 4, 2, 1):
        expected = expected[:, :distance] + expected[:, distance : 2 * distance]
    assert (out.view(np.uint32)[::LANES] == expected[:, 0].view(np.uint32)).all()
    assert (out[1::LANES] == values[1::LANES]).all()
    fused = [line for line in instructions(lifted, "k") if "v_add_f32_dpp" in line]
    assert len(fused) == 3
    assert added(lifted, "k")[1] == (target == "gfx90a")


def test_uniform_values_are_not_moved() -> None:
    text = reduction("k", "mov.u32 %r1, %ctaid.x; shfl.sync.up.b32 %r2, %r1, 3, 0, -1;")
    assert not instructions(lift(text, "gfx942"), "k")[3:]


def test_halves_of_wide_values() -> None:
    """nvcc shuffles a double as two words; both keep their lane."""
    steps = (
        "cvt.f64.f32 %g1, %f1; mov.b64 {%r3, %r4}, %g1;"
        "shfl.sync.bfly.b32 %r5, %r3, 16, 31, -1; shfl.sync.bfly.b32 %r6, %r4, 16, 31, -1;"
        "mov.b64 %g2, {%r5, %r6}; add.f64 %g1, %g1, %g2; cvt.rn.f32.f64 %f1, %g1;"
        "mov.b32 %r2, %f1;"
    )
    text = reduction("k", steps).replace(".reg .b64 %d<4>;", ".reg .b64 %d<4>; .reg .f64 %g<3>;")
    for target in ("gfx942", "gfx1100"):
        values = floats(7)
        wide = values.astype(np.float64).reshape(2, LANES)
        expected = (wide + wide[:, np.arange(LANES) ^ 16]).astype(np.float32).reshape(64)
        ptxlift.run(lift(text, target), "k", (1, 1, 1), (64, 1, 1), [values])
        assert (values.view(np.uint32) == expected.view(np.uint32)).all()


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_redux_with_missing_lanes(target: str) -> None:
    """All lanes at once only where all are there."""
    lifted = lift(reduction("k", "redux.sync.add.s32 %r2, %r1, -1;"), target)
    for threads in (64, 45):
        values = np.random.default_rng(8).integers(0, 1 << 32, threads, dtype=np.uint32)
        sums = [
            values[i & -LANES : (i & -LANES) + LANES].sum(dtype=np.uint32) for i in range(threads)
        ]
        ptxlift.run(lifted, "k", (1, 1, 1), (threads, 1, 1), [values])
        assert (values == np.array(sums)).all()


def test_a_load_is_not_done_by_lanes_that_are_away() -> None:
    """Relays run in all lanes; what feeds them must not: lanes past the block have no address."""
    shuffles = [Shuffle("bfly", 5, 32), Shuffle("bfly", 6, 32)]
    lifted = lift(kernel("k", shuffles), "gfx942")
    assert "s_or_saveexec_b64" in lifted.asm
    check(lifted, "k", shuffles, 9)


BY_LANE = {
    "rotated": ("add.u32 %r3, %r5, 1; and.b32 %r3, %r3, 31;", lambda lane: (lane + 1) % LANES),
    "reversed": ("sub.u32 %r3, 31, %r5;", lambda lane: LANES - 1 - lane),
    "crossed": ("xor.b32 %r3, %r5, 21;", lambda lane: lane ^ 21),
}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1250"])
@pytest.mark.parametrize("number", ["mov.u32 %r5, %laneid;", "mov.u32 %r5, %tid.x;"])
def test_sources_that_follow_from_the_lane(target: str, number: str) -> None:
    """idx by a function of the lane's number is as good as by a constant."""
    shuffle = "shfl.sync.idx.b32 %r2, %r1, %r3, 31, -1;"
    bodies = {name: f"{number} {steps} {shuffle}" for name, (steps, _) in BY_LANE.items()}
    kernels = (reduction(name, body, ".reqntid 64") for name, body in bodies.items())
    lifted = lift("".join(kernels), target)
    assert "ds_bpermute" not in lifted.asm
    for name, (_, source) in BY_LANE.items():
        values = np.random.default_rng(9).integers(0, 1 << 32, 64, dtype=np.uint32)
        expected = [values[i & -LANES | source(i % LANES)] for i in range(64)]
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [values])
        assert (values == np.array(expected)).all(), name


def test_threads_of_unknown_blocks_are_not_lanes() -> None:
    """A near miss: in a block of 8 x 4 threads %tid.x is not the lane."""
    body = "mov.u32 %r5, %tid.x; sub.u32 %r3, 31, %r5; shfl.sync.idx.b32 %r2, %r1, %r3, 31, -1;"
    assert "ds_bpermute" in lift(reduction("k", body), "gfx1100").asm


def test_whole_warps_reduce_without_a_look() -> None:
    body = reduction("k", "redux.sync.max.s32 %r2, %r1, -1;", ".reqntid 64")
    lifted = lift(body, "gfx1100")
    assert "ds_" not in lifted.asm
    assert "s_cbranch" not in lifted.asm
    values = np.random.default_rng(10).integers(0, 1 << 32, 64, dtype=np.uint32)
    expected = values.view(np.int32).reshape(2, LANES).max(axis=1).repeat(LANES)
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values.view(np.int32) == expected).all()


SCANS = {
    "add.s32": np.add,
    "or.b32": np.bitwise_or,
    "xor.b32": np.bitwise_xor,
    "and.b32": np.bitwise_and,
    "max.u32": np.maximum,
    "max.s32": np.maximum,
    "min.u32": np.minimum,
    "min.s32": np.minimum,
}


@pytest.mark.parametrize("target", ["gfx90a", "gfx950", "gfx1030", "gfx1201"])
def test_integer_scans(target: str) -> None:
    distances = {32: (1, 2, 4, 8, 16), 16: (1, 2, 4, 8)}
    names = {f"k{i}_{w}": (op, w) for i, op in enumerate(SCANS) for w in distances}
    text = "".join(
        reduction(name, integer_scan(op, distances[w], w)) for name, (op, w) in names.items()
    )
    lifted = lift(NONE + text, target)
    for name, (operation, width) in names.items():
        for threads in (64, 45):
            values = np.random.default_rng(11).integers(0, 1 << 32, threads, dtype=np.uint32)
            typed = values.view(np.int32) if operation in ("min.s32", "max.s32") else values
            segments = [typed[at : at + width] for at in range(0, threads, width)]
            parts = [SCANS[operation].accumulate(each, dtype=typed.dtype) for each in segments]
            ptxlift.run(lifted, name, (1, 1, 1), (threads, 1, 1), [values])
            assert (values == np.concatenate(parts).view(np.uint32)).all(), (name, threads)
        assert added(lifted, name)[1] == 0
        inverted = operation == "and.b32" and target == "gfx950"  # before and after, for or
        assert added(lifted, name)[0] + 1 <= (4 if width == 16 else 6) + 2 * inverted, operation


def test_scans_in_another_order_stay_shuffles() -> None:
    """A near miss: steps by 2, 1 are not a scan."""
    lifted = lift(reduction("k", integer_scan("add.s32", (2, 1, 4, 8, 16))), "gfx1100")
    values = np.arange(64, dtype=np.uint32)
    expected = scanned(values.astype(np.float64), (2, 1, 4, 8, 16), 32)
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values == expected).all()


LOOP = """mov.u32 %r5, {start};
LOOP: mov.b32 %r3, %f1; shfl.sync.{mode}.b32 %r4|%p2, %r3, %r5, {clamp}, -1; mov.b32 %f2, %r4;
{guard} add.f32 %f1, %f1, %f2;
{next} %r5, %r5, 1; setp.{go_on}.u32 %p1, %r5, {end}; @%p1 bra LOOP; mov.b32 %r2, %f1;
"""


@pytest.mark.parametrize(("target", "crossbar"), [("gfx942", 1), ("gfx950", 0), ("gfx1030", 0)])
def test_rolled_loops_over_distances(target: str, crossbar: int) -> None:
    """Once LLVM has unrolled the loop its distances are constants."""
    down = LOOP.format(start=16, mode="bfly", clamp=31, guard="", next="shr.u32", go_on="ne", end=0)
    up = LOOP.format(start=1, mode="up", clamp=0, guard="@%p2", next="shl.b32", go_on="lt", end=32)
    lifted = lift(NONE + reduction("sum", down) + reduction("scan", up), target)
    assert "ds_bpermute" not in lifted.asm
    assert added(lifted, "sum")[1] == crossbar
    values = floats(12)
    expected = values.reshape(2, LANES)
    for distance in (16, 8, 4, 2, 1):
        expected = expected + expected[:, np.arange(LANES) ^ distance]
    out = values.copy()
    ptxlift.run(lifted, "sum", (1, 1, 1), (64, 1, 1), [out])
    assert (out.view(np.uint32) == expected.reshape(64).view(np.uint32)).all()
    out = values.copy()
    ptxlift.run(lifted, "scan", (1, 1, 1), (64, 1, 1), [out])
    assert (out.view(np.uint32) == scanned(values, (1, 2, 4, 8, 16), 32).view(np.uint32)).all()


def test_a_loop_over_unknown_distances() -> None:
    """A near miss: the first distance comes from memory."""
    body = LOOP.format(start="%ctaid.x", mode="bfly", clamp=31, guard="", next="shr.u32",
                       go_on="ne", end=0)  # fmt: skip
    body = body.replace("mov.u32 %r5, %ctaid.x;", "ld.global.u32 %r5, [%d0+256];")
    lifted = lift(reduction("k", body), "gfx1100")
    assert lifted.asm.count("ds_bpermute") >= 1
    values = np.concatenate([floats(13), np.array([8], np.uint32).view(np.float32)])
    expected = values[:64].reshape(2, LANES)
    for distance in (8, 4, 2, 1):
        expected = expected + expected[:, np.arange(LANES) ^ distance]
    ptxlift.run(lifted, "k", (1, 1, 1), (64, 1, 1), [values])
    assert (values[:64].view(np.uint32) == expected.reshape(64).view(np.uint32)).all()


@pytest.mark.parametrize("version", [17, 19])
def test_fragments_for_older_llvm(version: int) -> None:
    """Before LLVM 19 these intrinsics had no type in their names; gfx950 came with LLVM 20."""
    shuffle = 'call i32 asm "shfl.sync.{}.b32 $0, $1, {}, 31, 0xffffffff;", "=r,r"(i32 %{})'
    module = f"""target triple = "amdgcn-amd-amdhsa"
define i32 @f(i32 %a) {{
  %b = {shuffle.format("bfly", 16, "a")}
  %c = {shuffle.format("idx", 5, "b")}
  ret i32 %c
}}
"""
    made = ptxlift.lift_inline_asm(module, "gfx1100", llvm_version=version)
    for name in ("permlanex16", "readlane"):
        assert (f"@llvm.amdgcn.{name}.i32(" in made) == (version >= 19)
        assert (f"@llvm.amdgcn.{name}(" in made) == (version < 19)
    with pytest.raises(ptxlift.PtxError, match=r"permlane16\.swap"):
        ptxlift.lift_inline_asm(module, "gfx950", llvm_version=version)


@pytest.mark.parametrize(("target", "wave"), [("gfx90a", None), ("gfx950", None), ("gfx1100", 64)])
def test_one_warp_of_a_wave(target: str, wave: int | None) -> None:
    """Two warps share a wave; only the first, or only the second, reduces and scans."""
    texts = []
    for name, compare in (("first", "ge"), ("second", "lt")):
        skip = f"mov.b32 %r2, %r1; setp.{compare}.u32 %p4, %r0, 32; @%p4 bra DONE;"
        total = integer_steps("add.s32", (16, 8, 4, 2, 1)) + "mov.b32 %r6, %r2;"
        total = total.replace("%r1, %r1, %r3", "%r7, %r7, %r3").replace("%r3, %r1,", "%r3, %r7,")
        total = "mov.b32 %r7, %r1;" + total.replace("mov.b32 %r2, %r1;", "mov.b32 %r2, %r7;")
        steps = skip + total + integer_scan("add.s32", (1, 2, 4, 8, 16)) + "xor.b32 %r2, %r2, %r6;"
        texts.append(reduction(name, steps + "DONE:"))
    lifted = lift("".join(texts), target, wave)
    assert "ds_" not in lifted.asm
    for at, name in enumerate(("first", "second")):
        values = np.random.default_rng(14).integers(0, 1 << 32, 64, dtype=np.uint32)
        expected = values.copy()
        mine = slice(LANES * at, LANES * (at + 1))
        sums = np.add.accumulate(values[mine], dtype=np.uint32)
        expected[mine] = sums ^ sums[-1]
        ptxlift.run(lifted, name, (1, 1, 1), (64, 1, 1), [values])
        assert (values == expected).all(), name
