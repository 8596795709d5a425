// The last block to finish sums what all blocks wrote: fences and an arrival counter.
#include "mini_cuda.h"

KERNEL queue_fence(const int *in, int *partial, unsigned *arrived, int *total) {
  __shared__ int tile[64];
  __shared__ bool last;
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) tile[t] += tile[t + half];
  }
  if (t == 0) {
    ((volatile int *)partial)[blockIdx.x] = tile[0];
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += ((volatile int *)partial)[b];
    *total = sum;
  }
}
