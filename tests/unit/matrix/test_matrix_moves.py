"""ldmatrix, stmatrix and movmatrix against the manual's figures, lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, SAMPLED, TARGETS, Array, run, vector

EVERYWHERE = (INTERPRETER, *TARGETS, *SAMPLED)
SHARED_BYTES = 8192
PITCH = 48  # bytes between rows that follow each other, so that they are not dense


def row_addresses(count: int, rng: np.random.Generator) -> Array:
    """For each lane the address of a row of its own; lanes that need none point outside."""
    rows = rng.permutation(SHARED_BYTES // PITCH - 1)[:LANES] * PITCH
    rows[np.arange(LANES) % 32 >= 8 * count] = 1 << 20
    return rows.astype(np.uint32).reshape(LANES, 1)


def element(lane: int, half: int, transposed: bool) -> tuple[int, int]:
    """Row and column of one of a lane's two elements, as the manual's figures show them."""
    outer, inner = lane // 4, 2 * (lane % 4) + half
    return (inner, outer) if transposed else (outer, inner)


FILL = """
.shared .align 16 .b8 buffer[8192];
"""
COPY_IN = """
shl.b32 %r0, %lane, 7;
mov.u32 %r1, buffer;
add.u32 %r1, %r1, %r0;
""" + "".join(f"st.shared.b32 [%r1+{4 * i}], %m{i};\n" for i in range(32))
COPY_OUT = "bar.sync 0;\n" + "".join(f"ld.shared.b32 %n{i}, [%r1+{4 * i}];\n" for i in range(32))


def place(generic: bool) -> str:
    """Makes the address in %rd0 or %r2 from a lane's row; gives the operand."""
    if not generic:
        return "mov.u32 %r2, buffer;\nadd.u32 %r2, %r2, %a0;\n"
    lines = ("mov.u64 %rd0, buffer;", "cvta.shared.u64 %rd0, %rd0;", "cvt.u64.u32 %rd1, %a0;")
    return "\n".join(lines) + "\nadd.u64 %rd0, %rd0, %rd1;\n"


@pytest.mark.sampled(18)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count: int, transposed: bool, generic: bool, target: str) -> None:
    if target in SAMPLED and count == 2:
        pytest.skip("x1 and x4 are enough here")
    rng = np.random.default_rng(count)
    memory = rng.integers(0, 1 << 32, (LANES, 32), dtype=np.uint32)
    addresses = row_addresses(count, rng)
    words = ".trans" if transposed else ""
    space, address = ("", "%rd0") if generic else (".shared", "%r2")
    body = (
        f"{COPY_IN}bar.sync 0;\n{place(generic)}"
        f"ldmatrix.sync.aligned.m8n8.x{count}{words}{space}.b16 {vector('d', count)}, [{address}];"
    )
    inputs = {"a": addresses, "m": memory}
    got = run(body, inputs, {"d": (count, 32)}, target, FILL)["d"]
    halves = memory.reshape(-1).view(np.uint16)
    for lane in range(LANES):
        base = lane // 32 * 32
        for matrix in range(count):
            for half in (0, 1):
                row, column = element(lane % 32, half, transposed)
                address_of_row = int(addresses[base + 8 * matrix + row, 0])
                expected = halves[address_of_row // 2 + column]
                assert got[lane, matrix] >> (16 * half) & 0xFFFF == expected


@pytest.mark.sampled(10)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix(count: int, transposed: bool, target: str) -> None:
    rng = np.random.default_rng(count)
    memory = rng.integers(0, 1 << 32, (LANES, 32), dtype=np.uint32)
    addresses = row_addresses(count, rng)
    values = rng.integers(0, 1 << 32, (LANES, count), dtype=np.uint32)
    words = ".trans" if transposed else ""
    body = (
        f"{COPY_IN}bar.sync 0;\n{place(False)}"
        f"stmatrix.sync.aligned.m8n8.x{count}{words}.shared.b16 [%r2], {vector('v', count)};\n"
        f"{COPY_OUT}"
    )
    inputs = {"a": addresses, "m": memory, "v": values}
    got = run(body, inputs, {"n": (32, 32)}, target, FILL)["n"]
    expected = memory.reshape(-1).view(np.uint16).copy()
    for lane in range(LANES):
        base = lane // 32 * 32
        for matrix in range(count):
            for half in (0, 1):
                row, column = element(lane % 32, half, transposed)
                address_of_row = int(addresses[base + 8 * matrix + row, 0])
                part = values[lane, matrix] >> (16 * half) & 0xFFFF
                expected[address_of_row // 2 + column] = part
    assert np.array_equal(got.reshape(-1).view(np.uint16), expected)


@pytest.mark.parametrize("target", EVERYWHERE)
def test_movmatrix(target: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1 << 32, (LANES, 1), dtype=np.uint32)
    body = "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;"
    got = run(body, {"a": values}, {"d": (1, 32)}, target)["d"]
    before = values.view(np.uint16).reshape(-1, 8, 8)
    after = got.view(np.uint16).reshape(-1, 8, 8)
    assert np.array_equal(after, before.swapaxes(1, 2))
