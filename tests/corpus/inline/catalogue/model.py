"""What one entry of the catalogue says: the statement, its operands, what must come out.

An operand's kind decides its register, its LLVM type and the data it gets. The expected results are
written by hand or with numpy, never taken from the translator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

THREADS = 64  # of the one block that every entry runs with
Array = NDArray[Any]
Expect = Callable[..., Any]


@dataclass(frozen=True)
class Kind:
    """One kind of operand. `letter`: the constraint's; `type`: LLVM's; `dtype`: numpy's."""

    letter: str
    type: str
    dtype: str


KINDS = {
    "u16": Kind("h", "i16", "<u2"),
    "s16": Kind("h", "i16", "<i2"),
    "f16": Kind("h", "half", "<f2"),
    "bf16": Kind("h", "bfloat", "<u2"),
    "u32": Kind("r", "i32", "<u4"),
    "s32": Kind("r", "i32", "<i4"),
    "b16x2": Kind("r", "<2 x i16>", "<u4"),
    "f16x2": Kind("r", "<2 x half>", "<u4"),
    "u64": Kind("l", "i64", "<u8"),
    "s64": Kind("l", "i64", "<i8"),
    "f32": Kind("f", "float", "<f4"),
    "f64": Kind("d", "double", "<f8"),
    "global": Kind("l", "ptr addrspace(1)", "<u8"),  # 16 bytes of the entry's buffer a thread
    "generic": Kind("l", "ptr", "<u8"),  # the same as a generic address
    "shared": Kind("r", "i32", "<u4"),  # 16 bytes of shared memory a thread
}
MEMORY = ("global", "generic", "shared")


@dataclass(frozen=True)
class Entry:
    """One statement.

    template: CUDA's form. operands: "=u32" (written), "+u32" (read and written), "u32" (read), or
    an int or text, a constant. expect: takes the inputs by thread, gives the outputs (a tuple if
    several); with `buffer` it takes and gives the buffer last, 4 words a thread. check: in place
    of `expect` where no value is known: takes inputs, then outputs. volatile, clobbers: as
    written. data: inputs in place of the usual, by the operand's number. reference: stands in the
    reference kernel instead, where new PTX has another form of the statement.
    """

    name: str
    template: str
    operands: tuple[str | int, ...]
    expect: Expect | None = None
    check: Callable[..., bool] | None = None
    volatile: bool = False
    clobbers: tuple[str, ...] = ()
    buffer: bool = False
    reference: str = ""
    data: dict[int, Sequence[Any] | Array] = field(default_factory=dict)
    exact: bool = True  # bits must be equal; else to within what PTX allows for approximations


def kind_of(operand: str | int) -> Kind | None:
    """The kind of an operand; None for constants."""
    return KINDS[operand.lstrip("=+")] if isinstance(operand, str) and is_value(operand) else None


def is_value(operand: str | int) -> bool:
    """Whether an operand is a register."""
    return isinstance(operand, str) and operand.lstrip("=+") in KINDS


_SPECIAL_32 = (0, 1, 2, 3, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FF00FF, 0x12345678)
_SPECIAL_FLOAT = (0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 0.1, 1e-3, 1e4, -65504.0, 3.0, 0.5)


def data_for(entry: Entry, number: int) -> Array:
    """Deterministic inputs of one operand: edge cases first, then random ones."""
    operand = entry.operands[number]
    assert isinstance(operand, str), "constants have no data"
    dtype = np.dtype(KINDS[operand.lstrip("+")].dtype)
    if number in entry.data:
        given = np.asarray(entry.data[number])
        return np.resize(given.astype(dtype) if given.dtype != dtype else given, THREADS)
    seed = [ord(c) for c in entry.name] + [number]
    random = np.random.default_rng(seed)
    if dtype.kind == "f":
        values = random.normal(0, 8, THREADS).astype(dtype)
        edges = np.asarray(_SPECIAL_FLOAT).astype(dtype)
    else:
        values = np.frombuffer(random.bytes(THREADS * dtype.itemsize), dtype).copy()
        edges = np.asarray(_SPECIAL_32, np.uint64).astype(f"u{dtype.itemsize}").view(dtype)
    values[: len(edges)] = random.permutation(edges)
    return values
