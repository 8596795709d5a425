"""Instruction rows: half precision floating point.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import xorsign_with_abs
from ptxlift.isa.row import Row
from ptxlift.isa.sets import BF16S, F16S, HALF

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("add_half",  "add{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ("rn",), "type": F16S},  "4.2 sm_53"),
    Row("add_half",  "add{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ("rn",), "type": BF16S}, "7.8 sm_90"),
    Row("sub_half",  "sub{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ("rn",), "type": F16S},  "4.2 sm_53"),
    Row("sub_half",  "sub{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ("rn",), "type": BF16S}, "7.8 sm_90"),
    Row("mul_half",  "mul{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ("rn",), "type": F16S},  "4.2 sm_53"),
    Row("mul_half",  "mul{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ("rn",), "type": BF16S}, "7.8 sm_90"),
    Row("fma_half",  "fma.rnd{.ftz}{.sat}.type d, a, b, c",          "d:>type a:type b:type c:type", {"rnd": ("rn",), "type": F16S},  "4.2 sm_53"),
    Row("fma_half",  "fma.rnd{.ftz}.relu.type d, a, b, c",           "d:>type a:type b:type c:type", {"rnd": ("rn",), "type": F16S},  "7.0 sm_80"),
    Row("fma_half",  "fma.rnd{.relu}.type d, a, b, c",               "d:>type a:type b:type c:type", {"rnd": ("rn",), "type": BF16S}, "7.0 sm_80"),
    Row("fma_half",  "fma.rnd.oob{.relu}.type d, a, b, c",           "d:>type a:type b:type c:type", {"rnd": ("rn",), "type": HALF},  "8.1 sm_90"),
    Row("neg_half",  "neg{.ftz}.type d, a",                          "d:>type a:type",               {"type": F16S},                  "6.0 sm_53"),
    Row("neg_half",  "neg.type d, a",                                "d:>type a:type",               {"type": BF16S},                 "7.0 sm_80"),
    Row("abs_half",  "abs{.ftz}.type d, a",                          "d:>type a:type",               {"type": F16S},                  "6.5 sm_53"),
    Row("abs_half",  "abs.type d, a",                                "d:>type a:type",               {"type": BF16S},                 "7.0 sm_80"),
    Row("min_half",  "min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", "d:>type a:type b:type",        {"type": F16S},                  "7.0 sm_80", minima={"xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("min_half",  "min{.NaN}{.xorsign}{.abs}.type d, a, b",       "d:>type a:type b:type",        {"type": BF16S},                 "7.0 sm_80", minima={"xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("max_half",  "max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", "d:>type a:type b:type",        {"type": F16S},                  "7.0 sm_80", minima={"xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("max_half",  "max{.NaN}{.xorsign}{.abs}.type d, a, b",       "d:>type a:type b:type",        {"type": BF16S},                 "7.0 sm_80", minima={"xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("tanh_half", "tanh.approx.type d, a",                        "d:>type a:type",               {"type": HALF},                  "7.0 sm_75", minima={"bf16": "7.8 sm_90"}),
    Row("ex2_half",  "ex2.approx.type d, a",                         "d:>type a:type",               {"type": F16S},                  "7.0 sm_75"),
    Row("ex2_half",  "ex2.approx.ftz.type d, a",                     "d:>type a:type",               {"type": BF16S},                 "7.8 sm_90"),
)
# fmt: on
