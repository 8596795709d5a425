"""THE TABLE of AMD chips: one row for each target of LLVM 22 from gfx900 on.

Comes in: nothing. Goes out: `TARGETS`. Facts that several chips share are named sets of features.
The facts were measured on LLVM 22: what its assembler accepts and its code generator emits.
"""

from __future__ import annotations

from ptxlift.target.features import Feature as F
from ptxlift.target.model import Fp8, Scratch, Target, WorkgroupId

_KIB = 1024

# What every chip of a generation has and not every other one.
_GFX9 = frozenset({
    F.DPP_ROW_BCAST, F.DPP_WAVE_SHIFT, F.GPR_IDX_MODE, F.SDWA, F.BPERMUTE_WHOLE_WAVE, F.TBUFFER,
    F.S_BARRIER, F.S_WAITCNT, F.S_MEMTIME, F.HW_ID, F.GLOBAL_LOAD_LDS, F.S_STORE, F.S_TRAP,
})  # fmt: skip
_GFX10_ON = frozenset({
    F.DPP_ROW_SHARE, F.DPP_ROW_XMASK, F.DPP_FETCH_INACTIVE, F.DPP8, F.PERMLANE16, F.SWAPREL,
    F.MOVRELS, F.V_XOR3, F.FMA_MIX, F.FMAC_F32, F.FMAAK, F.GLOBAL_ATOMIC_MIN_F32, F.HW_ID1,
    F.ROUND_MODE, F.S_CLAUSE, F.NULL_REGISTER, F.CMPX_EXEC, F.VOP3_LITERAL, F.TWO_SGPRS,
})  # fmt: skip
_GFX10 = _GFX10_ON | {
    F.SDWA, F.TBUFFER, F.IMAGE, F.IMAGE_EXTENDED, F.S_BARRIER, F.S_WAITCNT, F.WAITCNT_VSCNT,
    F.INST_PREFETCH, F.S_MEMTIME, F.HW_ID, F.GLOBAL_LOAD_LDS, F.GLOBAL_ATOMIC_MIN_F64, F.S_TRAP,
}  # fmt: skip
_GFX11_ON = _GFX10_ON | {
    F.DPP_VOP3, F.DPP_VOPC, F.PERMLANE64, F.MAXMIN, F.DOT4_I8, F.DOT4_IU8, F.DOT8_I4, F.DOT8_IU4,
    F.VOPD, F.SENDMSG_RTN, F.DELAY_ALU, F.S_PACK_HL, F.GLOBAL_ATOMIC_ADD_F32,
    F.GLOBAL_ATOMIC_ADD_F32_RTN, F.FLAT_ATOMIC_ADD_F32, F.BUFFER_ATOMIC_ADD_F32, F.SCRATCH_SVS,
    F.GLOBAL_ATOMIC_CSUB, F.SHADER_CYCLES,
}  # fmt: skip
_NOT_GFX1250 = frozenset({
    F.TBUFFER, F.IMAGE, F.IMAGE_EXTENDED, F.S_WAITCNT, F.BVH, F.BVH_STACK, F.DOT2_F32_F16,
    F.DOT2_F32_BF16, F.DOT2_F16_F16, F.DOT2_BF16_BF16,
})  # fmt: skip
_GFX11 = _GFX11_ON | _NOT_GFX1250 | {
    F.DOT2C_F32_F16, F.TRUE16, F.WMMA_GFX11, F.S_BARRIER, F.WAITCNT_VSCNT, F.INST_PREFETCH,
}  # fmt: skip
_SALU_FLOAT = frozenset({F.SALU_FLOAT, F.DPP_SRC1_SGPR})
_GFX12_ON = _GFX11_ON | _SALU_FLOAT | {
    F.PERMLANE_VAR, F.DS_BPERMUTE_FI, F.BPERMUTE_WHOLE_WAVE, F.S_MUL_U64, F.S_ADD_U64,
    F.PK_MINIMUM_F16, F.MINIMUM_F32, F.MINIMUM3_F32, F.MIN_NUM, F.SCALAR_TRANSCENDENTAL, F.CVT_FP8,
    F.GLOBAL_ATOMIC_COND_SUB, F.DS_COND_SUB, F.SPLIT_BARRIER, F.NAMED_BARRIER, F.SLEEP_VAR,
    F.SHADER_CYCLES_HI, F.SPLIT_WAITCNT, F.S_PREFETCH, F.S_LOAD_SUBWORD, F.S_LOAD_B96,
    F.GLOBAL_LOAD_TR, F.WMMA_GFX12, F.WMMA_FP8, F.SWMMAC, F.DYNAMIC_VGPR, F.WAVE_ID,
    F.GLOBAL_ATOMIC_PK_ADD_F16, F.GLOBAL_ATOMIC_PK_ADD_F16_RTN, F.GLOBAL_ATOMIC_PK_ADD_BF16,
    F.FLAT_ATOMIC_PK_ADD, F.DS_PK_ADD, F.S_TRAP,
}  # fmt: skip
_GFX12 = _GFX12_ON | _NOT_GFX1250 | {F.DOT4_F32_FP8}

