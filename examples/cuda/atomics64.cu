// Atomics on 64 bits: a sum, a packed arg-max, and an f64 sum built from compare-and-swap.
#include "mini_cuda.h"

typedef unsigned long long u64;

static __device__ void add_f64(double *p, double v) {
  u64 *bits = (u64 *)p;
  u64 seen = *bits, expected;
  do {
    expected = seen;
    union { u64 u; double d; } next;
    next.u = expected;
    next.d += v;
    seen = atomicCAS(bits, expected, next.u);
  } while (seen != expected);
}

KERNEL atomics64(const unsigned *in, int n, u64 *sum, u64 *best, double *total, unsigned *bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  atomicAdd(sum, (u64)v * v);
  atomicMax(best, ((u64)v << 32) | (unsigned)i);
  add_f64(total, (double)(v & 0xffff));
  atomicOr(&bits[0], 1u << (v % 32));
  atomicXor(&bits[1], v);
}
