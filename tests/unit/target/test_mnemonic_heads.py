"""The heads by which rules are passed over never hide a rule that matches."""

from __future__ import annotations

import re

import pytest

from ptxlift.target.mnemonics import RULES, _head, _rule_for

# fmt: off
_SAMPLES = (
    "v_dot8_i32_i4", "v_add_nc_u32", "s_cmp_lt_f32", "image_sample_cd_g16",
    "global_atomic_pk_add_bf16", "flat_atomic_max_x2", "flat_atomic_fmax_x2",
    "ds_pk_add_rtn_f16", "s_dcache_wb_vol", "scratch_load_lds_dword", "s_scratch_store_dword",
    "s_set_inst_prefetch_distance", "v_permlanex16_b32", "v_permlane16_var_b32",
    "v_cvt_pk_f32_fp8", "v_cvt_f32_bf8", "tensor_store_from_lds",
    "cluster_load_async_to_lds_b32", "buffer_gl1_inv", "s_memrealtime",
    "v_mfma_scale_f32_16x16x128_f8f6f4", "v_mul_f32", "s_mov_b32", "ds_add_f64",
)
# fmt: on


@pytest.mark.parametrize("mnemonic", _SAMPLES)
def test_heads_hide_no_rule(mnemonic: str) -> None:
    rule = next((rule for rule in RULES if re.fullmatch(rule.pattern, mnemonic)), None)
    assert _rule_for(mnemonic) is rule


def test_heads_are_literal() -> None:
    for rule in RULES:
        assert re.fullmatch(r"\w*", _head(rule.pattern))
        if re.fullmatch(r"\w+", rule.pattern):
            assert _head(rule.pattern) == rule.pattern
