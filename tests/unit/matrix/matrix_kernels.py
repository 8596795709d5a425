"""Runs one matrix instruction by two warps, everywhere.

Comes in: PTX text over registers that each lane loads, and what it loads. Goes out: the registers
that each lane stored. Arrays are (warps * 32, registers), of 32 or 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ptxlift

Array = NDArray[Any]  # Any: registers of two widths

INTERPRETER = "interpreter"
TARGETS = ("gfx942", "gfx1100")
SAMPLED = ("gfx90a", "gfx950", "gfx1030", "gfx1201")
WARPS = 2
LANES = 32 * WARPS


def _moves(kind: str, names: list[str], array: int, width: int) -> str:
    """Loads or stores of all registers of one operand."""
    lines = [f"mad.wide.u32 %at, %lane, {len(names) * width // 8}, %p{array};"]
    for index, name in enumerate(names):
        place = f"[%at+{index * width // 8}]"
        pair = f"{name}, {place}" if kind == "ld" else f"{place}, {name}"
        lines.append(f"{kind}.global.b{width} {pair};")
    return "\n".join(lines)


def _name(letter: str, index: int) -> str:
    return f"%{letter}{index}"


def kernel(
    body: str, widths: dict[str, tuple[int, int]], inputs: str, outputs: str, head: str, before: str
) -> str:
    """A kernel `k`. `widths`: for each operand's letter its registers and their width."""
    letters = inputs + outputs
    params = ", ".join(f".param .u64 q{i}" for i in range(len(letters)))
    lines = [head, before, f".visible .entry k({params}) .reqntid {LANES}", "{"]
    lines.append(".reg .b32 %lane, %r<32>; .reg .b64 %at, %rd<4>, %p<8>; .reg .pred %t<4>;")
    for letter in letters:
        count, width = widths[letter]
        lines.append(f".reg .b{width} %{letter}<{count}>;")
    lines.append("mov.u32 %lane, %tid.x;")
    for index in range(len(letters)):
        lines.append(f"ld.param.u64 %p{index}, [q{index}];")
        lines.append(f"cvta.to.global.u64 %p{index}, %p{index};")
    for index, letter in enumerate(inputs):
        count, width = widths[letter]
        lines.append(_moves("ld", [_name(letter, i) for i in range(count)], index, width))
    lines.append(body)
    for index, letter in enumerate(outputs, len(inputs)):
        count, width = widths[letter]
        lines.append(_moves("st", [_name(letter, i) for i in range(count)], index, width))
    return "\n".join([*lines, "ret;", "}"])


HEAD = ".version 8.8\n.target sm_120a\n.address_size 64"


def vector(letter: str, count: int) -> str:
    """`{%a0, %a1}`."""
    return "{" + ", ".join(_name(letter, i) for i in range(count)) + "}"


def run(
    body: str,
    inputs: dict[str, Array],
    outputs: dict[str, tuple[int, int]],
    target: str,
    before: str = "",
    head: str = HEAD,
    matrix: str = "generic",
    listing: list[str] | None = None,
) -> dict[str, Array]:
    """Runs the body with every lane's registers; gives the registers it left. `listing` gets the
    assembly.
    """
    widths = {letter: (a.shape[1], a.dtype.itemsize * 8) for letter, a in inputs.items()} | outputs
    text = kernel(body, widths, "".join(inputs), "".join(outputs), head, before)
    results = {
        letter: np.zeros((LANES, count), np.uint32 if width == 32 else np.uint64)
        for letter, (count, width) in outputs.items()
    }
    arrays = [np.ascontiguousarray(a) for a in inputs.values()]
    if target == INTERPRETER:
        return dict(zip(results, told(text, arrays, list(results.values())), strict=True))
    asm = launch(text, [*arrays, *results.values()], target, matrix)
    if listing is not None:
        listing.append(asm)
    return results


_TOLD: dict[tuple[str, bytes], list[Array]] = {}


def told(text: str, inputs: list[Array], results: list[Array]) -> list[Array]:
    """What the interpreter makes of a kernel's results; once for the same kernel and inputs."""
    key = text, b"".join(np.ascontiguousarray(array).tobytes() for array in (*inputs, *results))
    found = _TOLD.get(key)
    if found is None:
        found = _TOLD[key] = [array.copy() for array in results]
        launch(text, [*(array.copy() for array in inputs), *found], INTERPRETER, "generic")
    return found


def launch(text: str, arrays: list[Array], target: str, matrix: str) -> str:
    """Runs the kernel `k` of a text in one block of two warps; gives the assembly."""
    block = (LANES, 1, 1)
    if target == INTERPRETER:
        ptxlift.run(text, "k", (1, 1, 1), block, arrays, device=INTERPRETER)
        return ""
    lifted = ptxlift.lift(text, target=target, options=ptxlift.Options(matrix=matrix))
    ptxlift.run(lifted, "k", (1, 1, 1), block, arrays)
    return lifted.asm
