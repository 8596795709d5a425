"""Which emitted mnemonics a chip does not have.

Comes in: a target and an assembly listing. Goes out: the mnemonics in it that the target lacks.
LLVM writes some of them without complaint (image instructions on gfx942). It must know no chip by
name: a rule asks for a feature or a generation.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from os.path import commonprefix

from ptxlift.records import dataclass
from ptxlift.target.features import Feature as F
from ptxlift.target.model import Target


@dataclass(frozen=True, slots=True)
class Rule:
    """Mnemonics that match `pattern` need `feature` and a generation from `first` to `last`."""

    pattern: str
    feature: F | None = None
    first: int = 9
    last: int = 12

    def allows(self, target: Target) -> bool:
        """Whether the target may execute what the rule describes."""
        if not self.first <= target.generation <= self.last:
            return False
        return self.feature is None or target.has(self.feature)


# The first rule whose pattern matches the whole mnemonic decides; without one it is common to all.
# fmt: off
RULES: tuple[Rule, ...] = (
    # Images.
    Rule(r"image_bvh.*", F.BVH),
    Rule(r"image_sample_.*_g16", F.IMAGE_EXTENDED, first=10),
    Rule(r"image_sample_(c_)?cd.*", F.IMAGE_EXTENDED, last=10),
    Rule(r"image_(sample_.*|gather4.*|get_lod)", F.IMAGE_EXTENDED),
    Rule(r"image_.*", F.IMAGE),
    # Lane permutations.
    Rule(r"v_permlane64_b32", F.PERMLANE64),
    Rule(r"v_permlanex?16_var_b32", F.PERMLANE_VAR),
    Rule(r"v_permlane16_swap_b32", F.PERMLANE16_SWAP),
    Rule(r"v_permlane32_swap_b32", F.PERMLANE32_SWAP),
    Rule(r"v_permlane_idx_gen_b32", F.PERMLANE_IDX_GEN),
    Rule(r"v_permlane_(bcast|up|down|xor)_b32", F.PERMLANE_BCAST),
    Rule(r"v_permlanex?16_b32", F.PERMLANE16),
    Rule(r"ds_bpermute_fi_b32", F.DS_BPERMUTE_FI),
    Rule(r"v_swaprel_b32", F.SWAPREL),
    Rule(r"v_movrel(s|d|sd|sd_2)_b32", F.MOVRELS),
    Rule(r"s_set_gpr_idx_.*", F.GPR_IDX_MODE),
    # Integers.
    Rule(r"v_bitop3_b(16|32)", F.V_BITOP3),
    Rule(r"v_xor3_b32", F.V_XOR3),
    Rule(r"v_mad_nc_[ui]64_[ui]32", F.MAD_NC_U64),
    Rule(r"v_mul_u64", F.MUL_U64),
    Rule(r"v_(add|sub)_nc_u64", F.ADD_NC_U64),
    Rule(r"v_(add|sub|subrev)_nc_.*", first=10),
    Rule(r"v_(addc|subb|subbrev)_co_u32", last=9),
    Rule(r"v_(add|sub|subrev)_co_ci_u32", first=10),
    Rule(r"v_lshl_add_u64", F.LSHL_ADD_U64),
    Rule(r"v_mad_u32", F.MAD_U32),
    Rule(r"v_(maxmin|minmax)_[iu]32", F.MAXMIN),
    Rule(r"v_(min|max)_[iu]64", F.MIN_U64),
    Rule(r"v_(add|sub)_(min|max)_[iu]32", F.ADD_MAX_U32),
    Rule(r"v_ashr_pk_[iu]8_i32", F.ASHR_PK_I8),
    Rule(r"v_xnor_b32", F.FMAC_F32),
    Rule(r"s_mul_u64", F.S_MUL_U64),
    Rule(r"s_(add|sub)_nc_u64", F.S_ADD_U64),
    Rule(r"s_pack_hl_b32_b16", F.S_PACK_HL),
    # Dot products.
    Rule(r"v_dot4_i32_i8|v_dot8_i32_i4|v_dot2_[iu]32_[iu]16", F.DOT2_I16),
    Rule(r"v_dot4_u32_u8|v_dot8_u32_u4", F.DOT4_I8),
    Rule(r"v_dot4_i32_iu8", F.DOT4_IU8),
    Rule(r"v_dot8_i32_iu4", F.DOT8_IU4),
    Rule(r"v_dot4c_i32_i8", F.DOT4C_I8),
    Rule(r"v_dot2_f32_f16", F.DOT2_F32_F16),
    Rule(r"v_dot2c_f32_f16", F.DOT2C_F32_F16),
    Rule(r"v_dot2_f32_bf16", F.DOT2_F32_BF16),
    Rule(r"v_dot2c_f32_bf16", F.DOT2C_F32_BF16),
    Rule(r"v_dot2_f16_f16", F.DOT2_F16_F16),
    Rule(r"v_dot2_bf16_bf16", F.DOT2_BF16_BF16),
    Rule(r"v_dot4_f32_(fp8|bf8)_(fp8|bf8)", F.DOT4_F32_FP8),
    # Floating point.
    Rule(r"v_pk_(fma|mul|add)_f32", F.PK_FMA_F32),
    Rule(r"v_pk_.*_bf16", F.PK_BF16),
    Rule(r"v_pk_(minimum|maximum)_f16", F.PK_MINIMUM_F16),
    Rule(r"v_pk_(minimum|maximum)3_f16", F.PK_MINIMUM3_F16),
    Rule(r"v_mad_mix(lo|hi)?_.*", F.MAD_MIX),
    Rule(r"v_fma_mix(lo|hi)?_(bf16|f32_bf16)", F.FMA_MIX_BF16),
    Rule(r"v_fma_mix(lo|hi)?_.*", F.FMA_MIX),
    Rule(r"v_(mad|mac|madak|madmk|mad_legacy)_f32", F.MAD_F32),
    Rule(r"v_(mad|mac|madak|madmk)_f16", last=9),
    Rule(r"v_fmac_f64", F.FMAC_F64),
    Rule(r"v_fmac_f32", F.FMAC_F32),
    Rule(r"v_fma(ak|mk)_f32", F.FMAAK),
    Rule(r"v_(fmac|fmaak|fmamk)_f16", first=10),
    Rule(r"v_(minimum|maximum)_f(16|32|64)", F.MINIMUM_F32),
    Rule(r"v_(minimum|maximum)3_f32", F.MINIMUM3_F32),
    Rule(r"v_(min|max)_num_f(16|32|64)", F.MIN_NUM),
    Rule(r"v_tanh_.*", F.TANH),
    Rule(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_bf16", F.BF16_TRANSCENDENTAL),
    Rule(r"v_s_(exp|log|rcp|rsq|sqrt)_f(16|32)", F.SCALAR_TRANSCENDENTAL),
    Rule(r"s_(add|sub|mul|min|max|fmac|fmaak|fmamk|ceil|floor|rndne|trunc)_f(16|32)", F.SALU_FLOAT),
    Rule(r"s_cmp_\w+_f(16|32)", F.SALU_FLOAT),
    Rule(r"s_cvt_.*", F.SALU_FLOAT),
    Rule(r"v_dual_.*", F.VOPD),
    Rule(r"v_mov_b64", F.MOV_B64),
    Rule(r"v_pk_mov_b32", F.FMAC_F64, last=9),
    # Conversions.
    Rule(r"v_cvt_pk_bf16_f32", F.CVT_PK_BF16),
    Rule(r"v_cvt_sr_pk_bf16_f32", F.CVT_SR_PK_BF16),
    Rule(r"v_cvt_sr_bf16_f32", F.CVT_SR_BF16),
    Rule(r"v_cvt_f32_bf16", F.CVT_F32_BF16),
    Rule(r"v_cvt_pk_f16_f32", F.CVT_PK_F16),
    Rule(r"v_cvt_sr_pk_f16_f32", F.CVT_SR_PK_F16),
    Rule(r"v_cvt_pk_(fp8|bf8)_f16", F.CVT_PK_FP8_F16),
    Rule(r"v_cvt_scalef32_.*", F.CVT_SCALEF32),
    Rule(r"v_cvt_scale_pk8_.*", F.CVT_SCALE_PK8),
    Rule(r"v_cvt_(pk|sr)_(fp8|bf8)_f32|v_cvt_(pk_)?f32_(fp8|bf8)", F.CVT_FP8),
    Rule(r"v_prng_b32", F.PRNG),
    # Atomics.
    Rule(r"(global|buffer)_atomic_add_f32", F.GLOBAL_ATOMIC_ADD_F32),
    Rule(r"flat_atomic_add_f32", F.FLAT_ATOMIC_ADD_F32),
    Rule(r"(global|flat|buffer)_atomic_add_f64", F.GLOBAL_ATOMIC_ADD_F64),
    Rule(r"(global|buffer)_atomic_pk_add_f16", F.GLOBAL_ATOMIC_PK_ADD_F16),
    Rule(r"(global|buffer)_atomic_pk_add_bf16", F.GLOBAL_ATOMIC_PK_ADD_BF16),
    Rule(r"flat_atomic_pk_add_b?f16", F.FLAT_ATOMIC_PK_ADD),
    Rule(r"(global|flat|buffer)_atomic_(min|max)_f64", F.GLOBAL_ATOMIC_MIN_F64),
    Rule(r"(global|flat|buffer)_atomic_f(min|max)_x2", F.GLOBAL_ATOMIC_MIN_F64, first=10, last=10),
    Rule(r"(global|flat|buffer)_atomic_(f(min|max)|(min|max)(_num)?_f32)", F.GLOBAL_ATOMIC_MIN_F32),
    Rule(r"(global|buffer)_atomic_csub(_u32)?", F.GLOBAL_ATOMIC_CSUB),
    Rule(r"(global|flat|buffer)_atomic_(cond_sub|sub_clamp)_u32", F.GLOBAL_ATOMIC_COND_SUB),
    Rule(r"ds_add(_rtn)?_f64", F.DS_ADD_F64),
    Rule(r"ds_pk_add(_rtn)?_b?f16", F.DS_PK_ADD),
    Rule(r"ds_(cond_sub|sub_clamp)(_rtn)?_u32", F.DS_COND_SUB),
    # Memory.
    Rule(r"ds_bvh_stack.*", F.BVH_STACK),
    Rule(r"tbuffer_.*", F.TBUFFER),
    Rule(r"global_load_lds_dwordx[34]", F.GLOBAL_LOAD_LDS_WIDE),
    Rule(r"(global|scratch)_load_lds_.*", F.GLOBAL_LOAD_LDS),
    Rule(r"(global|cluster)_load_async_to_lds_.*|global_store_async_from_lds_.*", F.ASYNC_TO_LDS),
    Rule(r"tensor_(load_to|store_from)_lds", F.TENSOR_TO_LDS),
    Rule(r"cluster_load_.*", F.CLUSTER_LOAD),
    Rule(r"s_(buffer_)?load_[iu](8|16)", F.S_LOAD_SUBWORD),
    Rule(r"s_(buffer_)?load_b96", F.S_LOAD_B96),
    Rule(r"s_(buffer_|scratch_)?(store|atomic)_.*|s_dcache_(wb|discard).*", F.S_STORE),
    Rule(r"ds_read_b(64|96)_tr_.*", F.DS_READ_TR),
    Rule(r"ds_load_tr\d+_.*", F.DS_LOAD_TR),
    Rule(r"global_load_tr_.*", F.GLOBAL_LOAD_TR),
    Rule(r"global_prefetch_b8", F.GLOBAL_PREFETCH),
    Rule(r"s_(buffer_)?prefetch_.*", F.S_PREFETCH),
    Rule(r"buffer_gl[01]_inv", first=10, last=11),
    Rule(r"global_(inv|wb|wbinv)", first=12),
    Rule(r"buffer_wbinvl1(_vol)?", last=9),
    Rule(r"buffer_wbl2", F.FMAC_F64, last=9),
    Rule(r"buffer_inv", F.MOV_B64, last=9),
    # Barriers, waits, clocks, modes.
    Rule(r"s_barrier", F.S_BARRIER),
    Rule(r"s_barrier_(init|join|leave)", F.NAMED_BARRIER),
    Rule(r"s_wakeup_barrier", F.WAKEUP_BARRIER),
    Rule(r"s_barrier_.*|s_get_barrier_state", F.SPLIT_BARRIER),
    Rule(r"s_sleep_var", F.SLEEP_VAR),
    Rule(r"s_monitor_sleep", F.MONITOR_SLEEP),
    Rule(r"s_waitcnt", F.S_WAITCNT),
    Rule(r"s_waitcnt_(vscnt|vmcnt|expcnt|lgkmcnt)", F.WAITCNT_VSCNT),
    Rule(r"s_wait_(load|store|sample|bvh|ds|km)cnt(_dscnt)?", F.SPLIT_WAITCNT),
    Rule(r"s_wait_xcnt", F.WAIT_XCNT),
    Rule(r"s_wait_(async|tensor)cnt", F.WAIT_ASYNCCNT),
    Rule(r"s_delay_alu", F.DELAY_ALU),
    Rule(r"s_clause", F.S_CLAUSE),
    Rule(r"s_(inst_prefetch|set_inst_prefetch_distance)", F.INST_PREFETCH),
    Rule(r"s_(round|denorm)_mode", F.ROUND_MODE),
    Rule(r"s_mem(real)?time", F.S_MEMTIME),
    Rule(r"s_sendmsg_rtn_b(32|64)", F.SENDMSG_RTN),
    Rule(r"s_get_shader_cycles_u64", F.SHADER_CYCLES_U64),
    Rule(r"s_alloc_vgpr", F.DYNAMIC_VGPR),
    Rule(r"s_set_vgpr_msb", F.VGPR_MSB),
    # Matrix instructions.
    Rule(r"v_accvgpr_(read|write)_b32", F.MFMA),
    Rule(r"v_accvgpr_mov_b32", F.MFMA_VGPR_DST),
    Rule(r"v_mfma_.*bf16_1k", F.MFMA_BF16_1K),
    Rule(r"v_mfma_f64_.*", F.MFMA_F64),
    Rule(r"v_mfma_.*xf32", F.MFMA_XF32),
    Rule(r"v_mfma_(scale_)?f32_\d+x\d+x\d+_f8f6f4", F.MFMA_F8F6F4),
    Rule(r"v_mfma_f32_.*_(fp8|bf8)_(fp8|bf8)", F.MFMA_FP8),
    Rule(r"v_mfma_i32_(16x16x64|32x32x32)_i8", F.MFMA_I8_K64),
    Rule(r"v_mfma_i32_(16x16x32|32x32x16)_?i8", F.MFMA_I8_K32),
    Rule(r"v_mfma_i32_(16x16x16|32x32x8)_?i8", F.MFMA_I8),
    Rule(r"v_mfma_f32_(16x16x32|32x32x16)_b?f16", F.MFMA_F16_K32),
    Rule(r"v_mfma_f32_(16x16x2|16x16x8|32x32x2|32x32x4|4x4x2)bf16", F.MFMA_BF16),
    Rule(r"v_mfma_.*", F.MFMA),
    Rule(r"v_smfmac_(f32_16x16x64|f32_32x32x32)_b?f16", F.SMFMAC_K64),
    Rule(r"v_smfmac_.*", F.SMFMAC),
    Rule(r"v_wmma_.*_16x16x16_(fp8|bf8)_(fp8|bf8)", F.WMMA_FP8),
    Rule(r"v_wmma_f32_16x16x4_f32", F.WMMA_F32),
    Rule(r"v_wmma_.*_f8f6f4", F.WMMA_F8F6F4),
    Rule(r"v_wmma_.*_16x16x32_b?f16", F.WMMA_K32),
    Rule(r"v_wmma_.*", first=11),
    Rule(r"v_swmmac_.*", F.SWMMAC),
)
# fmt: on

_OUTER_BAR = re.compile(r"\|(?![^(]*\))")  # groups in the patterns hold no groups with bars
_LITERAL = re.compile(r"(?:\w(?![?*]))*")
_ENCODING = re.compile(r"_(e32|e64|dpp|dpp8|sdwa|e64_dpp|e64_dpp8|vi|gfx\w+)$")
_MNEMONIC = re.compile(r"^[a-z]\w*$")
_FIRST_WORD = re.compile(r"^[ \t]*([a-z]\w*)(?!\w*:)", re.MULTILINE)
_SECOND_HALF = re.compile(r"^[ \t]*v_dual_[^;\n]*::[ \t]*([a-z]\w*)", re.MULTILINE)


def illegal_mnemonics(target: Target, listing: str) -> list[str]:
    """The mnemonics of a listing that the target lacks, each once, in order of appearance."""
    words = dict.fromkeys(_FIRST_WORD.findall(listing) + _SECOND_HALF.findall(listing))
    return [word for word in words if not is_legal(target, word)]


def is_legal(target: Target, mnemonic: str) -> bool:
    """Whether the target has an instruction; what is no mnemonic (a label) counts as legal."""
    if not _MNEMONIC.match(mnemonic):
        return True
    rule = _rule_for(mnemonic)
    return rule is None or rule.allows(target)


@lru_cache(maxsize=4096)
def _rule_for(mnemonic: str) -> Rule | None:
    name = mnemonic
    while (shorter := _ENCODING.sub("", name)) != name:
        name = shorter
    for rule in RULES:
        if name.startswith(_head(rule.pattern)) and re.fullmatch(rule.pattern, name):
            return rule
    return None


@cache
def _head(pattern: str) -> str:
    """What all that a pattern matches begins with: few patterns need to be compiled."""
    heads = [found[0] for way in _OUTER_BAR.split(pattern) if (found := _LITERAL.match(way))]
    return commonprefix(heads)  # noqa: RUF071  # these are no paths
