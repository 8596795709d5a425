"""Warp operations, checked lane by lane against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from launching import Array, launch, own_element, zeros


def shuffled(mode: str, distance: int, control: int) -> tuple[Array, Array]:
    values, inside = zeros(32), zeros(32)
    body = (
        f"add.u32 %r1, %r0, 100; shfl.sync.{mode}.b32 %r2|%p1, %r1, {distance}, {control}, -1;\n"
        "selp.u32 %r3, 1, 0, %p1;\n"
        + own_element(0, 31)
        + own_element(1, 30)
        + "st.global.u32 [%d31], %r2; st.global.u32 [%d30], %r3;"
    )
    launch(body, values, inside)
    return values, inside


def expected_source(mode: str, lane: int, distance: int, control: int) -> tuple[int, bool]:
    """The manual's pseudo code of shfl.sync."""
    b, c = distance & 0x1F, control & 0x1F
    segment = control >> 8 & 0x1F
    most = (lane & segment) | (c & ~segment)
    least = lane & segment
    if mode == "up":
        j = lane - b
        return (j, True) if j >= most else (lane, False)
    if mode == "down":
        j = lane + b
    elif mode == "bfly":
        j = lane ^ b
    else:
        j = least | (b & ~segment)
    return (j, True) if j <= most else (lane, False)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("distance", [0, 1, 3, 16, 31, 33])
@pytest.mark.parametrize("control", [0x1F, 0, 0x181F, 0x1C07, 0x1C03, 0x0F0F])
def test_shuffle(mode: str, distance: int, control: int) -> None:
    values, inside = shuffled(mode, distance, control)
    for lane in range(32):
        source, within = expected_source(mode, lane, distance, control)
        assert inside[lane] == within
        assert values[lane] == source + 100


def test_votes_and_ballot() -> None:
    out = zeros(4 * 32)
    body = (
        "setp.lt.u32 %p1, %r0, 5;\n"
        "vote.sync.all.pred %p2, %p1, 0xffffffff; vote.sync.any.pred %p3, %p1, 0xffffffff;\n"
        "vote.sync.uni.pred %p4, %p1, 0xffffffff;\n"
        "vote.sync.ballot.b32 %r4, !%p1, 0xffffffff;\n"
        "selp.u32 %r1, 1, 0, %p2; selp.u32 %r2, 1, 0, %p3; selp.u32 %r3, 1, 0, %p4;\n"
        + own_element()
        + "st.global.u32 [%d31], %r1; st.global.u32 [%d31+128], %r2;\n"
        "st.global.u32 [%d31+256], %r3; st.global.u32 [%d31+384], %r4;"
    )
    launch(body, out)
    assert out.reshape(4, 32)[:, 0].tolist() == [0, 1, 0, 0xFFFFFFE0]


def test_match_any_and_its_mask_as_member_mask() -> None:
    """Groups of equal values reduce among themselves."""
    groups, sums = zeros(32), zeros(32)
    body = (
        "rem.u32 %r1, %r0, 3; match.any.sync.b32 %r2, %r1, 0xffffffff;\n"
        "redux.sync.add.u32 %r3, %r0, %r2;\n"
        + own_element(0, 31)
        + own_element(1, 30)
        + "st.global.u32 [%d31], %r2; st.global.u32 [%d30], %r3;"
    )
    launch(body, groups, sums)
    for lane in range(32):
        mine = [other for other in range(32) if other % 3 == lane % 3]
        assert groups[lane] == sum(1 << other for other in mine)
        assert sums[lane] == sum(mine)


def test_match_all() -> None:
    out = zeros(64)
    body = (
        "shr.u32 %r1, %r0, 5; match.all.sync.b32 %r2|%p1, %r1, 0xffffffff;\n"
        "match.all.sync.b32 %r3|%p2, %r0, 0xffffffff;\n"
        "selp.u32 %r2, %r2, 1, %p1; @%p2 mov.u32 %r3, 7; add.u32 %r2, %r2, %r3;\n"
        + own_element()
        + "st.global.u32 [%d31], %r2;"
    )
    launch(body, out, block=64)
    assert out.tolist() == [0xFFFFFFFF] * 64


@pytest.mark.parametrize(
    ("operation", "kind", "want"),
    [
        ("min", "s32", -16),
        ("max", "s32", 15),
        ("min", "u32", 0),
        ("max", "u32", 0xFFFFFFFF),
        ("add", "s32", -16),
        ("and", "b32", 0),
        ("or", "b32", 0xFFFFFFFF),
        ("xor", "b32", 0),
    ],
)
def test_redux(operation: str, kind: str, want: int) -> None:
    out = zeros(32)
    body = (
        f"sub.s32 %r1, %r0, 16; redux.sync.{operation}.{kind} %r2, %r1, 0xffffffff;\n"
        + own_element()
        + "st.global.u32 [%d31], %r2;"
    )
    launch(body, out)
    assert out.tolist() == [want & 0xFFFFFFFF] * 32


def test_elect_and_activemask() -> None:
    out = zeros(64)
    body = (
        "setp.lt.u32 %p1, %r0, 6; @%p1 bra OUT;\n"
        "activemask.b32 %r1; elect.sync %r2|%p2, 0xffffffc0; selp.u32 %r3, %r2, 99, %p2;\n"
        + own_element()
        + "st.global.u32 [%d31], %r1; st.global.u32 [%d31+128], %r3;\nOUT: ret;"
    )
    launch(body, out)
    assert out[6:32].tolist() == [0xFFFFFFC0] * 26
    assert out[32 + 6 :].tolist() == [6] + [99] * 25


def test_lane_follows_the_linear_thread_number() -> None:
    out = zeros(32)
    launch("mov.u32 %r1, %laneid;\n" + own_element() + "st.global.u32 [%d31], %r1;", out)
    np.testing.assert_array_equal(out, np.arange(32))
