"""Instruction rows: extended-precision integer arithmetic (carry flag).

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.constraints import carry_fits
from ptxlift.isa.row import Row
from ptxlift.isa.sets import CARRY_INT, HI_LO, INT

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("add_cc", "add.cc.type d, a, b",            "d:>type a:type b:type",        {"type": CARRY_INT},                "1.4 sm_10", minima={"s64": "4.3 sm_20", "u64": "4.3 sm_20"}, carry="out"),
    Row("addc",   "addc{.cc}.type d, a, b",         "d:>type a:type b:type",        {"type": INT},                      "1.4 sm_10", minima={"cc+s64": "4.3 sm_20", "cc+u64": "4.3 sm_20"}, when=carry_fits, carry="in out"),
    Row("sub_cc", "sub.cc.type d, a, b",            "d:>type a:type b:type",        {"type": CARRY_INT},                "1.4 sm_10", minima={"s64": "4.3 sm_20", "u64": "4.3 sm_20"}, carry="out"),
    Row("subc",   "subc{.cc}.type d, a, b",         "d:>type a:type b:type",        {"type": INT},                      "1.4 sm_10", minima={"cc+s64": "4.3 sm_20", "cc+u64": "4.3 sm_20"}, when=carry_fits, carry="in out"),
    Row("mad_cc", "mad.mode.cc.type d, a, b, c",    "d:>type a:type b:type c:type", {"mode": HI_LO, "type": CARRY_INT}, "3.0 sm_20", minima={"s64": "4.3 sm_20", "u64": "4.3 sm_20"}, carry="out"),
    Row("madc",   "madc.mode{.cc}.type d, a, b, c", "d:>type a:type b:type c:type", {"mode": HI_LO, "type": CARRY_INT}, "3.0 sm_20", minima={"cc+s64": "4.3 sm_20", "cc+u64": "4.3 sm_20"}, carry="in out"),
)
# fmt: on
