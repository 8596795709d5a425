"""Instruction rows: miscellaneous.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Effect, Row

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("brkpt",        "brkpt",                              "",            {},                                        "1.4 sm_13",     effect=Effect.CONTROL),
    Row("nanosleep",    "nanosleep.type t",                   "t:type",      {"type": ("u32",)},                        "6.2 sm_70",     effect=Effect.FENCE),
    Row("pmevent",      "pmevent a",                          "a:#0..15",    {},                                        "1.4 sm_10",     effect=Effect.MEMORY),
    Row("pmevent_mask", "pmevent.mask a",                     "a:#0..65535", {},                                        "3.0 sm_20",     effect=Effect.MEMORY),
    Row("trap",         "trap",                               "",            {},                                        "1.4 sm_10",     effect=Effect.CONTROL),
    Row("setmaxnreg",   "setmaxnreg.act.sync.aligned.type n", "n:#24..256",  {"act": ("inc", "dec"), "type": ("u32",)}, "8.0 hopper_up", effect=Effect.WARP),
)
# fmt: on
