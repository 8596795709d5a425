"""Kernels that apply one PTX instruction to arrays, on the emulator of one chip.

Comes in: instructions and operands. Goes out: results. The kernels of a target are one module.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import ptxlift
from ptxlift import emulator
from ptxlift.ir.attributes import Format
from ptxlift.link import listing
from tests.numerics.exact import Bits

BLOCK = 256
_TYPES = {Format.F16: "b16", Format.BF16: "b16", Format.F32: "f32", Format.F64: "f64"}


@dataclass(frozen=True, slots=True)
class Instruction:
    """`text`: opcode with its modifiers; as many operands as `inputs`."""

    text: str
    fmt: Format
    inputs: int = 1


def _kernel(name: str, instruction: Instruction) -> str:
    kind, size = _TYPES[instruction.fmt], instruction.fmt.bits // 8
    count = instruction.inputs
    params = ", ".join(f".param .u64 p{i}" for i in range(count + 1))
    lines = [f".visible .entry {name}({params}) {{"]
    lines.append(f".reg .b32 %r<4>; .reg .b64 %a<{count + 2}>; .reg .{kind} %x<{count + 1}>;")
    lines.append("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;")
    lines.append(f"mad.lo.u32 %r1, %r1, %r3, %r2; mul.wide.u32 %a{count + 1}, %r1, {size};")
    for i in range(count + 1):
        lines.append(f"ld.param.u64 %a{i}, [p{i}]; add.u64 %a{i}, %a{i}, %a{count + 1};")
    lines += [f"ld.global.{kind} %x{i}, [%a{i}];" for i in range(count)]
    operands = ", ".join(f"%x{i}" for i in (count, *range(count)))
    lines.append(f"{instruction.text} {operands};")
    lines.append(f"st.global.{kind} [%a{count}], %x{count}; ret; }}")
    return "\n".join(lines)


def load(text: str, target: str) -> emulator.Image:
    """A module, translated for a chip."""
    lifted = ptxlift.lift(text, target=target)
    code = listing([lifted.object])
    return emulator.load_code_object(lifted.code_object, code, target)


def apply(
    image: emulator.Image,
    kernel: str,
    operands: Sequence[Bits],
    approx: emulator.Approx,
    seed: int = 0,
) -> Bits:
    """Results of a kernel that takes arrays and a result's address, one thread an element; the
    number of elements is a multiple of BLOCK.
    """
    memory = emulator.Memory()
    result = np.zeros_like(operands[0])
    addresses = [memory.alloc(array) for array in (*operands, result)]
    packed = struct.pack(f"<{len(addresses)}Q", *addresses)
    grid = (len(result) // BLOCK, 1, 1)
    options = emulator.Options(approx=approx, seed=seed, detailed=False, waves_per_batch=1024)
    emulator.launch(image, memory, kernel, grid, (BLOCK, 1, 1), packed, options=options)
    return result


class Device:
    """Instructions by kernel name, compiled for a chip."""

    def __init__(self, instructions: Mapping[str, Instruction], target: str) -> None:
        self.target = target
        head = ".version 8.6\n.target sm_90\n.address_size 64\n"
        # One module a kernel: each gets the denormal mode that its own instruction asks for.
        self._images = {
            name: load(head + _kernel(name, instruction), target)
            for name, instruction in instructions.items()
        }

    def run(self, name: str, operands: Sequence[Bits], approx: emulator.Approx, seed: int) -> Bits:
        """The instruction's results."""
        return apply(self._images[name], name, operands, approx, seed)
