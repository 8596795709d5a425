"""Instruction rows: surfaces.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import (
    surface_access,
    surface_format,
    surface_reduce_fits,
    surface_sample_fits,
)
from ptxlift.isa.row import Effect, Row
from ptxlift.isa.sets import (
    B32_B64,
    BORDER,
    GEOMETRY_3,
    GEOMETRY_SURFACE,
    STORE_CACHE,
    SURFACE_QUERY,
    SURFACE_REDUCE,
    SURFACE_TYPE,
    V2_V4,
)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("suld_b",  "suld.b.geom{.cop}{.vec}.type{.mode} d, [s, c]", "d:>~type*vec s:surfref c:s32*coord", {"geom": GEOMETRY_SURFACE, "cop": ("ca", "cg", "cs", "cv"), "vec": V2_V4, "type": SURFACE_TYPE, "mode": BORDER}, "1.5 sm_10", minima={"a1d": "3.0 sm_20", "a2d": "3.0 sm_20", "ca": "2.0 sm_20", "cg": "2.0 sm_20", "cs": "2.0 sm_20", "cv": "2.0 sm_20", "zero": "2.0 sm_10"}, when=surface_access, effect=Effect.MEMORY),
    Row("sust_b",  "sust.b.geom{.cop}{.vec}.type{.mode} [s, c], v", "s:surfref c:s32*coord v:~type*vec",  {"geom": GEOMETRY_SURFACE, "cop": STORE_CACHE, "vec": V2_V4, "type": SURFACE_TYPE, "mode": BORDER}, "1.5 sm_10", minima={"a1d": "3.0 sm_20", "a2d": "3.0 sm_20", "cg": "2.0 sm_20", "cs": "2.0 sm_20", "wb": "2.0 sm_20", "wt": "2.0 sm_20", "zero": "2.0 sm_10"}, when=surface_access, effect=Effect.MEMORY),
    Row("sust_p",  "sust.p.geom{.vec}.type{.mode} [s, c], v",       "s:surfref c:s32*coord v:~type*vec",  {"geom": GEOMETRY_3, "vec": V2_V4, "type": ("b32",), "mode": BORDER},        "2.0 sm_20", when=surface_format, effect=Effect.MEMORY),
    Row("sured_b", "sured.b.op.geom.type.mode [s, c], v",           "s:surfref c:s32*coord v:type",       {"op": SURFACE_REDUCE, "geom": GEOMETRY_3, "type": ("u32", "u64", "s32", "b32", "s64"), "mode": BORDER}, "2.0 sm_20", when=surface_reduce_fits, effect=Effect.MEMORY),
    Row("sured_p", "sured.p.op.geom.type.mode [s, c], v",           "s:surfref c:s32*coord v:type",       {"op": SURFACE_REDUCE, "geom": GEOMETRY_3, "type": B32_B64, "mode": BORDER}, "2.0 sm_20", when=surface_sample_fits, effect=Effect.MEMORY),
    Row("suq",     "suq.q.type d, [s]",                             "d:>b32 s:surfref",                    {"q": SURFACE_QUERY, "type": ("b32",)},                                      "1.5 sm_10", minima={"array_size": "4.1 sm_10", "channel_data_type": "2.1 sm_10", "memory_layout": "4.2 sm_10"}, effect=Effect.MEMORY),
)
# fmt: on