# Steps inside the generations.
_GFX9_IMAGES = frozenset({F.IMAGE, F.IMAGE_EXTENDED, F.MAD_F32})
_GFX900 = _GFX9 | _GFX9_IMAGES | {F.MAD_MIX}
_GFX904 = _GFX9 | _GFX9_IMAGES | {F.FMA_MIX}
_DOTS = frozenset({F.DOT4_I8, F.DOT8_I4, F.DOT2_F32_F16, F.DOT2_I16})
_DOTS_C = _DOTS | {F.DOT4C_I8, F.DOT2C_F32_F16}
_GFX906 = _GFX904 | _DOTS | {F.FMAC_F32}
_GFX908 = _GFX906 | _DOTS_C | {
    F.GLOBAL_ATOMIC_ADD_F32, F.BUFFER_ATOMIC_ADD_F32, F.GLOBAL_ATOMIC_PK_ADD_F16, F.MFMA,
    F.MFMA_BF16, F.MFMA_I8,
}  # fmt: skip
_GFX90A = (_GFX908 - {F.IMAGE_EXTENDED}) | {
    F.DPP_ROW_NEWBCAST, F.DPP_FMAC_F64, F.PK_FMA_F32, F.FMAC_F64, F.GLOBAL_ATOMIC_ADD_F32_RTN,
    F.GLOBAL_ATOMIC_ADD_F64, F.GLOBAL_ATOMIC_PK_ADD_F16_RTN, F.GLOBAL_ATOMIC_MIN_F64, F.DS_ADD_F64,
    F.MFMA_VGPR_DST, F.MFMA_BF16_1K, F.MFMA_F64, F.AGPR_MEMORY, F.KERNARG_PRELOAD,
}  # fmt: skip
_GFX94 = (_GFX90A - {F.IMAGE, F.MAD_F32, F.MFMA_BF16, F.MFMA_I8}) | {
    F.DPP_MOV_B64, F.FMAAK, F.LSHL_ADD_U64, F.MOV_B64, F.FLAT_ATOMIC_ADD_F32, F.SCRATCH_SVS,
    F.GLOBAL_ATOMIC_PK_ADD_BF16, F.FLAT_ATOMIC_PK_ADD, F.DS_PK_ADD, F.XCC_ID, F.MFMA_I8_K32,
    F.SMFMAC,
}  # fmt: skip
_GFX942 = _GFX94 | {F.CVT_FP8, F.MFMA_FP8, F.MFMA_XF32}
_GFX950 = _GFX94 | {
    F.CVT_FP8, F.MFMA_FP8, F.DOT2_F32_BF16, F.DOT2C_F32_BF16, F.MINIMUM3_F32, F.PERMLANE16_SWAP,
    F.PERMLANE32_SWAP, F.V_BITOP3, F.ASHR_PK_I8, F.PK_MINIMUM3_F16, F.CVT_PK_BF16, F.CVT_SR_BF16,
    F.CVT_F32_BF16, F.CVT_PK_F16, F.CVT_SCALEF32, F.PRNG, F.GLOBAL_LOAD_LDS_WIDE, F.DS_READ_TR,
    F.MFMA_I8_K64, F.MFMA_F16_K32, F.MFMA_F8F6F4, F.SMFMAC_K64,
}  # fmt: skip
_GFX1010 = _GFX10 | {F.S_STORE, F.MAD_F32}
_GFX1013 = _GFX1010 | {F.BVH}
_GFX1011 = _GFX1010 | _DOTS_C
_GFX1030 = _GFX10 | _DOTS_C | {F.GLOBAL_ATOMIC_CSUB, F.SHADER_CYCLES, F.BVH}
_GFX1150 = _GFX11 | _SALU_FLOAT | {F.S_TRAP}
_GFX1250 = _GFX12_ON | {
    F.PERMLANE16_SWAP, F.PERMLANE_BCAST, F.PERMLANE_IDX_GEN, F.V_BITOP3, F.MAD_NC_U64, F.MUL_U64,
    F.ADD_NC_U64, F.LSHL_ADD_U64, F.MAD_U32, F.MIN_U64, F.ADD_MAX_U32, F.ASHR_PK_I8, F.PK_FMA_F32,
    F.PK_BF16, F.PK_MINIMUM3_F16, F.FMA_MIX_BF16, F.FMAC_F64, F.TANH, F.BF16_TRANSCENDENTAL,
    F.MOV_B64, F.CVT_PK_BF16, F.CVT_SR_PK_BF16, F.CVT_F32_BF16, F.CVT_PK_F16, F.CVT_SR_PK_F16,
    F.CVT_PK_FP8_F16, F.CVT_SCALE_PK8, F.PRNG, F.GLOBAL_ATOMIC_ADD_F64, F.GLOBAL_ATOMIC_MIN_F64,
    F.DS_ADD_F64, F.ASYNC_TO_LDS, F.TENSOR_TO_LDS, F.CLUSTER_LOAD, F.DS_LOAD_TR, F.FLAT_SADDR,
    F.GLOBAL_PREFETCH, F.KERNARG_PRELOAD, F.WAKEUP_BARRIER, F.BARRIER_OBJECTS, F.MONITOR_SLEEP,
    F.WAIT_XCNT, F.WAIT_ASYNCCNT, F.SHADER_CYCLES_U64, F.VGPR_MSB, F.LITERAL64, F.WMMA_K32,
    F.WMMA_F32, F.WMMA_F8F6F4,
}  # fmt: skip

