"""Kernels of one texture or surface instruction, one thread a place, and what they give.

Operands are one array each; a kernel loads its thread's elements, runs the instruction and stores
what it wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ptxlift
from ptxlift.runtime.arguments import Argument

CHIPS = ("gfx942",)
PLACES = ("interpreter", *CHIPS)
Array = NDArray[Any]

_KERNEL = """
.version 8.1
.target sm_90{mode}
.address_size 64
{variables}
.visible .entry k({parameters})
{{
  .reg .f32 %f<32>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .b64 %t<4>;
  .reg .b16 %h<8>;
  .reg .pred %p<4>;
  mov.u32 %r0, %tid.x;
{body}
  ret;
}}
"""
_LOADS = {"f": "f32", "r": "b32", "rd": "b64", "h": "b16"}


def kernel(
    instruction: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    handles: int = 1,
    variables: str = "",
    mode: str = "",
) -> str:
    """PTX of `k(handles..., inputs..., outputs...)`. Handles are `%t0` and so on; inputs and
    outputs are named by their registers, such as `%f1`."""
    places = [*inputs, *outputs]
    names = [f"t{i}" for i in range(handles)] + [f"p{i}" for i in range(len(places))]
    body = [f"  ld.param.u64 %t{i}, [t{i}];" for i in range(handles)]
    for number, register in enumerate(places):
        kind = _LOADS[register.strip("%0123456789")]
        size = int(kind[1:]) // 8
        body += [
            f"  ld.param.u64 %rd{20 + number}, [p{number}];",
            f"  mad.wide.u32 %rd{20 + number}, %r0, {size}, %rd{20 + number};",
        ]
        if number < len(inputs):
            body.append(f"  ld.global.{kind} {register}, [%rd{20 + number}];")
    body.append(f"  {instruction}")
    for number, register in enumerate(outputs, len(inputs)):
        kind = _LOADS[register.strip("%0123456789")]
        body.append(f"  st.global.{kind} [%rd{20 + number}], {register};")
    parameters = ", ".join(f".param .u64 {name}" for name in names)
    return _KERNEL.format(
        parameters=parameters, body="\n".join(body), variables=variables, mode=mode
    )


def load(text: str, place: str) -> ptxlift.Program:
    """The kernel on the interpreter or the emulator of a chip."""
    if place == "interpreter":
        return ptxlift.load(text, "interpreter")
    return ptxlift.load(text, "emulator", target=place)


def results(
    text: str,
    place: str,
    handles: Sequence[Argument],
    inputs: Sequence[Array],
    outputs: Sequence[type],
) -> list[Array]:
    """What the threads of one block stored."""
    count = len(inputs[0])
    found = [np.zeros(count, dtype) for dtype in outputs]
    load(text, place).launch("k", 1, count, [*handles, *inputs, *found])
    return found
