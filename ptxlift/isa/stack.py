"""Instruction rows: stack manipulation.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Effect, Row
from ptxlift.isa.sets import U32_U64

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("stacksave",    "stacksave.type d",       "d:>type",                 {"type": U32_U64}, "7.3 sm_52", effect=Effect.MEMORY),
    Row("stackrestore", "stackrestore.type a",    "a:type!",                 {"type": U32_U64}, "7.3 sm_52", effect=Effect.MEMORY),
    Row("alloca",       "alloca.type d, n{, al}", "d:>type n:type al:#8|16", {"type": U32_U64}, "7.3 sm_52", effect=Effect.MEMORY),
)
# fmt: on
