"""Instruction rows: mixed precision floating point.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Row
from ptxlift.isa.sets import F16_BF16, ROUND

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("add_mixed", "add{.rnd}{.sat}.type.atype d, a, c",  "d:>type a:atype c:type",         {"rnd": ROUND, "type": ("f32",), "atype": F16_BF16}, "8.6 sm_100"),
    Row("sub_mixed", "sub{.rnd}{.sat}.type.atype d, a, c",  "d:>type a:atype c:type",         {"rnd": ROUND, "type": ("f32",), "atype": F16_BF16}, "8.6 sm_100"),
    Row("fma_mixed", "fma.rnd{.sat}.type.atype d, a, b, c", "d:>type a:atype b:atype c:type", {"rnd": ROUND, "type": ("f32",), "atype": F16_BF16}, "8.6 sm_100"),
)
# fmt: on
