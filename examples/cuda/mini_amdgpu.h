// Device built-ins on clang's AMDGPU target, for comparing code quality with a native compile.
//
// Shuffles address the wave's lanes; on a 64-lane wave each 32-lane half is one CUDA warp.
#pragma once
#include "mini_types.h"

MINI_INDEX_TYPE(MiniThreadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                __builtin_amdgcn_workitem_id_z());
MINI_INDEX_TYPE(MiniBlockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                __builtin_amdgcn_workgroup_id_z());
MINI_INDEX_TYPE(MiniBlockDim, __builtin_amdgcn_workgroup_size_x(),
                __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z());
MINI_INDEX_TYPE(MiniGridDim,
                __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
                __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
                __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z());

extern const __device__ __attribute__((weak)) MiniThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) MiniBlockIdx blockIdx;
extern const __device__ __attribute__((weak)) MiniBlockDim blockDim;
extern const __device__ __attribute__((weak)) MiniGridDim gridDim;

MINI_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
MINI_DEVICE void __syncwarp(unsigned = ~0u) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
MINI_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

MINI_DEVICE unsigned mini_wave_lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
MINI_DEVICE int mini_read_lane(int v, int lane) {
  unsigned half = mini_wave_lane() & ~31u;
  return __builtin_amdgcn_ds_bpermute((half + (unsigned)lane) << 2, v);
}
MINI_DEVICE int mini_lane() { return (int)(mini_wave_lane() & 31u); }

MINI_DEVICE int mini_source_idx(int lane, int width) {
  return (mini_lane() & -width) | (lane & (width - 1));
}
MINI_DEVICE int mini_source_up(int delta, int width) {
  int source = mini_lane() - delta;
  return source < (mini_lane() & -width) ? mini_lane() : source;
}
MINI_DEVICE int mini_source_down(int delta, int width) {
  int source = mini_lane() + delta;
  return source > (mini_lane() | (width - 1)) ? mini_lane() : source;
}
MINI_DEVICE int mini_source_xor(int mask, int width) {
  int source = mini_lane() ^ mask;
  return source > (mini_lane() | (width - 1)) ? mini_lane() : source;
}

#define MINI_SHUFFLE(name, source)                                                          \
  MINI_DEVICE int name(unsigned, int v, int lane, int width = 32) {                         \
    return mini_read_lane(v, source(lane, width));                                          \
  }                                                                                         \
  MINI_DEVICE unsigned name(unsigned, unsigned v, int lane, int width = 32) {               \
    return (unsigned)mini_read_lane((int)v, source(lane, width));                           \
  }                                                                                         \
  MINI_DEVICE float name(unsigned, float v, int lane, int width = 32) {                     \
    int bits = mini_read_lane(__builtin_bit_cast(int, v), source(lane, width));             \
    return __builtin_bit_cast(float, bits);                                                 \
  }
MINI_SHUFFLE(__shfl_sync, mini_source_idx)
MINI_SHUFFLE(__shfl_up_sync, mini_source_up)
MINI_SHUFFLE(__shfl_down_sync, mini_source_down)
MINI_SHUFFLE(__shfl_xor_sync, mini_source_xor)

MINI_DEVICE unsigned __ballot_sync(unsigned mask, int p) {
#if __AMDGCN_WAVEFRONT_SIZE == 64
  unsigned long long all = __builtin_amdgcn_ballot_w64(p != 0);
  return (unsigned)(all >> (mini_wave_lane() & 32u)) & mask;
#else
  return __builtin_amdgcn_ballot_w32(p != 0) & mask;
#endif
}
MINI_DEVICE int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
MINI_DEVICE int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }

#define MINI_ATOMIC(name, type, op)                                                     \
  MINI_DEVICE type name(type *p, type v) {                                              \
    return __hip_atomic_##op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);         \
  }
MINI_ATOMIC(atomicAdd, int, fetch_add)
MINI_ATOMIC(atomicAdd, unsigned, fetch_add)
MINI_ATOMIC(atomicAdd, unsigned long long, fetch_add)
MINI_ATOMIC(atomicAdd, float, fetch_add)
MINI_ATOMIC(atomicMin, int, fetch_min)
MINI_ATOMIC(atomicMax, int, fetch_max)
MINI_ATOMIC(atomicMax, unsigned long long, fetch_max)
MINI_ATOMIC(atomicOr, unsigned, fetch_or)
MINI_ATOMIC(atomicXor, unsigned, fetch_xor)
MINI_ATOMIC(atomicExch, int, exchange)

#define MINI_COMPARE_AND_SWAP(type)                                                     \
  MINI_DEVICE type atomicCAS(type *p, type expected, type v) {                          \
    __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED,             \
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);   \
    return expected;                                                                    \
  }
MINI_COMPARE_AND_SWAP(int)
MINI_COMPARE_AND_SWAP(unsigned)
MINI_COMPARE_AND_SWAP(unsigned long long)

// The wrapping counters: CUDA's atomicInc and atomicDec.
MINI_DEVICE unsigned atomicInc(unsigned *p, unsigned limit) {
  return __builtin_amdgcn_atomic_inc32(p, limit, __ATOMIC_RELAXED, "agent");
}
MINI_DEVICE unsigned atomicDec(unsigned *p, unsigned limit) {
  return __builtin_amdgcn_atomic_dec32(p, limit, __ATOMIC_RELAXED, "agent");
}

// No hardware counting barrier before gfx12: count the votes of all waves in shared memory.
MINI_DEVICE int __syncthreads_count(int p) {
  static __shared__ int votes;
  __syncthreads();
  votes = 0;
  __syncthreads();
  if (p) __hip_atomic_fetch_add(&votes, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  int total = votes;
  __syncthreads();
  return total;
}
MINI_DEVICE int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }

MINI_DEVICE float __fdividef(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
MINI_DEVICE float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
MINI_DEVICE float mini_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
MINI_DEVICE float mini_log2(float x) { return __builtin_amdgcn_logf(x); }
MINI_DEVICE float __sinf(float x) { return __builtin_amdgcn_sinf(x * 0.15915494f); }
MINI_DEVICE float __cosf(float x) { return __builtin_amdgcn_cosf(x * 0.15915494f); }
MINI_DEVICE float __saturatef(float x) { return __builtin_amdgcn_fmed3f(x, 0.0f, 1.0f); }
MINI_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
MINI_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
