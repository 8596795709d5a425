// CUDA on one CPU thread, to check that the example sources compute what the tests expect.
//
// Each thread of a block is a fiber (ucontext); a barrier or a warp operation yields until the
// other threads have arrived. Blocks run one after the other, so `static` stands for shared memory.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)

using std::max;
using std::min;

struct dim3 { unsigned x, y, z; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(4) uchar4 { unsigned char x, y, z, w; };
typedef _Float16 __half;

inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

static dim3 threadIdx, blockIdx, blockDim, gridDim;
static char *mini_dynamic_shared;

struct MiniFiber {
  ucontext_t context;
  dim3 thread;
  bool done;
};
struct MiniWarp {
  unsigned arrived, generation, present;
  uint64_t slot[32];
};
static MiniFiber *mini_fibers;
static MiniWarp *mini_warps;
static ucontext_t mini_scheduler;
static int mini_current, mini_alive, mini_arrived, mini_generation, mini_votes, mini_last_votes;
static void (*mini_body)(void *);
static void *mini_body_args;

inline void mini_yield() {
  MiniFiber &self = mini_fibers[mini_current];
  swapcontext(&self.context, &mini_scheduler);
  threadIdx = self.thread;
}
inline int __syncthreads_count(int p) {
  int mine = mini_generation;
  mini_arrived++;
  mini_votes += p != 0;
  while (mine == mini_generation) {
    if (mini_arrived >= mini_alive) {
      mini_last_votes = mini_votes;
      mini_votes = mini_arrived = 0;
      mini_generation++;
      break;
    }
    mini_yield();
  }
  return mini_last_votes;
}
inline void __syncthreads() { __syncthreads_count(0); }
inline int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
inline void __threadfence() {}

inline int mini_lane() { return mini_current & 31; }
inline void __syncwarp(unsigned mask = ~0u) {
  MiniWarp &warp = mini_warps[mini_current / 32];
  unsigned mine = warp.generation;
  warp.arrived |= 1u << mini_lane();
  while (mine == warp.generation) {
    if ((warp.arrived & mask) == (warp.present & mask)) {
      warp.arrived = 0;
      warp.generation++;
      break;
    }
    mini_yield();
  }
}
template <class T> T mini_exchange(unsigned mask, T v, int source) {
  MiniWarp &warp = mini_warps[mini_current / 32];
  memcpy(&warp.slot[mini_lane()], &v, sizeof v);
  __syncwarp(mask);
  T result;
  memcpy(&result, &warp.slot[source & 31], sizeof v);
  __syncwarp(mask);
  return result;
}
template <class T> T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return mini_exchange(mask, v, (mini_lane() & -width) | (lane & (width - 1)));
}
template <class T> T __shfl_up_sync(unsigned mask, T v, int delta, int width = 32) {
  int source = mini_lane() - delta;
  return mini_exchange(mask, v, source < (mini_lane() & -width) ? mini_lane() : source);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, int delta, int width = 32) {
  int source = mini_lane() + delta;
  return mini_exchange(mask, v, source > (mini_lane() | (width - 1)) ? mini_lane() : source);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
  int source = mini_lane() ^ bits;
  return mini_exchange(mask, v, source > (mini_lane() | (width - 1)) ? mini_lane() : source);
}
inline unsigned __ballot_sync(unsigned mask, int p) {
  MiniWarp &warp = mini_warps[mini_current / 32];
  warp.slot[mini_lane()] = p != 0;
  __syncwarp(mask);
  unsigned result = 0;
  for (int lane = 0; lane < 32; lane++) {
    if (mask & warp.present & (1u << lane)) result |= (unsigned)warp.slot[lane] << lane;
  }
  __syncwarp(mask);
  return result;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }

#define MINI_ATOMIC(name, expression)                  \
  template <class T, class U> T name(T *p, U operand) { \
    T old = *p, v = (T)operand;                        \
    *p = (T)(expression);                              \
    return old;                                        \
  }
