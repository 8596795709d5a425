"""Instruction rows: comparison and selection.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import compare_fits
from ptxlift.isa.row import Row
from ptxlift.isa.sets import ANY, BITS_INT, BOOLEAN, FLOAT_COMPARE, INT_COMPARE, SET_RESULT

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("set_int",    "set.CmpOp.dtype.stype d, a, b",                    "d:>dtype a:stype b:stype",                 {"CmpOp": INT_COMPARE, "dtype": SET_RESULT, "stype": BITS_INT},                      "1.4 sm_10", when=compare_fits),
    Row("set_int",    "set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c",       "d:>dtype a:stype b:stype c:pred",          {"CmpOp": INT_COMPARE, "BoolOp": BOOLEAN, "dtype": SET_RESULT, "stype": BITS_INT},   "1.4 sm_10", when=compare_fits),
    Row("setp_int",   "setp.CmpOp.stype p{|q}, a, b",                     "p:>pred_ q:>pred_ a:stype b:stype",        {"CmpOp": INT_COMPARE, "stype": BITS_INT},                                           "1.4 sm_10", when=compare_fits),
    Row("setp_int",   "setp.CmpOp.BoolOp.stype p{|q}, a, b, {!}c",        "p:>pred_ q:>pred_ a:stype b:stype c:pred", {"CmpOp": INT_COMPARE, "BoolOp": BOOLEAN, "stype": BITS_INT},                        "1.4 sm_10", when=compare_fits),
    Row("set_float",  "set.CmpOp.dtype.stype d, a, b",                    "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": SET_RESULT, "stype": ("f64",)},                    "1.4 sm_10"),
    Row("set_float",  "set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c",       "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": SET_RESULT, "stype": ("f64",)}, "1.4 sm_10"),
    Row("setp_float", "setp.CmpOp.stype p{|q}, a, b",                     "p:>pred_ q:>pred_ a:stype b:stype",        {"CmpOp": FLOAT_COMPARE, "stype": ("f64",)},                                         "1.4 sm_10"),
    Row("setp_float", "setp.CmpOp.BoolOp.stype p{|q}, a, b, {!}c",        "p:>pred_ q:>pred_ a:stype b:stype c:pred", {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("f64",)},                      "1.4 sm_10"),
    Row("set_float",  "set.CmpOp{.ftz}.dtype.stype d, a, b",              "d:>dtype a:stype b:stype",                 {"CmpOp": FLOAT_COMPARE, "dtype": SET_RESULT, "stype": ("f32",)},                    "1.4 sm_10"),
    Row("set_float",  "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", "d:>dtype a:stype b:stype c:pred",          {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "dtype": SET_RESULT, "stype": ("f32",)}, "1.4 sm_10"),
    Row("setp_float", "setp.CmpOp{.ftz}.stype p{|q}, a, b",               "p:>pred_ q:>pred_ a:stype b:stype",        {"CmpOp": FLOAT_COMPARE, "stype": ("f32",)},                                         "1.4 sm_10"),
    Row("setp_float", "setp.CmpOp.BoolOp{.ftz}.stype p{|q}, a, b, {!}c",  "p:>pred_ q:>pred_ a:stype b:stype c:pred", {"CmpOp": FLOAT_COMPARE, "BoolOp": BOOLEAN, "stype": ("f32",)},                      "1.4 sm_10"),
    Row("selp",       "selp.type d, a, b, c",                             "d:>type a:type b:type c:pred",             {"type": ANY},                                                                       "1.4 sm_10"),
    Row("slct_int",   "slct.dtype.ctype d, a, b, c",                      "d:>dtype a:dtype b:dtype c:ctype",         {"dtype": ANY, "ctype": ("s32",)},                                                   "1.4 sm_10"),
    Row("slct_f32",   "slct{.ftz}.dtype.ctype d, a, b, c",                "d:>dtype a:dtype b:dtype c:ctype",         {"dtype": ANY, "ctype": ("f32",)},                                                   "1.4 sm_10"),
)
# fmt: on
