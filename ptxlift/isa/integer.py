"""Instruction rows: integer arithmetic.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Row
from ptxlift.isa.sets import (
    B32_B64,
    CLAMP_WRAP,
    FIELD_INT,
    HI_LO,
    INT,
    INT_X2,
    SIGNED,
    U32_S32,
    WIDE_INT,
)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("add_int",    "add.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("sub_int",    "sub.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("add_int_x2", "add.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT_X2},                                           "8.0 sm_90"),
    Row("add_sat",    "add.sat.type d, a, b",             "d:>type a:type b:type",                             {"type": ("s32",)},                                         "1.4 sm_10"),
    Row("sub_sat",    "sub.sat.type d, a, b",             "d:>type a:type b:type",                             {"type": ("s32",)},                                         "1.4 sm_10"),
    Row("mul_int",    "mul.mode.type d, a, b",            "d:>type a:type b:type",                             {"mode": HI_LO, "type": INT},                               "1.4 sm_10"),
    Row("mul_wide",   "mul.mode.type d, a, b",            "d:>wide(type) a:type b:type",                       {"mode": ("wide",), "type": WIDE_INT},                      "1.4 sm_10"),
    Row("mad_int",    "mad.mode.type d, a, b, c",         "d:>type a:type b:type c:type",                      {"mode": HI_LO, "type": INT},                               "1.4 sm_10"),
    Row("mad_wide",   "mad.mode.type d, a, b, c",         "d:>wide(type) a:type b:type c:wide(type)",          {"mode": ("wide",), "type": WIDE_INT},                      "1.4 sm_10"),
    Row("mad_sat",    "mad.mode.sat.type d, a, b, c",     "d:>type a:type b:type c:type",                      {"mode": ("hi",), "type": ("s32",)},                        "1.4 sm_10"),
    Row("mul24",      "mul24.mode.type d, a, b",          "d:>type a:type b:type",                             {"mode": HI_LO, "type": U32_S32},                           "1.4 sm_10"),
    Row("mad24",      "mad24.mode.type d, a, b, c",       "d:>type a:type b:type c:type",                      {"mode": HI_LO, "type": U32_S32},                           "1.4 sm_10"),
    Row("mad24_sat",  "mad24.mode.sat.type d, a, b, c",   "d:>type a:type b:type c:type",                      {"mode": ("hi",), "type": ("s32",)},                        "1.4 sm_10"),
    Row("sad",        "sad.type d, a, b, c",              "d:>type a:type b:type c:type",                      {"type": INT},                                              "1.4 sm_10"),
    Row("div_int",    "div.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("rem_int",    "rem.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("abs_int",    "abs.type d, a",                    "d:>type a:type",                                    {"type": SIGNED},                                           "1.4 sm_10"),
    Row("neg_int",    "neg.type d, a",                    "d:>type a:type",                                    {"type": SIGNED},                                           "1.4 sm_10"),
    Row("min_int",    "min.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("min_int_x2", "min.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT_X2},                                           "8.0 sm_90"),
    Row("min_int_x2", "min.relu.type d, a, b",            "d:>type a:type b:type",                             {"type": ("s16x2",)},                                       "8.0 sm_90"),
    Row("min_int",    "min.relu.type d, a, b",            "d:>type a:type b:type",                             {"type": ("s32",)},                                         "8.0 sm_90"),
    Row("max_int",    "max.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT},                                              "1.4 sm_10"),
    Row("max_int_x2", "max.type d, a, b",                 "d:>type a:type b:type",                             {"type": INT_X2},                                           "8.0 sm_90"),
    Row("max_int_x2", "max.relu.type d, a, b",            "d:>type a:type b:type",                             {"type": ("s16x2",)},                                       "8.0 sm_90"),
    Row("max_int",    "max.relu.type d, a, b",            "d:>type a:type b:type",                             {"type": ("s32",)},                                         "8.0 sm_90"),
    Row("popc",       "popc.type d, a",                   "d:>^u32 a:type",                                    {"type": B32_B64},                                          "2.0 sm_20"),
    Row("clz",        "clz.type d, a",                    "d:>^u32 a:type",                                    {"type": B32_B64},                                          "2.0 sm_20"),
    Row("bfind",      "bfind{.shiftamt}.type d, a",       "d:>^u32 a:type",                                    {"type": FIELD_INT},                                        "2.0 sm_20"),
    Row("fns",        "fns.type d, a, b, c",              "d:>type a:type b:type c:s32",                       {"type": ("b32",)},                                         "6.0 sm_30"),
    Row("brev",       "brev.type d, a",                   "d:>type a:type",                                    {"type": B32_B64},                                          "2.0 sm_20"),
    Row("bfe",        "bfe.type d, a, b, c",              "d:>type a:type b:^u32#0..255 c:^u32#0..255",        {"type": FIELD_INT},                                        "2.0 sm_20"),
    Row("bfi",        "bfi.type f, a, b, c, d",           "f:>type a:type b:type c:^u32#0..255 d:^u32#0..255", {"type": B32_B64},                                          "2.0 sm_20"),
    Row("szext",      "szext.mode.type d, a, b",          "d:>type a:type b:^u32",                             {"mode": CLAMP_WRAP, "type": U32_S32},                      "7.6 sm_70"),
    Row("bmsk",       "bmsk.mode.type d, a, b",           "d:>type a:^u32 b:^u32",                             {"mode": CLAMP_WRAP, "type": ("b32",)},                     "7.6 sm_70"),
    Row("dp4a",       "dp4a.atype.btype d, a, b, c",      "d:>btype a:atype b:btype c:btype",                  {"atype": U32_S32, "btype": U32_S32},                       "5.0 sm_61"),
    Row("dp2a",       "dp2a.mode.atype.btype d, a, b, c", "d:>btype a:atype b:btype c:btype",                  {"mode": ("lo", "hi"), "atype": U32_S32, "btype": U32_S32}, "5.0 sm_61"),
)
# fmt: on