MINI_ATOMIC(atomicAdd, old + v)
MINI_ATOMIC(atomicMin, old < v ? old : v)
MINI_ATOMIC(atomicMax, old > v ? old : v)
MINI_ATOMIC(atomicOr, old | v)
MINI_ATOMIC(atomicXor, old ^ v)
MINI_ATOMIC(atomicExch, v)
MINI_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
MINI_ATOMIC(atomicDec, (old == 0 || old > v) ? v : old - 1)
template <class T, class U, class V> T atomicCAS(T *p, U expected, V v) {
  T old = *p;
  if (old == (T)expected) *p = (T)v;
  return old;
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= ((x >> i) & 1u) << (31 - i);
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((((uint64_t)hi << 32) | lo) << (n & 31)) >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
template <class To, class From> To mini_bit_cast(From v) {
  To result;
  memcpy(&result, &v, sizeof result);
  return result;
}
inline float __uint_as_float(unsigned x) { return mini_bit_cast<float>(x); }
inline float __int_as_float(int x) { return mini_bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return mini_bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return mini_bit_cast<int>(x); }
inline float __half2float(__half x) { return (float)x; }
inline __half __float2half(float x) { return (__half)x; }
// The product of two halves is exact in f32 and the sum is exact in f64: one rounding.
inline __half __hfma(__half a, __half b, __half c) { return (__half)((double)a * b + (double)c); }
inline __half __hadd(__half a, __half b) { return (__half)((float)a + (float)b); }
inline __half __hmul(__half a, __half b) { return (__half)((float)a * (float)b); }
inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

inline void mini_fiber_main() {
  mini_body(mini_body_args);
  mini_fibers[mini_current].done = true;
  mini_alive--;
  mini_warps[mini_current / 32].present &= ~(1u << mini_lane());
  swapcontext(&mini_fibers[mini_current].context, &mini_scheduler);
}

inline void mini_run_block(char *stacks, size_t stack_bytes) {
  int count = (int)(blockDim.x * blockDim.y * blockDim.z);
  mini_alive = count;
  mini_arrived = mini_votes = 0;
  memset(mini_warps, 0, sizeof(MiniWarp) * (size_t)((count + 31) / 32));
  for (int i = 0; i < count; i++) {
    MiniFiber &fiber = mini_fibers[i];
    unsigned n = (unsigned)i;
    fiber.thread = {n % blockDim.x, n / blockDim.x % blockDim.y, n / (blockDim.x * blockDim.y)};
    fiber.done = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks + stack_bytes * (size_t)i;
    fiber.context.uc_stack.ss_size = stack_bytes;
    makecontext(&fiber.context, mini_fiber_main, 0);
    mini_warps[i / 32].present |= 1u << (i & 31);
  }
  while (mini_alive > 0) {
    for (int i = 0; i < count; i++) {
      if (mini_fibers[i].done) continue;
      mini_current = i;
      threadIdx = mini_fibers[i].thread;
      swapcontext(&mini_scheduler, &mini_fibers[i].context);
    }
  }
}

inline void mini_launch(void (*body)(void *), void *args, const unsigned *grid,
                        const unsigned *block, unsigned shared) {
  const size_t stack_bytes = 64 << 10;
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  size_t count = (size_t)block[0] * block[1] * block[2];
  char *stacks = (char *)malloc(stack_bytes * count);
  mini_fibers = (MiniFiber *)calloc(count, sizeof(MiniFiber));
  mini_warps = (MiniWarp *)calloc((count + 31) / 32, sizeof(MiniWarp));
  mini_dynamic_shared = (char *)aligned_alloc(64, (shared + 127) & ~63u);
  mini_body = body;
  mini_body_args = args;
  for (unsigned z = 0; z < grid[2]; z++)
    for (unsigned y = 0; y < grid[1]; y++)
      for (unsigned x = 0; x < grid[0]; x++) {
        blockIdx = {x, y, z};
        mini_run_block(stacks, stack_bytes);
      }
  free(mini_dynamic_shared);
  free(mini_warps);
  free(mini_fibers);
  free(stacks);
}

// Calls a kernel with arguments that the caller passes as an array of pointers to the values.
template <class... P, size_t... I>
void mini_call(void (*kernel)(P...), void **args, std::index_sequence<I...>) {
  kernel(*(std::remove_reference_t<P> *)args[I]...);
}
template <auto kernel> struct MiniEntry;
template <class... P, void (*kernel)(P...)> struct MiniEntry<kernel> {
  static void body(void *args) {
    mini_call(kernel, (void **)args, std::index_sequence_for<P...>());
  }
};

#define MINI_HOST_ENTRY(kernel)                                                            \
  extern "C" void mini_run_##kernel(void **args, const unsigned *grid, const unsigned *block, \
                                    unsigned shared) {                                     \
    mini_launch(MiniEntry<&kernel>::body, args, grid, block, shared);                      \
  }
