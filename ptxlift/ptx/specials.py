"""Special registers: their types, components and versions, as ptxas 13 has them.

Data, and lookup by name. This module must know nothing of instructions but that `mov` reads special
registers.
"""

from __future__ import annotations

from functools import cache

from ptxlift.isa import Type, type_of
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Special:
    """`name` with its `%`. `vector`: has components x, y, z, w. `short`: 16-bit moves may read it.

    `signature`: what an operand check needs to know, as one hashable word. `since`: least version
    and target.
    """

    name: str
    type: Type
    vector: bool
    short: bool
    since: str
    signature: str


# fmt: off
_TABLE: tuple[tuple[str, str, str, str], ...] = (
    # names                                               type    vector, short    since
    ("%tid %ntid %ctaid %nctaid",                         "u32",  "vector short",  "1.0 sm_10"),
    ("%laneid %warpid %smid %pm0 %pm1 %pm2 %pm3",         "u32",  "",              "1.3 sm_10"),
    ("%nwarpid %nsmid",                                   "u32",  "",              "2.0 sm_20"),
    ("%gridid",                                           "u64",  "short",         "1.0 sm_10"),
    ("%lanemask_eq %lanemask_le %lanemask_lt",            "u32",  "",              "2.0 sm_20"),
    ("%lanemask_ge %lanemask_gt",                         "u32",  "",              "2.0 sm_20"),
    ("%clock",                                            "u32",  "",              "1.0 sm_10"),
    ("%clock_hi",                                         "u32",  "",              "5.0 sm_20"),
    ("%clock64",                                          "u64",  "",              "2.0 sm_20"),
    ("%globaltimer",                                      "u64",  "",              "3.1 sm_30"),
    ("%globaltimer_lo %globaltimer_hi",                   "u32",  "",              "3.1 sm_30"),
    ("%pm4 %pm5 %pm6 %pm7",                               "u32",  "",              "3.0 sm_20"),
    ("%pm0_64 %pm1_64 %pm2_64 %pm3_64",                   "u64",  "",              "4.0 sm_50"),
    ("%pm4_64 %pm5_64 %pm6_64 %pm7_64",                   "u64",  "",              "4.0 sm_50"),
    (" ".join(f"%envreg{n}" for n in range(32)),          "b32",  "",              "1.0 sm_10"),
    ("%is_explicit_cluster",                              "pred", "",              "7.8 sm_90"),
    ("%clusterid %nclusterid",                            "u32",  "vector",        "7.8 sm_90"),
    ("%cluster_ctaid %cluster_nctaid",                    "u32",  "vector",        "7.8 sm_90"),
    ("%cluster_ctarank %cluster_nctarank",                "u32",  "",              "7.8 sm_90"),
    ("%total_smem_size %dynamic_smem_size",               "u32",  "",              "4.1 sm_20"),
    ("%aggr_smem_size",                                   "u32",  "",              "8.1 sm_90"),
    ("%reserved_smem_offset_begin",                       "b32",  "",              "7.6 sm_80"),
    ("%reserved_smem_offset_end",                         "b32",  "",              "7.6 sm_80"),
    ("%reserved_smem_offset_cap",                         "b32",  "",              "7.6 sm_80"),
    ("%reserved_smem_offset_0 %reserved_smem_offset_1",   "b32",  "",              "7.6 sm_80"),
    ("%current_graph_exec",                               "u64",  "",              "8.0 sm_50"),
)
# fmt: on


@cache
def specials() -> dict[str, Special]:
    """Every special register by name."""
    found = {}
    for names, type_name, flags, since in _TABLE:
        for name in names.split():
            found[name] = Special(
                name,
                type_of(type_name),
                "vector" in flags,
                "short" in flags,
                since,
                f"special {name}",
            )
    return found
