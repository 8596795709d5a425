"""The mnemonic rules against the verdicts of an assembler."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from ptxlift.target import all_targets, illegal_mnemonics, is_legal, lookup

MC = shutil.which("llvm-mc-19")
OLDER = [
    t.name
    for t in all_targets()
    if t.name not in {"gfx950", "gfx1250", "gfx1251", "gfx1153", "gfx9-4-generic"}
]
WORDS_TEXT = """
image_sample image_load image_sample_l image_gather4 image_get_lod v_permlane64_b32
v_permlane16_b32 v_permlanex16_b32 v_permlane16_var_b32 v_swaprel_b32 v_movrels_b32
s_set_gpr_idx_on v_xor3_b32 v_add_nc_u32 v_add_co_ci_u32 v_addc_co_u32 v_lshl_add_u64
v_maxmin_i32 v_xnor_b32 s_mul_u64 s_add_nc_u64 s_pack_hl_b32_b16 v_dot4_i32_i8 v_dot4_u32_u8
v_dot8_i32_i4 v_dot8_u32_u4 v_dot4_i32_iu8 v_dot8_i32_iu4 v_dot4c_i32_i8 v_dot2_f32_f16
v_dot2c_f32_f16 v_dot2_f32_bf16 v_dot2_f16_f16 v_dot2_bf16_bf16 v_dot2_i32_i16 v_dot2_u32_u16
v_dot4_f32_fp8_bf8 v_pk_fma_f32 v_pk_mul_f32 v_pk_add_f32 v_pk_minimum_f16 v_mad_mix_f32
v_mad_mixlo_f16 v_fma_mix_f32 v_fma_mixhi_f16 v_mad_f32 v_mac_f32 v_madak_f32 v_mad_f16
v_fmac_f64 v_fmac_f32 v_fmaak_f32 v_fmamk_f32 v_fmac_f16 v_minimum_f32 v_maximum_f64
v_minimum3_f32 v_min_num_f32 v_s_exp_f32 s_add_f32 s_fmac_f32 s_cmp_lt_f32 s_cvt_f32_i32
v_mov_b64 v_pk_mov_b32 v_cvt_pk_fp8_f32 v_cvt_sr_bf8_f32 v_cvt_f32_fp8 v_cvt_pk_f32_bf8
flat_atomic_add_f32 global_atomic_add_f64 flat_atomic_add_f64 flat_atomic_pk_add_f16
global_atomic_pk_add_bf16 global_atomic_fmin_x2 global_atomic_fmin global_atomic_csub
global_atomic_cond_sub_u32 ds_add_f64 ds_add_rtn_f64 ds_pk_add_f16 ds_pk_add_rtn_bf16
ds_cond_sub_u32 tbuffer_load_format_x s_load_u8 s_buffer_load_i16 s_load_b96 s_store_dword
s_atomic_add s_dcache_wb global_load_tr_b128 s_prefetch_data buffer_gl0_inv global_inv
buffer_wbinvl1 buffer_wbl2 buffer_inv s_barrier s_barrier_signal s_barrier_wait s_barrier_init
s_barrier_join s_barrier_leave s_get_barrier_state s_sleep_var s_waitcnt_vscnt s_wait_loadcnt
s_wait_storecnt s_wait_kmcnt s_wait_dscnt s_delay_alu s_clause s_inst_prefetch s_round_mode
s_denorm_mode s_memtime s_memrealtime s_sendmsg_rtn_b32 v_accvgpr_read_b32
v_accvgpr_mov_b32 v_mfma_f32_32x32x8f16 v_mfma_f32_32x32x8bf16_1k v_mfma_f64_16x16x4f64
v_mfma_f32_16x16x8xf32 v_mfma_f32_16x16x32_fp8_fp8 v_mfma_i32_16x16x32i8 v_mfma_i32_16x16x16i8
v_mfma_f32_16x16x8bf16 v_smfmac_f32_16x16x32_f16 v_wmma_f32_16x16x16_f16
v_wmma_f32_16x16x16_fp8_bf8 v_swmmac_f32_16x16x32_f16 v_bfi_b32 v_perm_b32 v_add3_u32
"""
WORDS = WORDS_TEXT.split()


def rejected(chip: str, words: list[str]) -> set[str]:
    """What the assembler calls unsupported; it complains about missing operands for the others."""
    command = [MC or "", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=null", "-"]
    run = subprocess.run(command, input="\n".join(words), capture_output=True, text=True)
    found = re.findall(r":(\d+):\d+: error: instruction not supported on this GPU", run.stderr)
    return {words[int(number) - 1] for number in found}


@pytest.mark.skipif(MC is None, reason="llvm-mc-19 is not installed")
@pytest.mark.parametrize("chip", OLDER)
def test_rules_agree_with_assembler(chip: str) -> None:
    target = lookup(chip).target
    no = rejected(chip, WORDS)
    assert "v_bfi_b32" not in no
    assert [w for w in WORDS if is_legal(target, w) != (w not in no)] == []


def test_listing_of_images_on_a_chip_without() -> None:
    listing = (
        "BB0_0:\n\ts_load_dwordx8 s[0:7], s[4:5], 0x0 ; C00E0002 00000000\n"
        "\timage_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf ; F0800F00 00400000\n"
        "\timage_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf ; image_load\n"
        "\tv_xor3_b32 v0, v1, v2, v3\n\ts_endpgm\n"
    )
    assert illegal_mnemonics(lookup("gfx942").target, listing) == ["image_sample", "v_xor3_b32"]
    assert illegal_mnemonics(lookup("gfx90a").target, listing) == ["v_xor3_b32"]
    assert illegal_mnemonics(lookup("gfx1030").target, listing) == []
    assert illegal_mnemonics(lookup("gfx1250").target, listing) == ["image_sample"]


def test_both_halves_of_a_dual_instruction() -> None:
    listing = "\tv_dual_mov_b32 v0, v1 :: v_dual_fmac_f32 v2, v3, v4"
    expected = ["v_dual_mov_b32", "v_dual_fmac_f32"]
    assert illegal_mnemonics(lookup("gfx1030").target, listing) == expected
    assert illegal_mnemonics(lookup("gfx1100").target, listing) == []


def test_encoding_suffixes_do_not_matter() -> None:
    gfx9, gfx10 = lookup("gfx90a").target, lookup("gfx1010").target
    for word in ("v_fmac_f64_e32", "v_fmac_f64_e64", "v_fmac_f64_dpp", "v_fmac_f64_e64_dpp"):
        assert is_legal(gfx9, word)
        assert not is_legal(gfx10, word)
