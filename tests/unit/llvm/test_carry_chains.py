"""Sums with carry whose operands are sums: LLVM's backend once merged them and lost a carry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from run_ir import run_ops

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

EDGES = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
Numbers = Any  # object arrays of Python integers


def _sum_body(builder: Builder, values: list[Value]) -> list[Value]:
    x, y, a, b = values
    _, carry = builder.add_carry(a, b, builder.const(1, 0))
    result, out = builder.add_carry(builder.add(x, y), builder.const(x.width, 0), carry)
    return [result, builder.zext(out, x.width)]


def _difference_body(builder: Builder, values: list[Value]) -> list[Value]:
    x, y, a, b = values
    _, borrow = builder.sub_borrow(a, b, builder.const(1, 0))
    result, out = builder.sub_borrow(builder.sub(x, y), builder.const(x.width, 0), borrow)
    return [result, builder.zext(out, x.width)]


def _operands(width: int) -> list[Numbers]:
    rng = np.random.default_rng(5)
    stretched = [e << (width - 32) | (e & 1) * ((1 << (width - 32)) - 1) for e in EDGES]
    dtype = np.uint32 if width == 32 else np.uint64
    return [rng.choice(np.array(stretched, dtype), 512) for _ in range(4)]


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_a_sum_plus_a_carry(target: str, width: int) -> None:
    operands = _operands(width)
    x, y, a, b = (operand.astype(object) for operand in operands)
    limit = 1 << width
    bodies = {
        "sum": (_sum_body, (width,) * 4, (width,) * 2),
        "difference": (_difference_body, (width,) * 4, (width,) * 2),
    }
    found = run_ops(bodies, dict.fromkeys(bodies, operands), target)
    total = (x + y) % limit + (a + b >= limit)
    left = (x - y) % limit - (a < b)
    for name, exact in (("sum", total), ("difference", left)):
        result, out = (array.astype(object) for array in found[name])
        assert (result == exact % limit).all()
        assert (out == (exact != exact % limit)).all()
