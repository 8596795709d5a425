"""Instruction rows: textures.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import tex_coordinates
from ptxlift.isa.row import Effect, Row
from ptxlift.isa.sets import (
    COMPONENT,
    GATHERED,
    GEOMETRY,
    GEOMETRY_MS,
    S32_F32,
    SAMPLER_QUERY,
    SET_RESULT,
    TEXEL,
    TEXTURE_QUERY,
    UNIFIED_QUERY,
)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("tex",       "tex.geom.v4.dtype.ctype d{|p}, [t, c]{, e}",                   "d:>dtype*4 p:>pred t:texref c:@ctype*coord e:s32*offset",                {"geom": GEOMETRY_MS, "dtype": TEXEL, "ctype": S32_F32},                       "1.5 sm_10", minima={"2dms": "3.2 sm_30", "a1d": "2.3 sm_10", "a2d": "2.3 sm_10", "a2dms": "3.2 sm_30", "acube": "3.0 sm_20", "cube": "3.0 sm_10", "f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_base",  "tex.base.geom.v4.dtype.ctype d{|p}, [t, c]{, e}",              "d:>dtype*4 p:>pred t:texref c:@ctype*coord e:s32*offset",                {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_level", "tex.level.geom.v4.dtype.ctype d{|p}, [t, c], lod{, e}",        "d:>dtype*4 p:>pred t:texref c:@ctype*coord lod:ctype e:s32*offset",      {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_grad",  "tex.grad.geom.v4.dtype.ctype d{|p}, [t, c], dx, dy{, e}",      "d:>dtype*4 p:>pred t:texref c:@ctype*coord dx:=f32*gradient dy:=f32*gradient e:s32*offset", {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"acube": "4.3 sm_20", "cube": "4.3 sm_20", "f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex",       "tex.geom.v4.dtype.ctype d{|p}, [t, smp, c]{, e}",              "d:>dtype*4 p:>pred t:texref smp:samplerref c:@ctype*coord e:s32*offset", {"geom": GEOMETRY_MS, "dtype": TEXEL, "ctype": S32_F32},                       "1.5 sm_10", minima={"2dms": "3.2 sm_30", "a1d": "2.3 sm_10", "a2d": "2.3 sm_10", "a2dms": "3.2 sm_30", "acube": "3.0 sm_20", "cube": "3.0 sm_10", "f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_base",  "tex.base.geom.v4.dtype.ctype d{|p}, [t, smp, c]{, e}",         "d:>dtype*4 p:>pred t:texref smp:samplerref c:@ctype*coord e:s32*offset", {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"acube": "7.1 sm_60", "f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_level", "tex.level.geom.v4.dtype.ctype d{|p}, [t, smp, c], lod{, e}",   "d:>dtype*4 p:>pred t:texref smp:samplerref c:@ctype*coord lod:ctype e:s32*offset", {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_grad",  "tex.grad.geom.v4.dtype.ctype d{|p}, [t, smp, c], dx, dy{, e}", "d:>dtype*4 p:>pred t:texref smp:samplerref c:@ctype*coord dx:=f32*gradient dy:=f32*gradient e:s32*offset", {"geom": GEOMETRY, "dtype": TEXEL, "ctype": S32_F32},                          "3.1 sm_20", minima={"acube": "4.3 sm_20", "cube": "4.3 sm_20", "f16": "4.2 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex",       "tex.geom.v2.dtype.ctype d{|p}, [t, c]{, e}",                   "d:>dtype*2 p:>pred t:texref c:@ctype*coord e:s32*offset",                {"geom": GEOMETRY_MS, "dtype": ("f16x2",), "ctype": S32_F32},                  "4.2 sm_53", when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_base",  "tex.base.geom.v2.dtype.ctype d{|p}, [t, c]{, e}",              "d:>dtype*2 p:>pred t:texref c:@ctype*coord e:s32*offset",                {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_level", "tex.level.geom.v2.dtype.ctype d{|p}, [t, c], lod{, e}",        "d:>dtype*2 p:>pred t:texref c:@ctype*coord lod:ctype e:s32*offset",      {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", minima={"acube": "7.1 sm_60"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_grad",  "tex.grad.geom.v2.dtype.ctype d{|p}, [t, c], dx, dy{, e}",      "d:>dtype*2 p:>pred t:texref c:@ctype*coord dx:=f32*gradient dy:=f32*gradient e:s32*offset", {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", minima={"acube": "4.3 sm_53", "cube": "4.3 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex",       "tex.geom.v2.dtype.ctype d{|p}, [t, smp, c]{, e}",              "d:>dtype*2 p:>pred t:texref smp:samplerref c:@ctype*coord e:s32*offset", {"geom": GEOMETRY_MS, "dtype": ("f16x2",), "ctype": S32_F32},                  "4.2 sm_53", when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_base",  "tex.base.geom.v2.dtype.ctype d{|p}, [t, smp, c]{, e}",         "d:>dtype*2 p:>pred t:texref smp:samplerref c:@ctype*coord e:s32*offset", {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_level", "tex.level.geom.v2.dtype.ctype d{|p}, [t, smp, c], lod{, e}",   "d:>dtype*2 p:>pred t:texref smp:samplerref c:@ctype*coord lod:ctype e:s32*offset", {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", minima={"acube": "4.3 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex_grad",  "tex.grad.geom.v2.dtype.ctype d{|p}, [t, smp, c], dx, dy{, e}", "d:>dtype*2 p:>pred t:texref smp:samplerref c:@ctype*coord dx:=f32*gradient dy:=f32*gradient e:s32*offset", {"geom": GEOMETRY, "dtype": ("f16x2",), "ctype": S32_F32},                     "4.2 sm_53", minima={"acube": "4.3 sm_53", "cube": "4.3 sm_53"}, when=tex_coordinates, effect=Effect.MEMORY),
    Row("tex",       "tex.geom.v4.dtype.ctype d{|p}, [t, c], f",                     "d:>dtype*4 p:>pred t:texref c:@ctype*coord f:f32",                       {"geom": GATHERED, "dtype": TEXEL, "ctype": ("f32",)},                         "4.3 sm_30", minima={"f16": "4.3 sm_53"}, effect=Effect.MEMORY),
    Row("tld4",      "tld4.comp.geom.v4.dtype.ctype d{|p}, [t, c]{, e}",             "d:>dtype*4 p:>pred t:texref c:@f32*coord e:s32*offset",                  {"comp": COMPONENT, "geom": GATHERED, "dtype": SET_RESULT, "ctype": ("f32",)}, "2.2 sm_20", minima={"a2d": "4.3 sm_30", "acube": "4.3 sm_30", "cube": "4.3 sm_30"}, effect=Effect.MEMORY),
    Row("tex",       "tex.geom.v4.dtype.ctype d{|p}, [t, smp, c], f",                "d:>dtype*4 p:>pred t:texref smp:samplerref c:@ctype*coord f:f32",        {"geom": GATHERED, "dtype": TEXEL, "ctype": ("f32",)},                         "4.3 sm_30", minima={"f16": "4.3 sm_53"}, effect=Effect.MEMORY),
    Row("tld4",      "tld4.comp.geom.v4.dtype.ctype d{|p}, [t, smp, c]{, e}",        "d:>dtype*4 p:>pred t:texref smp:samplerref c:@f32*coord e:s32*offset",   {"comp": COMPONENT, "geom": GATHERED, "dtype": SET_RESULT, "ctype": ("f32",)}, "2.2 sm_20", minima={"a2d": "4.3 sm_30", "acube": "4.3 sm_30", "cube": "4.3 sm_30"}, effect=Effect.MEMORY),
    Row("txq",       "txq.q.type d, [t]",                                            "d:>b32 t:texref",                                                        {"q": TEXTURE_QUERY, "type": ("b32",)},                                        "1.5 sm_10", minima={"array_size": "4.1 sm_10", "channel_data_type": "3.1 sm_20", "channel_order": "2.1 sm_10", "num_mipmap_levels": "4.1 sm_20"}, effect=Effect.MEMORY),
    Row("txq_level", "txq.level.q.type d, [t], lod",                                 "d:>b32 t:texref lod:b32",                                                {"q": ("width", "height", "depth"), "type": ("b32",)},                         "4.3 sm_30", effect=Effect.MEMORY),
    Row("txq",       "txq.q.type d, [t]",                                            "d:>b32 t:samplerref",                                                    {"q": SAMPLER_QUERY, "type": ("b32",)},                                        "1.5 sm_10", minima={"force_unnormalized_coords": "2.2 sm_10"}, effect=Effect.MEMORY),
    Row("txq",       "txq.q.type d, [t]",                                            "d:>b32 t:texref",                                                        {"q": UNIFIED_QUERY, "type": ("b32",)},                                        "1.5 sm_10", effect=Effect.MEMORY),
    Row("istypep",   "istypep.type p, a",                                            "p:>pred a:u64",                                                          {"type": ("texref", "samplerref", "surfref")},                                 "4.0 sm_30"),
)
# fmt: on
