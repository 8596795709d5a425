"""Every warp operation in blocks of every shape: interpreter, emulator and numpy agree.

Blocks that do not fill their last warp, blocks of three dimensions, masks that name a part of the
warp, lanes that have ended; warps side by side in a wave of 64 or one in each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlift

Words = NDArray[np.uint32]
Shape = tuple[int, int, int]
FULL, NAN = 0xFFFFFFFF, 0x7FFFFFFF
STORES = 30
PTX = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
mad.lo.u32 %r1, %r3, %r5, %r2 ; mov.u32 %r7, %tid.x; mad.lo.u32 %r1, %r1, %r4, %r7;
mul.lo.u32 %r8, %r4, %r5; mul.lo.u32 %r8, %r8, %r6; mov.u32 %r9, %ctaid.x;
mad.lo.u32 %r10, %r9, %r8, %r1; mul.wide.u32 %rd2, %r10, 120; add.u64 %rd1, %rd1, %rd2;
BODY
ret;
}
"""
SOME_LANES = "mul.lo.u32 %r11, %r1, 7; rem.u32 %r11, %r11, 5; setp.lt.u32 %p1, %r11, 3;"


class Warps:
    """Numpy's side: thread numbers, and what exchanges among the lanes of each warp give."""

    def __init__(self, threads: int) -> None:
        self.thread = np.arange(threads)
        self.lane, self.warp = self.thread % 32, self.thread // 32
        self.count = -(-threads // 32)

    def of_members(
        self, values: NDArray[np.int64], member: NDArray[np.bool_], function: Callable[..., int]
    ) -> NDArray[np.int64]:
        """For each thread, what a function makes of the values of its warp's members."""
        made = np.zeros(self.count, np.int64)
        for warp in range(self.count):
            here = member & (self.warp == warp)
            if here.any():
                made[warp] = function(values[here])
        return made[self.warp]

    def bits(self, member: NDArray[np.bool_]) -> NDArray[np.int64]:
        return self.of_members(1 << self.lane, member, np.sum)

    def same(self, values: NDArray[np.int64], member: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The members with the thread's own value."""
        words = [self.bits(member & (values == value)) for value in range(values.max() + 1)]
        return np.array([words[v][i] for i, v in enumerate(values)])

    def first(self, member: NDArray[np.bool_]) -> NDArray[np.int64]:
        return self.of_members(self.lane, member, np.min)


Expected = Callable[[Warps], NDArray[np.int64]]


def everyone(w: Warps) -> NDArray[np.bool_]:
    return w.thread >= 0


def some(w: Warps) -> NDArray[np.bool_]:
    return w.thread * 7 % 5 < 3


def low(w: Warps) -> NDArray[np.bool_]:
    return w.lane < 16


def stayed(w: Warps) -> NDArray[np.bool_]:
    return w.thread % 11 != 10


def odd(w: Warps) -> NDArray[np.bool_]:
    return w.thread % 2 == 1


def below_or_self(w: Warps) -> NDArray[np.int64]:
    return np.where(w.lane >= 1, w.thread - 1, w.thread)


def third_set(w: Warps) -> NDArray[np.int64]:
    """The third odd lane from lane 0, where there is one."""
    odds = w.of_members(w.lane, odd(w), len)
    return np.where(odds >= 3, 5, FULL)


def floats(w: Warps) -> NDArray[np.float32]:
    values = (w.thread * 37 % 101 - 50).astype(np.float32)
    values[w.thread % 13 == 5] = np.nan
    return values


def least_float(w: Warps) -> NDArray[np.int64]:
    least = np.zeros(w.count, np.float32)
    for warp in range(w.count):
        least[warp] = np.fmin.reduce(floats(w)[some(w) & (w.warp == warp)], initial=np.inf)
    return least.view(np.uint32).astype(np.int64)[w.warp]


# what is there, what each of them stores, numpy's value
PARTS: list[tuple[str, Callable[[Warps], NDArray[np.bool_]], list[tuple[str, Expected]]]] = [
    (
        "",
        everyone,
        [
            ("mov.u32 %r20, %laneid;", lambda w: w.lane),
            ("mov.u32 %r20, %warpid;", lambda w: w.warp),
            ("mov.u32 %r20, %nwarpid;", lambda w: w.lane * 0 + w.count),
            ("mov.u32 %r20, %lanemask_lt;", lambda w: (1 << w.lane) - 1),
            ("mov.u32 %r20, %lanemask_ge;", lambda w: FULL << w.lane & FULL),
            ("activemask.b32 %r20;", lambda w: w.bits(everyone(w))),
            (
                """and.b32 %r12, %r1, 1; setp.eq.u32 %p2, %r12, 1;
                vote.sync.ballot.b32 %r20, %p2, -1; mov.u32 %r13, %r20;""",
                lambda w: w.bits(odd(w)),
            ),
            ("fns.b32 %r20, %r13, 0, 3;", third_set),
            (
                "vote.sync.any.pred %p3, %p2, 0xffffff00; selp.u32 %r20, 1, 0, %p3;",
                lambda w: w.of_members(w.thread, odd(w) & (w.lane >= 8), len) > 0,
            ),
            (
                "rem.u32 %r14, %r1, 3; match.any.sync.b32 %r20, %r14, -1;",
                lambda w: w.same(w.thread % 3, everyone(w)),
            ),
            (
                """mov.u32 %r15, %warpid; match.all.sync.b32 %r16|%p3, %r15, -1;
                selp.u32 %r20, %r16, 0, %p3; activemask.b32 %r16; and.b32 %r20, %r20, %r16;""",
                lambda w: w.bits(everyone(w)),
            ),
            (
                "redux.sync.add.u32 %r20, %r1, -1;",
                lambda w: w.of_members(w.thread, everyone(w), np.sum),
            ),
            (
                "sub.s32 %r16, 5, %r1; redux.sync.min.s32 %r20, %r16, -1;",
                lambda w: w.of_members(5 - w.thread, everyone(w), np.min) & FULL,
            ),
            (
                "elect.sync %r16|%p3, -1; selp.u32 %r20, 1, 0, %p3;",
                lambda w: w.lane == 0,
            ),
            ("shfl.sync.up.b32 %r20, %r1, 1, 0, -1;", below_or_self),
            ("shfl.sync.idx.b32 %r20, %r1, 0, 31, -1;", lambda w: w.thread - w.lane),
            (
                "shfl.sync.bfly.b32 %r20|%p3, %r1, 5, 0x1c03, -1; selp.u32 %r20, 1, 0, %p3;",
                lambda w: (w.lane ^ 5) <= (w.lane & 28 | 3),
            ),
        ],
    ),
    (
        f"{SOME_LANES} vote.sync.ballot.b32 %r30, %p1, -1; @!%p1 bra NEXT;",
        some,
        [
            ("activemask.b32 %r20;", lambda w: w.bits(some(w))),
            (
                "redux.sync.add.u32 %r20, %r1, %r30;",
                lambda w: w.of_members(w.thread, some(w), np.sum),
            ),
            (
                "vote.sync.ballot.b32 %r20, %p2, %r30;",
                lambda w: w.bits(some(w) & odd(w)),
            ),
            (
                "match.any.sync.b32 %r20, %r14, %r30;",
                lambda w: w.same(w.thread % 3, some(w)),
            ),
            ("elect.sync %r20|%p3, %r30;", lambda w: w.first(some(w))),
            (
                """brev.b32 %r16, %r30; bfind.shiftamt.u32 %r16, %r16;
                shfl.sync.idx.b32 %r20, %r1, %r16, 31, %r30;""",
                lambda w: w.thread - w.lane + w.first(some(w)),
            ),
            (
                """mul.lo.u32 %r16, %r1, 37; rem.u32 %r16, %r16, 101; sub.s32 %r16, %r16, 50;
                cvt.rn.f32.s32 %f1, %r16; rem.u32 %r17, %r1, 13; setp.eq.u32 %p3, %r17, 5;
                selp.f32 %f1, 0f7FC00001, %f1, %p3; redux.sync.min.f32 %f2, %f1, %r30;
                mov.b32 %r20, %f2;""",
                least_float,
            ),
            (
                "redux.sync.max.abs.NaN.f32 %f2, %f1, %r30; mov.b32 %r20, %f2;",
                lambda w: greatest_or_nan(w),
            ),
        ],
    ),
    (
        "setp.lt.u32 %p1, %r1, 0; mov.u32 %r16, %laneid; setp.ge.u32 %p1, %r16, 16; @%p1 bra NEXT;",
        low,
        [
            (
                "bar.warp.sync 0xffff; redux.sync.max.u32 %r20, %r1, 0xffff;",
                lambda w: w.of_members(w.thread, low(w), np.max),
            ),
        ],
    ),
    (
        "rem.u32 %r16, %r1, 11; setp.eq.u32 %p1, %r16, 10; @%p1 ret;",
        stayed,
        [
            ("activemask.b32 %r20;", lambda w: w.bits(stayed(w))),
            (
                "redux.sync.xor.b32 %r20, %r1, -1;",
                lambda w: w.of_members(w.thread, stayed(w), np.bitwise_xor.reduce),
            ),
            (
                "bar.red.popc.u32 %r20, 0, %p2;",
                lambda w: w.lane * 0 + int((odd(w) & stayed(w)).sum()),
            ),
            (
                "bar.red.and.pred %p3, 0, %p2; selp.u32 %r20, 1, 0, %p3;",
                lambda w: w.lane * 0 + bool(odd(w)[stayed(w)].all()),
            ),
        ],
    ),
]


def greatest_or_nan(w: Warps) -> NDArray[np.int64]:
    made = np.zeros(w.count, np.uint32)
    for warp in range(w.count):
        greatest = np.abs(floats(w)[some(w) & (w.warp == warp)]).max(initial=0)
        made[warp] = NAN if np.isnan(greatest) else greatest.view(np.uint32)
    return made.astype(np.int64)[w.warp]


def text() -> str:
    lines, place = [], 0
    for number, (head, _, stores) in enumerate(PARTS):
        lines.append(head.replace("NEXT", f"N{number}"))
        for ptx, _ in stores:
            lines.append(f"{ptx} st.global.u32 [%rd1+{4 * place}], %r20;")
            place += 1
        lines.append(f"N{number}:")
    assert place == STORES
    return PTX.replace("BODY", "\n".join(lines))


def expected(threads: int) -> Words:
    warps, columns = Warps(threads), []
    for _, there, stores in PARTS:
        member = there(warps)
        columns += [np.where(member, value(warps), 0) for _, value in stores]
    block = np.stack(columns, axis=1).astype(np.uint32)
    return np.concatenate([block, block])


SHAPES: list[Shape] = [(33, 1, 1), (64, 1, 1), (96, 1, 1), (1000, 1, 1), (8, 4, 3), (5, 7, 3)]
SPLIT = {"warp_mapping": "split"}
WAYS: list[tuple[str, dict[str, object]]] = [
    ("gfx942", {}),
    ("gfx942", SPLIT),
    ("gfx1100", {}),
    ("gfx90a", {}),
    ("gfx950", SPLIT),
    ("gfx1030", {}),
    ("gfx1201", {}),
    ("gfx1250", {}),
    ("gfx1100", {"wave_size": 64}),
]
QUICK = [(shape, WAYS[i]) for i in range(3) for shape in SHAPES]
QUICK += [(shape, WAYS[3 + i]) for i, shape in enumerate(SHAPES)]
ALL = [(shape, way) for shape in SHAPES for way in WAYS if (shape, way) not in QUICK]


def check(shape: Shape, target: str, options: dict[str, object]) -> None:
    threads = shape[0] * shape[1] * shape[2]
    out = np.zeros((2 * threads, STORES), np.uint32)
    if target == "interpreter":
        ptxlift.run(text(), "k", 2, shape, [out], device=target)
    else:
        lifted = ptxlift.lift(text(), target=target, options=ptxlift.Options(**options))
        assert lifted.kernels["k"].warp_mapping == options.get("warp_mapping", "packed")
        if threads > 512 and options == SPLIT:
            with pytest.raises(ptxlift.PtxError, match="at most 512 threads"):
                ptxlift.run(lifted, "k", 2, shape, [out])
            return
        ptxlift.run(lifted, "k", 2, shape, [out])
    wrong = np.argwhere(out != expected(threads))
    assert not len(wrong), f"thread, store: {wrong[:5].tolist()}"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_interpreter(shape: Shape) -> None:
    check(shape, "interpreter", {})


@pytest.mark.parametrize(("shape", "way"), QUICK, ids=str)
def test_emulator(shape: Shape, way: tuple[str, dict[str, object]]) -> None:
    check(shape, *way)


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize(("shape", "way"), ALL, ids=str)
def test_emulator_everywhere(shape: Shape, way: tuple[str, dict[str, object]]) -> None:
    check(shape, *way)
