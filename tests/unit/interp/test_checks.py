"""The checks that find what a program leaves to chance: unwritten registers, and races."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift
from ptxlift import PtxError
from ptxlift.diag import Diagnostic

HEAD = """.version 8.3
.target sm_90
.address_size 64
.visible .global .u32 counter;
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p<4>;
.shared .align 4 .b8 s[1024];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1;
mad.wide.u32 %d2, %r0, 4, %d0; mad.wide.u32 %d3, %r0, 4, %d1;
"""
BARRIER = "bar.sync 0;"


def findings(body: str, checks: str, *, grid: int = 1, block: int = 128) -> list[Diagnostic]:
    """What the checks tell of a kernel `k(in, out)`."""
    data, out = np.arange(256, dtype=np.uint32), np.zeros(256, np.uint32)
    try:
        ptxlift.run(
            HEAD + body + "\n}\n",
            "k",
            grid,
            block,
            [data, out],
            device="interpreter",
            checks=checks,
        )
    except PtxError as error:
        return list(error.diagnostics)
    return []


def reduction(between: str) -> str:
    """A sum over 128 threads by halving, with something between the rounds."""
    rounds = []
    for distance in (64, 32, 16, 8, 4, 2, 1):
        rounds.append(
            f"setp.lt.u32 %p0, %r0, {distance};\n@%p0 ld.shared.u32 %r2, [%r1];\n"
            f"@%p0 ld.shared.u32 %r3, [%r1+{4 * distance}];\n@%p0 add.u32 %r2, %r2, %r3;\n"
            f"@%p0 st.shared.u32 [%r1], %r2;\n{between}\n"
        )
    return (
        f"ld.global.u32 %r2, [%d2];\nst.shared.u32 [%r1], %r2;\n{between}\n{''.join(rounds)}"
        "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%d1], %r2;"
    )


def histogram(count: str, *, clear: str = BARRIER, read: str = BARRIER) -> str:
    """Counts what `in` holds, four bins, in shared memory."""
    return (
        "setp.lt.u32 %p0, %r0, 4; mov.u32 %r4, 0;\n@%p0 st.shared.u32 [%r1], %r4;\n" + clear +
        "\nld.global.u32 %r2, [%d2]; and.b32 %r2, %r2, 3; mov.u32 %r3, s;"
        "mad.lo.u32 %r3, %r2, 4, %r3;\n" + count + "\n" + read +
        "\n@%p0 ld.shared.u32 %r5, [%r1];\n@%p0 st.global.u32 [%d3], %r5;"
    )  # fmt: skip


ATOMIC = "red.shared.add.u32 [%r3], 1;"
PLAIN = "ld.shared.u32 %r6, [%r3]; add.u32 %r6, %r6, 1; st.shared.u32 [%r3], %r6;"
# One block's sum by way of memory: data, fence, ticket; who draws the last one reads the data.
TICKET = """
mov.u32 %r5, %ctaid.x; mad.wide.u32 %d4, %r5, 4, %d1; setp.ne.u32 %p0, %r0, 0;
@%p0 bra AFTER;
st.global.u32 [%d4], %r5;
FENCE
atom.global.add.u32 %r6, [counter], 1;
setp.ne.u32 %p1, %r6, 3;
@%p1 bra AFTER;
ld.global.u32 %r7, [%d1]; ld.global.u32 %r8, [%d1+4]; ld.global.u32 %r9, [%d1+8];
AFTER:
"""
# Thread 0 hands a word to thread 96 by a flag.
HANDOVER = """
mov.u32 %r2, 7; mov.u32 %r3, 1; setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 96;
@!%p0 bra OTHER;
st.shared.u32 [s], %r2;
SET
OTHER:
@!%p1 bra DONE;
SPIN: GET setp.eq.u32 %p2, %r4, 0; @%p2 bra SPIN;
ld.shared.u32 %r5, [s];
DONE:
"""
RELEASE = "st.release.cta.shared.u32 [s+4], %r3;"
ACQUIRE = "ld.acquire.cta.shared.u32 %r4, [s+4];"


def handover(set_: str, get: str) -> str:
    clear = "mov.u32 %r9, 0; setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [s+4], %r9; bar.sync 0;"
    return clear + HANDOVER.replace("SET", set_).replace("GET", get)


# Thread 0 initialises, all arrive, and wait by test_wait: what each wrote is there for all.
MEETING = """
setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [s+512], 128; bar.sync 0;
st.shared.u32 [%r1], %r0;
ARRIVE
SPIN: mbarrier.test_wait.shared.b64 %p1, [s+512], %d5; @!%p1 bra SPIN;
mov.u32 %r2, s; ld.shared.u32 %r3, [%r2];
"""


def meeting(arrive: str) -> str:
    return MEETING.replace("ARRIVE", f"mbarrier.arrive{arrive}.shared.b64 %d5, [s+512];")


CLEAN = {
    "reduction": reduction(BARRIER),
    "an arrival releases unless it says otherwise": meeting(""),
    "histogram": histogram(ATOMIC),
    "each its own element": "ld.global.u32 %r2, [%d2]; st.global.u32 [%d3], %r2;",
    "everyone reads": "ld.global.u32 %r2, [%d0];",
    "a warp meets": "and.b32 %r5, %r0, 96; setp.ne.u32 %p0, %r5, 0; @%p0 exit; "
    "st.shared.u32 [%r1], %r0; bar.warp.sync -1; xor.b32 %r2, %r0, 1; shl.b32 %r2, %r2, 2; "
    "mov.u32 %r3, s; add.u32 %r2, %r2, %r3; ld.shared.u32 %r4, [%r2];",
    "ticket": TICKET.replace("FENCE", "membar.gl;"),
    "handover": handover(RELEASE, ACQUIRE),
    "handover by fences": handover(
        "membar.cta; st.volatile.shared.u32 [s+4], %r3;", "ld.volatile.shared.u32 %r4, [s+4];"
    ),
    "vectors side by side": "mad.wide.u32 %d4, %r0, 8, %d1; setp.lt.u32 %p0, %r0, 64; "
    "mov.u32 %r2, 0; @%p0 st.global.v2.u32 [%d4], {%r0, %r2};",
}  # fmt: skip
RACY = {
    "reduction": reduction(""),
    "a relaxed arrival": meeting(".relaxed.cta"),
    "reduction whose warps do not meet": reduction("bar.warp.sync -1;"),
    "histogram without atomics": histogram(PLAIN),
    "histogram, clearing": histogram(ATOMIC, clear=""),
    "histogram, reading": histogram(ATOMIC, read=""),
    "all write one word": "st.global.u32 [%d1], %r0;",
    "a byte of another's word": "mad.wide.u32 %d4, %r0, 1, %d1; st.global.u8 [%d4+1], %r0;\n"
    "setp.eq.u32 %p0, %r0, 0; mov.u32 %r2, 5; @%p0 st.global.u32 [%d1], %r2;",
    "ticket without a fence": TICKET.replace("FENCE", ""),
    "handover without release": handover(RELEASE.replace("release", "relaxed"), ACQUIRE),
    "through a generic address": "cvta.shared.u64 %d4, s; st.u32 [%d4], %r0;",
    "of a copy": "mov.u32 %r2, s; cp.async.ca.shared.global [%r2], [%d2], 4;",
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_ordered_accesses_give_nothing(name: str) -> None:
    grid = 4 if "ticket" in name else 1
    assert findings(CLEAN[name], "races,uninitialised", grid=grid) == []


@pytest.mark.parametrize("name", RACY)
def test_races_are_found(name: str) -> None:
    found = findings(RACY[name], "races", grid=4 if "ticket" in name else 1)
    assert found
    assert {diagnostic.code for diagnostic in found} == {"PTX409"}


def test_a_race_names_both_threads_and_both_lines() -> None:
    body = "st.shared.u32 [%r1], %r0;\nxor.b32 %r2, %r1, 256;\nld.shared.u32 %r3, [%r2];"
    first, *_ = findings(body, "races", block=128)
    line = HEAD.count("\n") + 1
    assert f"wrote in line {line}" in first.message
    assert "thread (64, 0, 0) of block (0, 0, 0)" in first.message
    assert first.span is not None
    assert first.span.line == line + 2
    assert "ld.shared.u32 %r3, [%r2];\n" + " " * 5 + " | ^^^" in first.render()


def test_blocks_are_not_ordered_by_their_barriers() -> None:
    body = "setp.eq.u32 %p0, %r0, 0; bar.sync 0;\n@%p0 st.global.u32 [%d1], %r0;\nbar.sync 0;"
    assert findings(body, "races", grid=1) == []
    assert findings(body, "races", grid=2)
    assert findings(body, "races", grid=600, block=64)  # more than run together


def test_launches_are_ordered() -> None:
    program = ptxlift.load(
        HEAD + "st.global.u32 [%d3], %r0;\n}\n", device="interpreter", checks=["races"]
    )
    arrays = [np.zeros(256, np.uint32), np.zeros(256, np.uint32)]
    for _ in range(2):
        program.launch("k", 1, 128, arrays)


UNWRITTEN = {
    "%r9": "add.u32 %r2, %r9, 1;",
    "%r8": "setp.lt.u32 %p0, %r0, 5; @%p0 mov.u32 %r8, 1;\nst.global.u32 [%d3], %r8;",
    "%p3": "@%p3 mov.u32 %r2, 1;",
    "%d9": "ld.global.u32 %r2, [%d9+8];",
    "v.y": ".reg .v2 .u32 v; mov.u32 v.x, 1;\nst.global.v2.u32 [%d1], v;",
    "%r7": "vote.sync.ballot.b32 %r2, %p0, %r7;",
    "%r6": "mov.b64 %d5, {%r0, %r6};",
}


@pytest.mark.parametrize("name", UNWRITTEN)
def test_a_read_before_any_write_is_found(name: str) -> None:
    found = findings(UNWRITTEN[name], "uninitialised", block=8)
    told = [d for d in found if d.code == "PTX408" and f"'{name}'" in d.message]
    assert told
    assert told[0].span is not None


def test_the_first_thread_that_did_not_write_is_named() -> None:
    (found,) = findings(UNWRITTEN["%r8"], "uninitialised", block=8)
    assert "thread (5, 0, 0)" in found.message


def test_registers_of_a_function_are_unwritten_at_each_call() -> None:
    before, after = HEAD.split(".visible .entry")
    function = (
        ".func (.reg .u32 result) f(.reg .u32 a)\n{\n.reg .u32 x; .reg .pred p;\n"
        "setp.eq.u32 p, a, 1;\n@p mov.u32 x, 3;\nmov.u32 result, x;\nret;\n}\n"
    )
    calls = "call (%r2), f, (1); call (%r3), f, (2); st.global.u32 [%d3], %r2; }"
    text = f"{before}{function}.visible .entry{after}{calls}"
    arrays = [np.zeros(256, np.uint32), np.zeros(256, np.uint32)]
    with pytest.raises(PtxError) as caught:
        ptxlift.run(text, "k", 1, 32, arrays, device="interpreter", checks=["uninitialised"])
    assert ["'x'" in d.message for d in caught.value.diagnostics] == [True]


def test_nothing_is_told_unasked() -> None:
    assert findings(RACY["reduction"], "") == []
    assert findings(UNWRITTEN["%r9"], "races") == []


@pytest.mark.parametrize(
    ("device", "name"), [("interpreter", "hazards"), ("emulator", "races"), ("interpreter", "r")]
)
def test_a_check_of_another_device_is_refused(device: str, name: str) -> None:
    with pytest.raises(PtxError, match="PTX307"):
        ptxlift.load(HEAD + "}\n", device=device, checks=[name])
