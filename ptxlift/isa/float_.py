"""Instruction rows: floating point.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import xorsign_with_abs
from ptxlift.isa.row import Row
from ptxlift.isa.sets import APPROX_ROUND, DIVIDE, F32_F64, ROUND, TEST

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("testp",          "testp.op.type p, a",                           "p:>pred a:type",               {"op": TEST, "type": F32_F64},            "2.0 sm_20"),
    Row("copysign",       "copysign.type d, a, b",                        "d:>type a:type b:type",        {"type": F32_F64},                        "2.0 sm_20"),
    Row("add_f32",        "add{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32",)},         "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rp": "2.0 sm_20"}),
    Row("add_f64",        "add{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "1.4 sm_13", "rp": "1.4 sm_13"}),
    Row("add_f32x2",      "add{.rnd}{.ftz}.type d, a, b",                 "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32x2",)},       "8.6 sm_100"),
    Row("sub_f32",        "sub{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32",)},         "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rp": "2.0 sm_20"}),
    Row("sub_f64",        "sub{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "1.4 sm_13", "rp": "1.4 sm_13"}),
    Row("sub_f32x2",      "sub{.rnd}{.ftz}.type d, a, b",                 "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32x2",)},       "8.6 sm_100"),
    Row("mul_f32",        "mul{.rnd}{.ftz}{.sat}.type d, a, b",           "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32",)},         "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rp": "2.0 sm_20"}),
    Row("mul_f64",        "mul{.rnd}.type d, a, b",                       "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "1.4 sm_13", "rp": "1.4 sm_13"}),
    Row("mul_f32x2",      "mul{.rnd}{.ftz}.type d, a, b",                 "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f32x2",)},       "8.6 sm_100"),
    Row("fma_f32",        "fma.rnd{.ftz}{.sat}.type d, a, b, c",          "d:>type a:type b:type c:type", {"rnd": ROUND, "type": ("f32",)},         "2.0 sm_20"),
    Row("fma_f32x2",      "fma.rnd{.ftz}.type d, a, b, c",                "d:>type a:type b:type c:type", {"rnd": ROUND, "type": ("f32x2",)},       "8.6 sm_100"),
    Row("fma_f64",        "fma.rnd.type d, a, b, c",                      "d:>type a:type b:type c:type", {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "1.4 sm_13", "rp": "1.4 sm_13"}),
    Row("mad_f32",        "mad{.ftz}{.sat}.type d, a, b, c",              "d:>type a:type b:type c:type", {"type": ("f32",)},                       "1.4 sm_10",  removed="1.0 sm_20"),
    Row("mad_f32",        "mad.rnd{.ftz}{.sat}.type d, a, b, c",          "d:>type a:type b:type c:type", {"rnd": ROUND, "type": ("f32",)},         "2.0 sm_20"),
    Row("mad_f64",        "mad.rnd.type d, a, b, c",                      "d:>type a:type b:type c:type", {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "1.4 sm_13", "rp": "1.4 sm_13"}),
    Row("div_f32",        "div.mode{.ftz}.type d, a, b",                  "d:>type a:type b:type",        {"mode": DIVIDE, "type": ("f32",)},       "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rn": "2.0 sm_20", "rp": "2.0 sm_20", "rz": "2.0 sm_20"}),
    Row("div_f64",        "div.rnd.type d, a, b",                         "d:>type a:type b:type",        {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rp": "2.0 sm_20", "rz": "2.0 sm_20"}),
    Row("abs_f32",        "abs{.ftz}.type d, a",                          "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("abs_f64",        "abs.type d, a",                                "d:>type a:type",               {"type": ("f64",)},                       "1.4 sm_10"),
    Row("neg_f32",        "neg{.ftz}.type d, a",                          "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("neg_f64",        "neg.type d, a",                                "d:>type a:type",               {"type": ("f64",)},                       "1.4 sm_10"),
    Row("min_f32",        "min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", "d:>type a:type b:type",        {"type": ("f32",)},                       "1.4 sm_10",  minima={"NaN": "7.0 sm_80", "xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("min3_f32",       "min{.ftz}{.NaN}{.abs}.type d, a, b, c",        "d:>type a:type b:type c:type", {"type": ("f32",)},                       "8.8 sm_100"),
    Row("min_f64",        "min.type d, a, b",                             "d:>type a:type b:type",        {"type": ("f64",)},                       "1.4 sm_10"),
    Row("max_f32",        "max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", "d:>type a:type b:type",        {"type": ("f32",)},                       "1.4 sm_10",  minima={"NaN": "7.0 sm_80", "xorsign": "7.2 sm_86"}, when=xorsign_with_abs),
    Row("max3_f32",       "max{.ftz}{.NaN}{.abs}.type d, a, b, c",        "d:>type a:type b:type c:type", {"type": ("f32",)},                       "8.8 sm_100"),
    Row("max_f64",        "max.type d, a, b",                             "d:>type a:type b:type",        {"type": ("f64",)},                       "1.4 sm_10"),
    Row("rcp_f32",        "rcp.mode{.ftz}.type d, a",                     "d:>type a:type",               {"mode": APPROX_ROUND, "type": ("f32",)}, "1.4 sm_10",  minima={"ftz": "2.0 sm_20", "rm": "2.0 sm_20", "rn": "2.0 sm_20", "rp": "2.0 sm_20"}),
    Row("rcp_f64",        "rcp.rnd.type d, a",                            "d:>type a:type",               {"rnd": ROUND, "type": ("f64",)},         "2.0 sm_10",  minima={"rn": "2.1 sm_10", "rp": "2.0 sm_20", "rz": "2.0 sm_20"}),
    Row("sqrt_f32",       "sqrt.mode{.ftz}.type d, a",                    "d:>type a:type",               {"mode": APPROX_ROUND, "type": ("f32",)}, "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rn": "2.0 sm_20", "rp": "2.0 sm_20", "rz": "2.0 sm_20"}),
    Row("sqrt_f64",       "sqrt.rnd.type d, a",                           "d:>type a:type",               {"rnd": ROUND, "type": ("f64",)},         "1.4 sm_10",  minima={"rm": "2.0 sm_20", "rp": "2.0 sm_20", "rz": "2.0 sm_20"}),
    Row("rcp_approx_f64", "rcp.approx.ftz.type d, a",                     "d:>type a:type",               {"type": ("f64",)},                       "2.1 sm_20"),
    Row("rsqrt_f32",      "rsqrt.approx{.ftz}.type d, a",                 "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("rsqrt_f64",      "rsqrt.approx{.ftz}.type d, a",                 "d:>type a:type",               {"type": ("f64",)},                       "1.4 sm_10",  minima={"ftz": "4.0 sm_20"}),
    Row("sin_f32",        "sin.approx{.ftz}.type d, a",                   "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("cos_f32",        "cos.approx{.ftz}.type d, a",                   "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("lg2_f32",        "lg2.approx{.ftz}.type d, a",                   "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("ex2_f32",        "ex2.approx{.ftz}.type d, a",                   "d:>type a:type",               {"type": ("f32",)},                       "1.4 sm_10"),
    Row("tanh_f32",       "tanh.approx.type d, a",                        "d:>type a:type",               {"type": ("f32",)},                       "7.0 sm_75"),
)
# fmt: on
