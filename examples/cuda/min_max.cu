// Extremes by butterfly shuffles and atomics, and an arrival counter that wraps.
#include "mini_cuda.h"

KERNEL min_max(const int *in, int n, int *low, int *high, unsigned *arrivals,
               unsigned *departures) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = i < n ? in[i] : 0x7fffffff;
  int b = i < n ? in[i] : (int)0x80000000;
  for (int mask = 1; mask < 32; mask *= 2) {
    a = min(a, __shfl_xor_sync(0xffffffffu, a, mask));
    b = max(b, __shfl_xor_sync(0xffffffffu, b, mask));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMin(low, a);
    atomicMax(high, b);
    atomicInc(arrivals, 6);
    atomicDec(departures, 4);
  }
}
