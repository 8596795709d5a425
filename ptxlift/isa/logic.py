"""Instruction rows: logic and shift.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Row
from ptxlift.isa.sets import BITS, BITS_INT, CLAMP_WRAP, PRMT

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("and_bits",  "and.type d, a, b",                         "d:>type a:type b:type",                              {"type": BITS},                                            "1.4 sm_10"),
    Row("and_pred",  "and.type d, a, b",                         "d:>pred a:pred b:pred",                              {"type": ("pred",)},                                       "1.4 sm_10"),
    Row("or_bits",   "or.type d, a, b",                          "d:>type a:type b:type",                              {"type": BITS},                                            "1.4 sm_10"),
    Row("or_pred",   "or.type d, a, b",                          "d:>pred a:pred b:pred",                              {"type": ("pred",)},                                       "1.4 sm_10"),
    Row("xor_bits",  "xor.type d, a, b",                         "d:>type a:type b:type",                              {"type": BITS},                                            "1.4 sm_10"),
    Row("xor_pred",  "xor.type d, a, b",                         "d:>pred a:pred b:pred",                              {"type": ("pred",)},                                       "1.4 sm_10"),
    Row("not_bits",  "not.type d, a",                            "d:>type a:type",                                     {"type": BITS},                                            "1.4 sm_10"),
    Row("not_pred",  "not.type d, a",                            "d:>pred a:pred",                                     {"type": ("pred",)},                                       "1.4 sm_10"),
    Row("cnot",      "cnot.type d, a",                           "d:>type a:type",                                     {"type": BITS},                                            "1.4 sm_10"),
    Row("lop3",      "lop3.type d, a, b, c, lut",                "d:>type a:type b:type c:type lut:#",                 {"type": ("b32",)},                                        "4.3 sm_50"),
    Row("lop3_pred", "lop3.BoolOp.type d|p, a, b, c, lut, {!}q", "d:>type_ p:>pred a:type b:type c:type lut:# q:pred", {"BoolOp": ("or", "and"), "type": ("b32",)},               "8.2 sm_70"),
    Row("shf",       "shf.dir.mode.type d, a, b, c",             "d:>type a:type b:type c:^u32",                       {"dir": ("l", "r"), "mode": CLAMP_WRAP, "type": ("b32",)}, "4.0 sm_32"),
    Row("shl",       "shl.type d, a, b",                         "d:>type a:type b:^u32",                              {"type": BITS},                                            "1.4 sm_10"),
    Row("shr",       "shr.type d, a, b",                         "d:>type a:type b:^u32",                              {"type": BITS_INT},                                        "1.4 sm_10"),
    Row("prmt",      "prmt.type{.mode} d, a, b, c",              "d:>type a:type b:type c:type",                       {"type": ("b32",), "mode": PRMT},                          "2.0 sm_20"),
)
# fmt: on
