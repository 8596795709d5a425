// Device built-ins on clang's NVPTX target.
#pragma once
#include "mini_types.h"

MINI_INDEX_TYPE(MiniThreadIdx, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(),
                __nvvm_read_ptx_sreg_tid_z());
MINI_INDEX_TYPE(MiniBlockIdx, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
                __nvvm_read_ptx_sreg_ctaid_z());
MINI_INDEX_TYPE(MiniBlockDim, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(),
                __nvvm_read_ptx_sreg_ntid_z());
MINI_INDEX_TYPE(MiniGridDim, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(),
                __nvvm_read_ptx_sreg_nctaid_z());

extern const __device__ __attribute__((weak)) MiniThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) MiniBlockIdx blockIdx;
extern const __device__ __attribute__((weak)) MiniBlockDim blockDim;
extern const __device__ __attribute__((weak)) MiniGridDim gridDim;

MINI_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
MINI_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
MINI_DEVICE void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
MINI_DEVICE void __threadfence() { __nvvm_membar_gl(); }

// The fourth operand of shfl is the clamp value, with the segment mask in bits 12:8.
#define MINI_SEGMENT(width) ((32 - (width)) << 8)
#define MINI_SHUFFLE(name, mode, clamp)                                                       \
  MINI_DEVICE int name(unsigned mask, int v, int lane, int width = 32) {                      \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, MINI_SEGMENT(width) | clamp);         \
  }                                                                                           \
  MINI_DEVICE unsigned name(unsigned mask, unsigned v, int lane, int width = 32) {            \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, MINI_SEGMENT(width) | clamp);         \
  }                                                                                           \
  MINI_DEVICE float name(unsigned mask, float v, int lane, int width = 32) {                  \
    return __nvvm_shfl_sync_##mode##_f32(mask, v, lane, MINI_SEGMENT(width) | clamp);         \
  }
MINI_SHUFFLE(__shfl_sync, idx, 31)
MINI_SHUFFLE(__shfl_up_sync, up, 0)
MINI_SHUFFLE(__shfl_down_sync, down, 31)
MINI_SHUFFLE(__shfl_xor_sync, bfly, 31)

MINI_DEVICE unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
MINI_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
MINI_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }

MINI_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
MINI_DEVICE unsigned atomicAdd(unsigned *p, unsigned v) {
  return __nvvm_atom_add_gen_i((int *)p, (int)v);
}
MINI_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) {
  return __nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
MINI_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
MINI_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
MINI_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
MINI_DEVICE unsigned long long atomicMax(unsigned long long *p, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(p, v);
}
MINI_DEVICE unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
MINI_DEVICE unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
MINI_DEVICE unsigned atomicOr(unsigned *p, unsigned v) {
  return __nvvm_atom_or_gen_i((int *)p, (int)v);
}
MINI_DEVICE unsigned atomicXor(unsigned *p, unsigned v) {
  return __nvvm_atom_xor_gen_i((int *)p, (int)v);
}
MINI_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
MINI_DEVICE int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
MINI_DEVICE unsigned long long atomicCAS(unsigned long long *p, unsigned long long old,
                                         unsigned long long v) {
  return __nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}

MINI_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
MINI_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
MINI_DEVICE float mini_exp2(float x) { return __nvvm_ex2_approx_f(x); }
MINI_DEVICE float mini_log2(float x) { return __nvvm_lg2_approx_f(x); }
MINI_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
MINI_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
MINI_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
MINI_DEVICE float __fadd_rz(float a, float b) { return __nvvm_add_rz_f(a, b); }
MINI_DEVICE float __fmul_rd(float a, float b) { return __nvvm_mul_rm_f(a, b); }
MINI_DEVICE float __fmul_ru(float a, float b) { return __nvvm_mul_rp_f(a, b); }
MINI_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
MINI_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
