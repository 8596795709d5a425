"""Instruction rows: asynchronous copy and tensor maps.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import (
    address_field,
    bulk_global_fits,
    bulk_shared_fits,
    stride_field,
    tensor_load,
    tensor_store,
)
from ptxlift.isa.row import Effect, Row
from ptxlift.isa.sets import (
    B32_B64,
    BULK_TYPE,
    CTA_GROUP,
    DIMENSION,
    F16_BF16,
    PREFETCH_SIZE,
    REDUCE,
    SHARED_CTA,
    TENSOR_MODE,
    TENSORMAP_CONTROL,
    TENSORMAP_SPACE,
)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("cp_async",                      "cp.async.cop.state.global{.cache_hint}{.prefetch_size} [dst], [src], size{, srcsize}{, cache-policy}", "dst:[shared] src:[global] size:#4|8|16 srcsize:^u32 cache-policy:b64?cache_hint", {"cop": ("ca",), "state": SHARED_CTA, "cache_hint": ("L2::cache_hint",), "prefetch_size": PREFETCH_SIZE}, "7.0 sm_80",     minima={"L2::128B": "7.4 sm_80", "L2::256B": "7.4 sm_80", "L2::64B": "7.4 sm_80", "L2::cache_hint": "7.4 sm_80"}, effect=Effect.MEMORY),
    Row("cp_async",                      "cp.async.cop.state.global{.cache_hint}{.prefetch_size} [dst], [src], size, ignore{, cache-policy}", "dst:[shared] src:[global] size:#4|8|16 ignore:pred cache-policy:b64?cache_hint", {"cop": ("ca",), "state": SHARED_CTA, "cache_hint": ("L2::cache_hint",), "prefetch_size": PREFETCH_SIZE}, "7.5 sm_80",     effect=Effect.MEMORY),
    Row("cp_async",                      "cp.async.cop.state.global{.cache_hint}{.prefetch_size} [dst], [src], size{, srcsize}{, cache-policy}", "dst:[shared] src:[global] size:#16 srcsize:^u32 cache-policy:b64?cache_hint", {"cop": ("cg",), "state": SHARED_CTA, "cache_hint": ("L2::cache_hint",), "prefetch_size": PREFETCH_SIZE}, "7.0 sm_80",     minima={"L2::128B": "7.4 sm_80", "L2::256B": "7.4 sm_80", "L2::64B": "7.4 sm_80", "L2::cache_hint": "7.4 sm_80"}, effect=Effect.MEMORY),
    Row("cp_async",                      "cp.async.cop.state.global{.cache_hint}{.prefetch_size} [dst], [src], size, ignore{, cache-policy}", "dst:[shared] src:[global] size:#16 ignore:pred cache-policy:b64?cache_hint", {"cop": ("cg",), "state": SHARED_CTA, "cache_hint": ("L2::cache_hint",), "prefetch_size": PREFETCH_SIZE}, "7.5 sm_80",     effect=Effect.MEMORY),
    Row("cp_async_commit_group",         "cp.async.commit_group",                                                     "",                                                                        {},                                                                            "7.0 sm_80",     effect=Effect.MEMORY),
    Row("cp_async_wait_group",           "cp.async.wait_group n",                                                     "n:#",                                                                     {},                                                                            "7.0 sm_80",     effect=Effect.MEMORY),
    Row("cp_async_wait_all",             "cp.async.wait_all",                                                         "",                                                                        {},                                                                            "7.0 sm_80",     effect=Effect.MEMORY),
    Row("cp_async_mbarrier_arrive",      "cp.async.mbarrier.arrive{.noinc}{.ss}.type [a]",                            "a:[ss]",                                                                  {"ss": SHARED_CTA, "type": ("b64",)},                                          "7.0 sm_80",     minima={"shared::cta": "7.8 sm_80"}, effect=Effect.MEMORY),
    Row("cp_async_bulk",                 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.cache_hint} [dst], [src], size, [mbar]{, cache-policy}", "dst:[shared] src:[global] size:^u32 mbar:[shared] cache-policy:b64?cache_hint", {"cache_hint": ("L2::cache_hint",)},                                           "8.6 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk",                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast}{.cache_hint} [dst], [src], size, [mbar]{, ctamask}{, cache-policy}", "dst:[shared] src:[global] size:^u32 mbar:[shared] ctamask:b16?multicast cache-policy:b64?cache_hint", {"multicast": ("multicast::cluster",), "cache_hint": ("L2::cache_hint",)},     "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk",                 "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], size, [mbar]", "dst:[shared] src:[shared] size:^u32 mbar:[shared]",                       {},                                                                            "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk",                 "cp.async.bulk.global.shared::cta.bulk_group{.cache_hint}{.cp_mask} [dst], [src], size{, cache-policy}{, bytemask}", "dst:[global] src:[shared] size:^u32 cache-policy:b64?cache_hint bytemask:b16?cp_mask", {"cache_hint": ("L2::cache_hint",)},                                           "8.0 sm_90",     minima={"cp_mask": "8.6 sm_100"}, effect=Effect.MEMORY),
    Row("cp_reduce_async_bulk",          "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dst], [src], size, [mbar]", "dst:[shared] src:[shared] size:^u32 mbar:[shared]",                       {"op": REDUCE, "type": ("b32", "u32", "s32", "b64", "u64")},                   "8.0 sm_90",     when=bulk_shared_fits, effect=Effect.MEMORY),
    Row("cp_reduce_async_bulk",          "cp.reduce.async.bulk.global.shared::cta.bulk_group{.cache_hint}.op.type [dst], [src], size{, cache-policy}", "dst:[global] src:[shared] size:^u32 cache-policy:b64?cache_hint",         {"cache_hint": ("L2::cache_hint",), "op": REDUCE, "type": BULK_TYPE},          "8.0 sm_90",     when=bulk_global_fits, effect=Effect.MEMORY),
    Row("cp_reduce_async_bulk",          "cp.reduce.async.bulk.global.shared::cta.bulk_group{.cache_hint}.add.noftz.type [dst], [src], size{, cache-policy}", "dst:[global] src:[shared] size:^u32 cache-policy:b64?cache_hint",         {"cache_hint": ("L2::cache_hint",), "type": F16_BF16},                         "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk_prefetch",        "cp.async.bulk.prefetch.L2.global{.cache_hint} [src], size{, cache-policy}", "src:[global] size:^u32 cache-policy:b64?cache_hint",                      {"cache_hint": ("L2::cache_hint",)},                                           "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk_commit_group",    "cp.async.bulk.commit_group",                                                "",                                                                        {},                                                                            "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk_wait_group",      "cp.async.bulk.wait_group{.read} n",                                         "n:#",                                                                     {},                                                                            "8.0 sm_90",     effect=Effect.MEMORY),
    Row("cp_async_bulk_tensor",          "cp.async.bulk.tensor.dim.shared::cta.global{.lm}.mbarrier::complete_tx::bytes{.cta_group}{.cache_hint} [dst], [tm, coords], [mbar]{, im2col}{, cache-policy}", "dst:[shared] tm:b64 coords:s32*tensor_coord mbar:[shared] im2col:b16*im2col?im2col cache-policy:b64?cache_hint", {"dim": DIMENSION, "lm": TENSOR_MODE, "cta_group": CTA_GROUP, "cache_hint": ("L2::cache_hint",)}, "8.6 sm_90",     minima={"cta_group::1": "8.6 tcgen05", "cta_group::2": "8.6 tcgen05", "im2col::w": "8.6 sm_100", "im2col::w::128": "8.6 tcgen05", "tile::gather4": "8.6 sm_100"}, when=tensor_load, effect=Effect.MEMORY),
    Row("cp_async_bulk_tensor",          "cp.async.bulk.tensor.dim.shared::cluster.global{.lm}.mbarrier::complete_tx::bytes{.multicast}{.cta_group}{.cache_hint} [dst], [tm, coords], [mbar]{, im2col}{, ctamask}{, cache-policy}", "dst:[shared] tm:b64 coords:s32*tensor_coord mbar:[shared] im2col:b16*im2col?im2col ctamask:b16?multicast cache-policy:b64?cache_hint", {"dim": DIMENSION, "lm": TENSOR_MODE, "multicast": ("multicast::cluster",), "cta_group": CTA_GROUP, "cache_hint": ("L2::cache_hint",)}, "8.0 sm_90",     minima={"cta_group::1": "8.6 tcgen05", "cta_group::2": "8.6 tcgen05", "im2col::w": "8.6 tcgen05", "im2col::w::128": "8.6 tcgen05", "tile::gather4": "8.6 tcgen05"}, when=tensor_load, effect=Effect.MEMORY),
    Row("cp_async_bulk_tensor",          "cp.async.bulk.tensor.dim.global.shared::cta{.lm}.bulk_group{.cache_hint} [tm, coords], [src]{, cache-policy}", "tm:b64 coords:s32*tensor_coord src:[shared] cache-policy:b64?cache_hint", {"dim": DIMENSION, "lm": ("tile", "tile::scatter4", "im2col_no_offs"), "cache_hint": ("L2::cache_hint",)}, "8.0 sm_90",     minima={"tile::scatter4": "8.6 tcgen05"}, when=tensor_store, effect=Effect.MEMORY),
    Row("cp_reduce_async_bulk_tensor",   "cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.lm}.bulk_group{.cache_hint} [tm, coords], [src]{, cache-policy}", "tm:b64 coords:s32*tensor_coord src:[shared] cache-policy:b64?cache_hint", {"dim": DIMENSION, "op": ("add", "min", "max", "inc", "dec", "and", "or", "xor"), "lm": ("tile", "im2col_no_offs"), "cache_hint": ("L2::cache_hint",)}, "8.0 sm_90",     when=tensor_store, effect=Effect.MEMORY),
    Row("cp_async_bulk_prefetch_tensor", "cp.async.bulk.prefetch.tensor.dim.L2.global{.lm}{.cache_hint} [tm, coords]{, im2col}{, cache-policy}", "tm:b64 coords:s32*tensor_coord im2col:b16*im2col?im2col cache-policy:b64?cache_hint", {"dim": DIMENSION, "lm": TENSOR_MODE, "cache_hint": ("L2::cache_hint",)},      "8.0 sm_90",     minima={"im2col::w": "8.6 tcgen05", "im2col::w::128": "8.6 tcgen05", "tile::gather4": "8.6 tcgen05"}, when=tensor_load, effect=Effect.MEMORY),
    Row("tensormap_replace",             "tensormap.replace.tile.field{.ss}.b1024.type [a], v",                       "a:[ss] v:type",                                                           {"field": ("global_address", "rank"), "ss": TENSORMAP_SPACE, "type": B32_B64}, "8.3 hopper_up", when=address_field, effect=Effect.MEMORY),
    Row("tensormap_replace",             "tensormap.replace.tile.field{.ss}.b1024.type [a], ord, v",                  "a:[ss] ord:# v:type",                                                     {"field": ("box_dim", "global_dim", "global_stride", "element_stride"), "ss": TENSORMAP_SPACE, "type": B32_B64}, "8.3 hopper_up", when=stride_field, effect=Effect.MEMORY),
    Row("tensormap_replace",             "tensormap.replace.tile.field{.ss}.b1024.b32 [a], v",                        "a:[ss] v:#",                                                              {"field": TENSORMAP_CONTROL, "ss": TENSORMAP_SPACE},                           "8.3 hopper_up", minima={"swizzle_atomicity": "8.6 blackwell"}, effect=Effect.MEMORY),
)
# fmt: on
