"""Launch arguments become the bytes of a kernel's parameter block.

Comes in: the kernel's parameters and what the caller passed. Goes out: the block. Arrays, textures
and surfaces become addresses by a function the device gives; this module must know no device.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.driver.kernels import Param
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.images import Image, Sampler

Argument: TypeAlias = Array | Buffer | Image | Sampler | np.generic | int | float | bool | bytes
Addressed: TypeAlias = Array | Image | Sampler


def check_array(array: object) -> None:
    """Raises `PtxError` PTX401 for what cannot be device memory."""
    if not isinstance(array, np.ndarray):
        raise PtxError.of("PTX401", f"device memory is made of numpy arrays, not of {array!r:.40}")
    if array.dtype.hasobject:
        raise PtxError.of("PTX401", f"an array of {array.dtype} holds Python objects, not data")


def parameter_block(
    kernel: str,
    params: Sequence[Param],
    arguments: Sequence[Argument],
    address_of: Callable[[Addressed], int],
) -> bytes:
    """The bytes the kernel reads its parameters from.

    Raises `PtxError` PTX401 for a wrong number of arguments, or one that does not fit its
    parameter.
    """
    if len(arguments) != len(params):
        names = ", ".join(param.name for param in params) or "none"
        raise PtxError.of(
            "PTX401",
            f"kernel {kernel} takes {len(params)} arguments, not {len(arguments)}",
            hint=f"its parameters: {names}",
        )
    block = bytearray(max((p.offset + p.size for p in params), default=0))
    for param, argument in zip(params, arguments, strict=True):
        data = _bytes_of(kernel, param, argument, address_of)
        block[param.offset : param.offset + param.size] = data
    return bytes(block)


def _bytes_of(
    kernel: str, param: Param, argument: Argument, address_of: Callable[[Addressed], int]
) -> bytes:
    match argument:
        case np.ndarray():
            check_array(argument)
            data = struct.pack("<Q", address_of(argument))
        case Image() | Sampler():
            data = struct.pack("<Q", address_of(argument))
        case Buffer():
            data = struct.pack("<Q", (argument.address + argument.offset) % (1 << 64))
        case bytes():
            data = argument
        case np.generic():
            data = argument.tobytes()
        case bool() | int():
            data = _integer(kernel, param, int(argument))
        case float():
            data = _float(kernel, param, argument)
        case _:
            raise _misfit(kernel, param, f"a {type(argument).__name__}")
    if len(data) != param.size:
        raise _misfit(kernel, param, f"{len(data)} bytes ({type(argument).__name__})")
    return data


def _integer(kernel: str, param: Param, value: int) -> bytes:
    bits = 8 * param.size
    if param.type.startswith("f"):
        return _float(kernel, param, value)
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise _misfit(kernel, param, f"{value}")
    return (value & ((1 << bits) - 1)).to_bytes(param.size, "little")


def _float(kernel: str, param: Param, value: float) -> bytes:
    codes = {2: "<e", 4: "<f", 8: "<d"}
    if param.size not in codes or param.type.startswith(("u", "s")):
        raise _misfit(kernel, param, f"the float {value}")
    try:
        return struct.pack(codes[param.size], float(value))
    except OverflowError:
        raise _misfit(kernel, param, f"{value}, which is out of range") from None


def _misfit(kernel: str, param: Param, what: str) -> PtxError:
    wanted = f"{param.size} bytes of .{param.type}"
    return PtxError.of(
        "PTX401",
        f"argument {param.name} of kernel {kernel} is {wanted}; got {what}",
        hint="pass a numpy scalar of that size, an array for a pointer, or bytes for a struct",
    )
