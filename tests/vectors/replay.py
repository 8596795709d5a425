"""Runs one instruction's semantics over the numpy algebra for all its vectors at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from vector_file import Section, kernel, width

from ptxlift import ptx
from ptxlift.interp.lanes import Lanes, dtype_of, width_of
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.isa import OperandKind, Role
from ptxlift.semantics.registry import extra_arguments, lookup

_OF_ONE_WIDTH = ("add", "sub", "mul", "and_", "or_", "xor", "umin", "umax", "smin", "smax")


class StrictAlgebra(NumpyAlgebra):
    """Numpy widens where operands differ; the IR refuses, and so does this."""

    def __getattribute__(self, name: str) -> Any:  # Any: methods of every signature
        method = super().__getattribute__(name)
        if name not in _OF_ONE_WIDTH:
            return method

        def checked(a: Lanes, b: Lanes) -> Lanes:
            assert width_of(a) == width_of(b), f"{name} of {width_of(a)} and {width_of(b)} bits"
            result: Lanes = method(a, b)
            return result

        return checked


def instruction(section: Section) -> ptx.Inst:
    """The section's instruction, parsed and checked with the first vector's constants."""
    inputs = section.vectors[0].inputs
    text = kernel(section, [inputs], version="9.0", target="sm_120a")
    body = ptx.parse_module(text, section.opcode).functions["k"].body or ()
    opcode = section.opcode.split(".")[0]
    found = [s for s in body if isinstance(s, ptx.Inst) and s.form.row.opcode == opcode]
    # What feeds the operands comes before, what stores the results does not share the opcode.
    return found[-1]


def evaluate(section: Section, algebra: NumpyAlgebra) -> list[Lanes]:
    """One array a result, one lane a vector."""
    inst = instruction(section)
    meaning = lookup(inst.form.name)
    assert meaning is not None, f"no semantics for {section.opcode}"
    specs = [spec for spec in inst.form.operands if spec.role is Role.SOURCE]
    columns = list(zip(*(vector.inputs for vector in section.vectors), strict=True))
    sources: list[Lanes | int] = []
    for spec, operand, column in zip(specs, section.signature.sources, columns, strict=True):
        if spec.kind is OperandKind.CONSTANT:
            sources.append(column[0])
        else:
            sources.append(np.array(column, np.uint64).astype(dtype_of(width(operand))))
    with np.errstate(all="ignore"):
        results = meaning(algebra, inst.form, *sources, **extra_arguments(inst.form, inst.operands))
    return list(results) if isinstance(results, tuple) else [results]
