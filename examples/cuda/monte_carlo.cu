// Points in the quarter circle: xorshift and a linear congruential generator, counted exactly.
#include "mini_cuda.h"

static __device__ unsigned xorshift(unsigned *state) {
  unsigned s = *state;
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return *state = s;
}

KERNEL monte_carlo(unsigned seed, int samples, unsigned *hits, unsigned *last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = seed ^ (i * 0x9e3779b9u + 1u);
  unsigned b = 1664525u * (seed + i) + 1013904223u;
  unsigned inside = 0;
  for (int k = 0; k < samples; k++) {
    b = 1664525u * b + 1013904223u;
    float x = (float)(xorshift(&a) >> 16) * (1.0f / 65536.0f);
    float y = (float)(b >> 16) * (1.0f / 65536.0f);
    inside += fmaf(x, x, y * y) < 1.0f;
  }
  last[i] = a ^ b;
  for (int delta = 16; delta > 0; delta /= 2) {
    inside += __shfl_down_sync(0xffffffffu, inside, delta);
  }
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, inside);
}
