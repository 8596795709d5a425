"""Instruction rows: asynchronous warpgroup matrix operations.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Effect, Row
from ptxlift.isa.sets import (
    BYTES,
    F16_F32,
    FP8,
    WGMMA_INT_K32,
    WGMMA_INT_K64,
    WGMMA_INT_K256,
    WGMMA_K8,
    WGMMA_K16,
    WGMMA_K32,
    WGMMA_K64,
)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("wgmma_fence",        "wgmma.fence.sync.aligned",                                                                  "",                                                                        {},                                                                               "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_commit_group", "wgmma.commit_group.sync.aligned",                                                           "",                                                                        {},                                                                               "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_wait_group",   "wgmma.wait_group.sync.aligned n",                                                           "n:#",                                                                     {},                                                                               "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib, ta, tb",          "d:>frag(dtype)*wgmma_d a:b64 b:b64 sd:pred ia:#-1|1 ib:#-1|1 ta:#0|1 tb:#0|1", {"shape": WGMMA_K16, "dtype": F16_F32, "atype": ("f16",), "btype": ("f16",)},     "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib, ta, tb",          "d:>dtype*wgmma_d a:b64 b:b64 sd:pred ia:#-1|1 ib:#-1|1 ta:#0|1 tb:#0|1",  {"shape": WGMMA_K16, "dtype": ("f32",), "atype": ("bf16",), "btype": ("bf16",)},  "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib",                  "d:>dtype*wgmma_d a:b64 b:b64 sd:pred ia:#-1|1 ib:#-1|1",                  {"shape": WGMMA_K8, "dtype": ("f32",), "atype": ("tf32",), "btype": ("tf32",)},   "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib",                  "d:>frag(dtype)*wgmma_d a:b64 b:b64 sd:pred ia:#-1|1 ib:#-1|1",            {"shape": WGMMA_K32, "dtype": F16_F32, "atype": FP8, "btype": FP8},               "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, sd",              "d:>b32*wgmma_d a:b64 b:b64 sd:pred",                                      {"shape": WGMMA_INT_K32, "dtype": ("s32",), "atype": BYTES, "btype": BYTES},      "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype.and.popc d, a, b, sd",                 "d:>b32*wgmma_d a:b64 b:b64 sd:pred",                                      {"shape": WGMMA_INT_K256, "dtype": ("s32",), "atype": ("b1",), "btype": ("b1",)}, "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib, tb",              "d:>frag(dtype)*wgmma_d a:b32*4 b:b64 sd:pred ia:#-1|1 ib:#-1|1 tb:#0|1",  {"shape": WGMMA_K16, "dtype": F16_F32, "atype": ("f16",), "btype": ("f16",)},     "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib, tb",              "d:>dtype*wgmma_d a:b32*4 b:b64 sd:pred ia:#-1|1 ib:#-1|1 tb:#0|1",        {"shape": WGMMA_K16, "dtype": ("f32",), "atype": ("bf16",), "btype": ("bf16",)},  "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib",                  "d:>dtype*wgmma_d a:b32*4 b:b64 sd:pred ia:#-1|1 ib:#-1|1",                {"shape": WGMMA_K8, "dtype": ("f32",), "atype": ("tf32",), "btype": ("tf32",)},   "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, sd, ia, ib",                  "d:>frag(dtype)*wgmma_d a:b32*4 b:b64 sd:pred ia:#-1|1 ib:#-1|1",          {"shape": WGMMA_K32, "dtype": F16_F32, "atype": FP8, "btype": FP8},               "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, sd",              "d:>b32*wgmma_d a:b32*4 b:b64 sd:pred",                                    {"shape": WGMMA_INT_K32, "dtype": ("s32",), "atype": BYTES, "btype": BYTES},      "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async",    "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype.and.popc d, a, b, sd",                 "d:>b32*wgmma_d a:b32*4 b:b64 sd:pred",                                    {"shape": WGMMA_INT_K256, "dtype": ("s32",), "atype": ("b1",), "btype": ("b1",)}, "8.0 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib, ta, tb", "d:>frag(dtype)*wgmma_d a:b64 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1 ta:#0|1 tb:#0|1", {"shape": WGMMA_K32, "dtype": F16_F32, "atype": ("f16",), "btype": ("f16",)},     "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib, ta, tb", "d:>dtype*wgmma_d a:b64 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1 ta:#0|1 tb:#0|1", {"shape": WGMMA_K32, "dtype": ("f32",), "atype": ("bf16",), "btype": ("bf16",)},  "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib",         "d:>dtype*wgmma_d a:b64 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1",   {"shape": WGMMA_K16, "dtype": ("f32",), "atype": ("tf32",), "btype": ("tf32",)},  "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib",         "d:>frag(dtype)*wgmma_d a:b64 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1", {"shape": WGMMA_K64, "dtype": F16_F32, "atype": FP8, "btype": FP8},               "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, e, g, sd",     "d:>b32*wgmma_d a:b64 b:b64 e:b32! g:#0..3 sd:pred",                       {"shape": WGMMA_INT_K64, "dtype": ("s32",), "atype": BYTES, "btype": BYTES},      "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib, tb",     "d:>frag(dtype)*wgmma_d a:b32*4 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1 tb:#0|1", {"shape": WGMMA_K32, "dtype": F16_F32, "atype": ("f16",), "btype": ("f16",)},     "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib, tb",     "d:>dtype*wgmma_d a:b32*4 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1 tb:#0|1", {"shape": WGMMA_K32, "dtype": ("f32",), "atype": ("bf16",), "btype": ("bf16",)},  "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib",         "d:>dtype*wgmma_d a:b32*4 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1", {"shape": WGMMA_K16, "dtype": ("f32",), "atype": ("tf32",), "btype": ("tf32",)},  "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b, e, g, sd, ia, ib",         "d:>frag(dtype)*wgmma_d a:b32*4 b:b64 e:b32! g:#0..3 sd:pred ia:#-1|1 ib:#-1|1", {"shape": WGMMA_K64, "dtype": F16_F32, "atype": FP8, "btype": FP8},               "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
    Row("wgmma_mma_async_sp", "wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, e, g, sd",     "d:>b32*wgmma_d a:b32*4 b:b64 e:b32! g:#0..3 sd:pred",                     {"shape": WGMMA_INT_K64, "dtype": ("s32",), "atype": BYTES, "btype": BYTES},      "8.2 sm_90a", effect=Effect.WARP | Effect.MEMORY),
)
# fmt: on
