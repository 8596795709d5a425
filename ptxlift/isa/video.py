"""Instruction rows: video.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Row
from ptxlift.isa.sets import ADD_MIN_MAX, CLAMP_WRAP, SHIFT_RIGHT, U32_S32, VIDEO_COMPARE

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("vadd",           "vadd.dtype.atype.btype{.sat} d, a<asel>, b<bsel>",                     "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vadd",           "vadd.dtype.atype.btype{.sat}.op2 d, a<asel>, b<bsel>, c",              "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "op2": ADD_MIN_MAX},                      "2.0 sm_20"),
    Row("vadd_merge",     "vadd.dtype.atype.btype{.sat} d<dsel>, a<asel>, b<bsel>, c",            "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vsub",           "vsub.dtype.atype.btype{.sat} d, a<asel>, b<bsel>",                     "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vsub",           "vsub.dtype.atype.btype{.sat}.op2 d, a<asel>, b<bsel>, c",              "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "op2": ADD_MIN_MAX},                      "2.0 sm_20"),
    Row("vsub_merge",     "vsub.dtype.atype.btype{.sat} d<dsel>, a<asel>, b<bsel>, c",            "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vabsdiff",       "vabsdiff.dtype.atype.btype{.sat} d, a<asel>, b<bsel>",                 "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vabsdiff",       "vabsdiff.dtype.atype.btype{.sat}.op2 d, a<asel>, b<bsel>, c",          "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "op2": ADD_MIN_MAX},                      "2.0 sm_20"),
    Row("vabsdiff_merge", "vabsdiff.dtype.atype.btype{.sat} d<dsel>, a<asel>, b<bsel>, c",        "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vmin",           "vmin.dtype.atype.btype{.sat} d, a<asel>, b<bsel>",                     "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vmin",           "vmin.dtype.atype.btype{.sat}.op2 d, a<asel>, b<bsel>, c",              "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "op2": ADD_MIN_MAX},                      "2.0 sm_20"),
    Row("vmin_merge",     "vmin.dtype.atype.btype{.sat} d<dsel>, a<asel>, b<bsel>, c",            "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vmax",           "vmax.dtype.atype.btype{.sat} d, a<asel>, b<bsel>",                     "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vmax",           "vmax.dtype.atype.btype{.sat}.op2 d, a<asel>, b<bsel>, c",              "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "op2": ADD_MIN_MAX},                      "2.0 sm_20"),
    Row("vmax_merge",     "vmax.dtype.atype.btype{.sat} d<dsel>, a<asel>, b<bsel>, c",            "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "2.0 sm_20"),
    Row("vshl",           "vshl.dtype.atype.btype{.sat}.mode d, a<asel>, b<bsel>",                "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP},                     "2.0 sm_20"),
    Row("vshl",           "vshl.dtype.atype.btype{.sat}.mode.op2 d, a<asel>, b<bsel>, c",         "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP, "op2": ADD_MIN_MAX}, "2.0 sm_20"),
    Row("vshl_merge",     "vshl.dtype.atype.btype{.sat}.mode d<dsel>, a<asel>, b<bsel>, c",       "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP},                     "2.0 sm_20"),
    Row("vshr",           "vshr.dtype.atype.btype{.sat}.mode d, a<asel>, b<bsel>",                "d:>b32 a:b32 b:b32",          {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP},                     "2.0 sm_20"),
    Row("vshr",           "vshr.dtype.atype.btype{.sat}.mode.op2 d, a<asel>, b<bsel>, c",         "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP, "op2": ADD_MIN_MAX}, "2.0 sm_20"),
    Row("vshr_merge",     "vshr.dtype.atype.btype{.sat}.mode d<dsel>, a<asel>, b<bsel>, c",       "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": ("u32",), "mode": CLAMP_WRAP},                     "2.0 sm_20"),
    Row("vmad",           "vmad.dtype.atype.btype{.sat}{.scale} d, {-}a<asel>, {-}b<bsel>, {-}c", "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "scale": SHIFT_RIGHT},                    "2.0 sm_20"),
    Row("vmad",           "vmad.dtype.atype.btype.po{.sat}{.scale} d, a<asel>, b<bsel>, c",       "d:>b32 a:b32 b:b32 c:b32",    {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32, "scale": SHIFT_RIGHT},                    "2.0 sm_20"),
    Row("vset",           "vset.atype.btype.cmp d, a<asel>, b<bsel>",                             "d:>b32 a:b32 b:b32",          {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "2.0 sm_20"),
    Row("vset",           "vset.atype.btype.cmp.op2 d, a<asel>, b<bsel>, c",                      "d:>b32 a:b32 b:b32 c:b32",    {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE, "op2": ADD_MIN_MAX},                  "2.0 sm_20"),
    Row("vset_merge",     "vset.atype.btype.cmp d<dsel>, a<asel>, b<bsel>, c",                    "d:>b32 a:b32 b:b32 c:b32",    {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "2.0 sm_20"),
    Row("vadd2",          "vadd2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vadd2",          "vadd2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vsub2",          "vsub2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vsub2",          "vsub2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vavrg2",         "vavrg2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",          "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vavrg2",         "vavrg2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",            "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vabsdiff2",      "vabsdiff2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",       "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vabsdiff2",      "vabsdiff2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",         "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmin2",          "vmin2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmin2",          "vmin2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmax2",          "vmax2.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmax2",          "vmax2.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vset2",          "vset2.atype.btype.cmp d<mask>, a<asel>, b<bsel>, c",                   "d:>b32 a:b32! b:b32! c:b32!", {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "3.0 sm_30"),
    Row("vset2",          "vset2.atype.btype.cmp.add d<mask>, a<asel>, b<bsel>, c",               "d:>b32 a:b32! b:b32! c:b32!", {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "3.0 sm_30"),
    Row("vadd4",          "vadd4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vadd4",          "vadd4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vsub4",          "vsub4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vsub4",          "vsub4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vavrg4",         "vavrg4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",          "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vavrg4",         "vavrg4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",            "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vabsdiff4",      "vabsdiff4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",       "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vabsdiff4",      "vabsdiff4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",         "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmin4",          "vmin4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmin4",          "vmin4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmax4",          "vmax4.dtype.atype.btype{.sat} d<mask>, a<asel>, b<bsel>, c",           "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vmax4",          "vmax4.dtype.atype.btype.add d<mask>, a<asel>, b<bsel>, c",             "d:>b32 a:b32! b:b32! c:b32!", {"dtype": U32_S32, "atype": U32_S32, "btype": U32_S32},                                          "3.0 sm_30"),
    Row("vset4",          "vset4.atype.btype.cmp d<mask>, a<asel>, b<bsel>, c",                   "d:>b32 a:b32! b:b32! c:b32!", {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "3.0 sm_30"),
    Row("vset4",          "vset4.atype.btype.cmp.add d<mask>, a<asel>, b<bsel>, c",               "d:>b32 a:b32! b:b32! c:b32!", {"atype": U32_S32, "btype": U32_S32, "cmp": VIDEO_COMPARE},                                      "3.0 sm_30"),
)
# fmt: on
