"""Every row with a semantics function has values from outside, or says here where it is checked.

`ELSEWHERE` may only shrink: a row that gets a vector file must leave it.
"""

from __future__ import annotations

from functools import cache

from replay import instruction
from test_replay import all_sections

from ptxlift.semantics.registry import names

# fmt: off
ELSEWHERE = {
    "tests/unit/semantics/test_against_manual.py":
        "add_int_x2 min_int_x2 max_int_x2 mad_cc add_cc sub_cc lop3",
    "tests/unit/semantics/test_float_rows.py":
        "add_f64 sub_f64 mul_f64 fma_f64 mad_f64 div_f64 rcp_f64 sqrt_f64 fma_f32 mad_f32 "
        "add_f32x2 sub_f32x2 mul_f32x2 fma_f32x2 add_mixed sub_mixed fma_mixed fma_half "
        "min3_f32 max3_f32 rcp_approx_f64 rsqrt_f64 tanh_f32 tanh_half ex2_half "
        "set_half set_half_x2 set_to_half setp_half setp_half_x2",
    "tests/unit/semantics/test_moves_and_flags.py":
        "mov mov_pred mov_pack mov_unpack and_pred or_pred xor_pred not_pred addc subc madc "
        "lop3_pred cvt_pack cvt_f8x2_half cvt_ue8m0x2_half vadd_merge vsub_merge vabsdiff_merge "
        "vmin_merge vmax_merge vset_merge vshl_merge vshr_merge",
    "tests/unit/semantics/test_stochastic.py":
        "cvt_half_x2_rs cvt_f8x4_rs cvt_f6x4_rs cvt_f4x4_rs",
}
# fmt: on


@cache
def covered() -> set[str]:
    """Names of the rows that some vector file exercises."""
    return {instruction(section).form.name for section in all_sections()}


def test_every_row_has_a_source() -> None:
    elsewhere = {name for words in ELSEWHERE.values() for name in words.split()}
    missing = names() - covered() - elsewhere
    assert not missing, sorted(missing)


def test_no_row_is_excused_needlessly() -> None:
    elsewhere = {name for words in ELSEWHERE.values() for name in words.split()}
    assert not elsewhere & covered()
    assert elsewhere <= names()
