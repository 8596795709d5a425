"""ldmatrix and stmatrix of bytes and narrower elements, element by element.

Where a lane's elements come from is told by the copy traits of NVIDIA's CUTLASS for the same
instructions, and for four bits by its shift of what was loaded to the middle of the byte.
"""

from __future__ import annotations

import numpy as np
import pytest
from matrix_kernels import HEAD, INTERPRETER, LANES, SAMPLED, TARGETS, Array, run, vector
from test_matrix_moves import COPY_IN, COPY_OUT, FILL, PITCH, SHARED_BYTES, place

EVERYWHERE = (INTERPRETER, *TARGETS, *SAMPLED[:1])
BLACKWELL = HEAD.replace("sm_120a", "sm_100a")
BITS = {"b8": 8, "b8x16.b6x16_p32": 6, "b8x16.b4x16_p64": 4}
# Shape, number, type, and whether it is transposed; not every shape has every type.
LOADS = [
    *[("m16n16", number, kind, True) for number in (1, 2) for kind in BITS],
    *[("m8n16", number, kind, False) for number in (1, 4) for kind in list(BITS)[1:]],
]


def addresses_of(rows: int, rng: np.random.Generator) -> Array:
    """For each lane that needs one the address of a row; the others' point outside."""
    found = rng.permutation(SHARED_BYTES // PITCH - 1)[:LANES] * PITCH
    found[np.arange(LANES) % 32 >= rows] = 1 << 20
    return found.astype(np.uint32).reshape(LANES, 1)


def element(memory: Array, address: int, column: int, bits: int) -> int:
    """An element of a row that begins at an address."""
    row = int.from_bytes(memory.tobytes()[address : address + 16], "little")
    return row >> bits * column & (1 << bits) - 1


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize(("shape", "number", "kind", "transposed"), LOADS)
def test_loads(shape: str, number: int, kind: str, transposed: bool, target: str) -> None:
    rng = np.random.default_rng(number)
    memory = rng.integers(0, 1 << 32, (LANES, 32), dtype=np.uint32)
    rows = 16 if shape == "m16n16" else 8
    addresses = addresses_of(rows * number, rng)
    count = number * (2 if shape == "m16n16" else 1)
    words = ".trans" if transposed else ""
    body = (
        f"{COPY_IN}bar.sync 0;\n{place(False)}"
        f"ldmatrix.sync.aligned.{shape}.x{number}{words}.shared.{kind}"
        f" {vector('d', count)}, [%r2];"
    )
    inputs = {"a": addresses, "m": memory}
    got = run(body, inputs, {"d": (count, 32)}, target, FILL, BLACKWELL)["d"]
    for lane in range(LANES):
        base, a, b = lane // 32 * 32, lane % 4, lane % 32 // 4
        for register in range(count):
            for byte in range(4):
                if transposed:
                    row = 16 * (register // 2) + 4 * a + byte
                    column = b + 8 * (register % 2)
                else:
                    row, column = 8 * register + b, 4 * a + byte
                expected = element(memory, int(addresses[base + row, 0]), column, BITS[kind])
                assert got[lane, register] >> 8 * byte & 255 == expected


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("number", [1, 2, 4])
def test_stores(number: int, target: str) -> None:
    rng = np.random.default_rng(number)
    memory = rng.integers(0, 1 << 32, (LANES, 32), dtype=np.uint32)
    addresses = addresses_of(8 * number, rng)
    values = rng.integers(0, 1 << 32, (LANES, number), dtype=np.uint32)
    body = (
        f"{COPY_IN}bar.sync 0;\n{place(False)}"
        f"stmatrix.sync.aligned.m16n8.x{number}.trans.shared.b8 [%r2], {vector('v', number)};\n"
        f"{COPY_OUT}"
    )
    inputs = {"a": addresses, "m": memory, "v": values}
    got = run(body, inputs, {"n": (32, 32)}, target, FILL, BLACKWELL)["n"]
    expected = memory.reshape(-1).view(np.uint8).copy()
    for lane in range(LANES):
        base, a, b = lane // 32 * 32, lane % 4, lane % 32 // 4
        for register in range(number):
            for byte in range(4):
                address = int(addresses[base + 8 * register + 2 * a + byte % 2, 0])
                part = values[lane, register] >> 8 * byte & 255
                expected[address + b + 8 * (byte // 2)] = part
    assert np.array_equal(got.reshape(-1).view(np.uint8), expected)
