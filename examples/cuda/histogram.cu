// A byte histogram: shared-memory atomics a block, then one global atomic a bin.
#include "mini_cuda.h"

#define BINS 64

KERNEL histogram(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i] % BINS], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    if (local[b]) atomicAdd(&bins[b], local[b]);
  }
}