# What a generic target has is what all chips of its family have.
_GFX9_GENERIC = _GFX9 | _GFX9_IMAGES
_GFX9_4_GENERIC = _GFX94

_W64 = (64,)
_W32 = (32,)
_BOTH = (32, 64)
_BUF = Scratch.BUFFER
_ARCH = Scratch.ARCHITECTED
_SGPR = WorkgroupId.SGPR
_TTMP = WorkgroupId.TTMP
_NO8 = Fp8.NONE
_FNUZ = Fp8.FNUZ
_OCP = Fp8.OCP

# fmt: off
TARGETS: tuple[Target, ...] = (
    #      name               gen wave waves  lds         vgprs agprs sgprs waves xnack  sramecc mach  scratch wg id  packed fp8    generic features
    Target("gfx900",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x2C, _BUF,   _SGPR, False, _NO8,  0,      _GFX900),
    Target("gfx902",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x2D, _BUF,   _SGPR, False, _NO8,  0,      _GFX900),
    Target("gfx904",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x2E, _BUF,   _SGPR, False, _NO8,  0,      _GFX904),
    Target("gfx906",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  True,   0x2F, _BUF,   _SGPR, False, _NO8,  0,      _GFX906),
    Target("gfx908",           9, 64, _W64,   64 * _KIB,  256, 256,   102,  10,  True,  True,   0x30, _BUF,   _SGPR, False, _NO8,  0,      _GFX908),
    Target("gfx909",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x31, _BUF,   _SGPR, False, _NO8,  0,      _GFX900),
    Target("gfx90a",           9, 64, _W64,   64 * _KIB,  512, 256,   102,   8,  True,  True,   0x3F, _BUF,   _SGPR, True,  _NO8,  0,      _GFX90A),
    Target("gfx90c",           9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x32, _BUF,   _SGPR, False, _NO8,  0,      _GFX900),
    Target("gfx942",           9, 64, _W64,   64 * _KIB,  512, 256,   102,   8,  True,  True,   0x4C, _ARCH,  _SGPR, True,  _FNUZ, 0,      _GFX942),
    Target("gfx950",           9, 64, _W64,  160 * _KIB,  512, 256,   102,   8,  True,  True,   0x4F, _ARCH,  _SGPR, True,  _OCP,  0,      _GFX950),
    Target("gfx9-generic",     9, 64, _W64,   64 * _KIB,  256,   0,   102,  10,  True,  False,  0x51, _BUF,   _SGPR, False, _NO8,  1,      _GFX9_GENERIC),
    Target("gfx9-4-generic",   9, 64, _W64,   64 * _KIB,  512, 256,   102,   8,  True,  True,   0x5F, _ARCH,  _SGPR, True,  _NO8,  1,      _GFX9_4_GENERIC),
    Target("gfx1010",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  20,  True,  False,  0x33, _BUF,   _SGPR, False, _NO8,  0,      _GFX1010),
    Target("gfx1011",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  20,  True,  False,  0x34, _BUF,   _SGPR, False, _NO8,  0,      _GFX1011),
    Target("gfx1012",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  20,  True,  False,  0x35, _BUF,   _SGPR, False, _NO8,  0,      _GFX1011),
    Target("gfx1013",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  20,  True,  False,  0x42, _BUF,   _SGPR, False, _NO8,  0,      _GFX1013),
    Target("gfx1030",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x36, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1031",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x37, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1032",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x38, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1033",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x39, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1034",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x3E, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1035",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x3D, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx1036",         10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x45, _BUF,   _SGPR, False, _NO8,  0,      _GFX1030),
    Target("gfx10-1-generic", 10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  20,  True,  False,  0x52, _BUF,   _SGPR, False, _NO8,  1,      _GFX1010),
    Target("gfx10-3-generic", 10, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x53, _BUF,   _SGPR, False, _NO8,  1,      _GFX1030),
    Target("gfx1100",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x41, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX11),
    Target("gfx1101",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x46, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX11),
    Target("gfx1102",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x47, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX11),
    Target("gfx1103",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x44, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX11),
    Target("gfx1150",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x43, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX1150),
    Target("gfx1151",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x4A, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX1150),
    Target("gfx1152",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x55, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX1150),
    Target("gfx1153",         11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x58, _ARCH,  _SGPR, True,  _NO8,  0,      _GFX1150),
    Target("gfx11-generic",   11, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x54, _ARCH,  _SGPR, True,  _NO8,  1,      _GFX11),
    Target("gfx1200",         12, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x48, _ARCH,  _TTMP, True,  _OCP,  0,      _GFX12),
    Target("gfx1201",         12, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x4E, _ARCH,  _TTMP, True,  _OCP,  0,      _GFX12),
    Target("gfx1250",         12, 32, _W32,  320 * _KIB, 1024,   0,   106,  16,  True,  True,   0x49, _ARCH,  _TTMP, True,  _OCP,  0,      _GFX1250),
    Target("gfx1251",         12, 32, _W32,  320 * _KIB, 1024,   0,   106,  16,  True,  True,   0x5A, _ARCH,  _TTMP, True,  _OCP,  0,      _GFX1250),
    Target("gfx12-generic",   12, 32, _BOTH,  64 * _KIB,  256,   0,   106,  16,  False, False,  0x59, _ARCH,  _TTMP, True,  _OCP,  1,      _GFX12),
)
# fmt: on
