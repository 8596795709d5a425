"""Functions that NVIDIA's device runtime provides: printf, malloc, free, assertions.

Comes in: arguments, one lane a thread. Goes out: a result, text in the state's output, or a trap.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

from ptxlift.interp.control import Trap
from ptxlift.interp.formatting import format_text
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.memory import LOCAL_WINDOW, Fault
from ptxlift.interp.state import Selection, State

Extern = Callable[[State, Selection, "list[Lanes]"], "Lanes | None"]


def _bytes(state: State, slot: int, address: int, count: int) -> bytes:
    """Bytes that one thread sees at a generic address."""
    if LOCAL_WINDOW <= address < LOCAL_WINDOW + state.local_region.size:
        start = slot * state.local_region.stride + address - LOCAL_WINDOW
        return bytes(state.local_region.data()[start : start + count])
    return state.memory.read_bytes(address, count)


def _text(state: State, slot: int, address: int) -> bytes:
    """A string up to its zero byte."""
    region = state.memory.at(address)
    if region is None:
        raise Fault(0, f"no string at 0x{address:x}")
    limit = region.base + region.size - address
    return _bytes(state, slot, address, min(limit, 1 << 16)).split(b"\0")[0]


def _printf(state: State, lanes: Selection, values: list[Lanes]) -> Lanes:
    """vprintf(format, arguments): arguments lie in a buffer by their natural alignment."""
    formats, buffers = values
    slots = state.slots[lanes]
    counts = np.zeros(len(slots), np.uint32)
    for position, slot in enumerate(slots):
        template = _text(state, int(slot), int(formats[position]))
        address = int(buffers[position])

        def fetch(
            offset: int, code: str, slot: int = int(slot), address: int = address
        ) -> int | float | bytes:
            size = struct.calcsize(code)
            raw = _bytes(state, slot, address + offset, size)
            number: int | float = struct.unpack("<" + code, raw)[0]
            return number

        def string(address: int, slot: int = int(slot)) -> bytes:
            return _text(state, slot, address)

        state.output.append(format_text(template, fetch, string))
        counts[position] = template.replace(b"%%", b"").count(b"%")
    return counts


def _assert_fail(state: State, lanes: Selection, values: list[Lanes]) -> Lanes:
    """__assertfail(message, file, line, function, size of a character)."""
    slot = int(state.slots[lanes][0])
    addresses = [int(values[place][0]) for place in (0, 1, 3)]
    message, file, function = (
        _text(state, slot, address).decode(errors="replace") for address in addresses
    )
    raise Trap(f"{file}:{int(values[2][0])}: {function}: Assertion `{message}` failed")


def _malloc(state: State, lanes: Selection, values: list[Lanes]) -> Lanes:
    addresses = np.zeros(len(state.slots[lanes]), np.uint64)
    for position, size in enumerate(np.broadcast_to(values[0], addresses.shape)):
        data = np.zeros(int(size), np.uint8)
        addresses[position] = state.memory.map(data, "allocation").base
    return addresses


def _free(state: State, lanes: Selection, values: list[Lanes]) -> None:
    for position, address in enumerate(values[0]):
        region = state.memory.at(int(address))
        if int(address) == 0:
            continue
        if region is None or region.what != "allocation" or region.base != int(address):
            raise Fault(position, f"free of 0x{int(address):x}, which malloc did not give")
        state.memory.remove(region)


EXTERNS: dict[str, Extern] = {
    "vprintf": _printf,
    "__assertfail": _assert_fail,
    "malloc": _malloc,
    "free": _free,
}
