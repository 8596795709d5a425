"""Calling an operation on lists of Python integers, the way every test here does.

Comes in: a mnemonic and one list of bit patterns a source. Goes out: a list of patterns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ptxlift.emulator.valu import Ctx, dtype_of, lookup


def run(name: str, ctx: Ctx, *columns: list[int], **keywords: Any) -> list[int]:
    op = lookup(name)
    assert op is not None, name
    kinds = (*op.srcs, *op.dst[: op.flags.reads_dst])
    arrays = [np.array(c, dtype_of(k)) for c, k in zip(columns, kinds, strict=True)]
    with np.errstate(all="ignore"):
        result = op.fn(ctx, *arrays, **keywords)
    assert result.dtype == dtype_of(op.dst[0])
    return [int(v) for v in result]
