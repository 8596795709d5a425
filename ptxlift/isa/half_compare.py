"""Instruction rows: half precision comparison.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import half_result_compare
from ptxlift.isa.row import Row
from ptxlift.isa.sets import BF16X2_INT, BOOLEAN, COMPARED, F16X2_INT, FLOAT_COMPARE, SHORT_INT

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("set_to_half",  "set.CmpOp{.ftz}.dtype.stype d, a, b",              "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": ("f16",), "stype": COMPARED},                         "4.2 sm_53", when=half_result_compare),
    Row("set_to_half",  "set.CmpOp.dtype.stype d, a, b",                    "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": ("bf16",), "stype": COMPARED},                        "7.8 sm_90", when=half_result_compare),
    Row("set_half",     "set.CmpOp{.ftz}.dtype.stype d, a, b",              "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": SHORT_INT, "stype": ("f16",)},                        "6.5 sm_53"),
    Row("set_half",     "set.CmpOp.dtype.stype d, a, b",                    "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": SHORT_INT, "stype": ("bf16",)},                       "7.8 sm_90"),
    Row("set_half_x2",  "set.CmpOp{.ftz}.dtype.stype d, a, b",              "d:>b32 a:stype b:stype",                   {"CmpOp": FLOAT_COMPARE, "dtype": F16X2_INT, "stype": ("f16x2",)},                      "4.2 sm_53", minima={"s32": "6.5 sm_53", "u32": "6.5 sm_53"}),
    Row("set_half_x2",  "set.CmpOp.dtype.stype d, a, b",                    "d:>b32 a:stype b:stype",                   {"CmpOp": FLOAT_COMPARE, "dtype": BF16X2_INT, "stype": ("bf16x2",)},                    "7.8 sm_90"),
    Row("setp_half",    "setp.CmpOp{.ftz}.stype p, a, b",                   "p:>pred_ a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "stype": ("f16",)},                                            "4.2 sm_53"),
    Row("setp_half",    "setp.CmpOp.stype p, a, b",                         "p:>pred_ a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "stype": ("bf16",)},                                           "7.8 sm_90"),
    Row("setp_half_x2", "setp.CmpOp{.ftz}.stype p|q, a, b",                 "p:>pred_ q:>pred_ a:stype b:stype",        {"CmpOp": FLOAT_COMPARE, "stype": ("f16x2",)},                                          "4.2 sm_53"),
    Row("setp_half_x2", "setp.CmpOp.stype p|q, a, b",                       "p:>pred_ q:>pred_ a:stype b:stype",        {"CmpOp": FLOAT_COMPARE, "stype": ("bf16x2",)},                                         "7.8 sm_90"),
    Row("set_to_half",  "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": ("f16",), "stype": COMPARED},      "4.2 sm_53", when=half_result_compare),
    Row("set_to_half",  "set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c",       "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": ("bf16",), "stype": COMPARED},     "7.8 sm_90", when=half_result_compare),
    Row("set_half",     "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": SHORT_INT, "stype": ("f16",)},     "6.5 sm_53"),
    Row("set_half",     "set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c",       "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": SHORT_INT, "stype": ("bf16",)},    "7.8 sm_90"),
    Row("set_half_x2",  "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", "d:>b32 a:stype b:stype c:pred",            {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": F16X2_INT, "stype": ("f16x2",)},   "4.2 sm_53", minima={"s32": "6.5 sm_53", "u32": "6.5 sm_53"}),
    Row("set_half_x2",  "set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c",       "d:>b32 a:stype b:stype c:pred",            {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": BF16X2_INT, "stype": ("bf16x2",)}, "7.8 sm_90"),
    Row("setp_half",    "setp.CmpOp.BoolOp{.ftz}.stype p, a, b, {!}c",      "p:>pred_ a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("f16",)},                         "4.2 sm_53"),
    Row("setp_half",    "setp.CmpOp.BoolOp.stype p, a, b, {!}c",            "p:>pred_ a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("bf16",)},                        "7.8 sm_90"),
    Row("setp_half_x2", "setp.CmpOp.BoolOp{.ftz}.stype p|q, a, b, {!}c",    "p:>pred_ q:>pred_ a:stype b:stype c:pred", {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("f16x2",)},                       "4.2 sm_53"),
    Row("setp_half_x2", "setp.CmpOp.BoolOp.stype p|q, a, b, {!}c",          "p:>pred_ q:>pred_ a:stype b:stype c:pred", {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("bf16x2",)},                      "7.8 sm_90"),
)
# fmt: on
