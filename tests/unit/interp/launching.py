"""Runs small kernels in the interpreter."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from ptxlift import interp, ptx

Array = npt.NDArray[Any]  # Any: tests pass arrays of several dtypes

HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n"


def launch(
    body: str,
    *arrays: Array,
    block: int = 32,
    grid: int = 1,
    shared: int = 0,
    max_steps: int | None = 100_000,
    before: str = "",
) -> str:
    """Runs `body` as a kernel whose parameters p0, p1, ... are the arrays' addresses.

    Registers: %r %d %f %p %h; %d0, %d1, ... hold the addresses, %r0 is the thread's number.
    """
    params = ", ".join(f".param .u64 p{i}" for i in range(len(arrays)))
    loads = "".join(f"ld.param.u64 %d{i}, [p{i}];\n" for i in range(len(arrays)))
    text = (
        f"{HEAD}{before}\n.visible .entry k({params})\n{{\n"
        ".reg .b32 %r<64>; .reg .b64 %d<32>; .reg .f32 %f<16>; .reg .pred %p<16>;"
        f" .reg .b16 %h<8>;\n{loads}mov.u32 %r0, %tid.x;\n{body}\n}}\n"
    )
    machine = interp.Machine(ptx.parse_module(text, "test.ptx"))
    arguments = b"".join(struct.pack("<Q", machine.alloc(array)) for array in arrays)
    return machine.launch(
        "k", (grid, 1, 1), (block, 1, 1), arguments, shared=shared, max_steps=max_steps
    )


def own_element(base: int = 0, target: int = 31, size: int = 4, index: str = "%r0") -> str:
    """Sets %d`target` to the address of this thread's element of array `base`."""
    return f"mad.wide.u32 %d{target}, {index}, {size}, %d{base};\n"


def zeros(count: int, dtype: type = np.uint32) -> Array:
    return np.zeros(count, dtype)
