// Floating-point atomics in global and shared memory; the values are whole, so any order is exact.
#include "mini_cuda.h"

KERNEL scatter_add(const int *index, const float *values, float *sums, float *total, int n) {
  __shared__ float block_total;
  if (threadIdx.x == 0) block_total = 0.0f;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sums[index[i]], values[i]);
    atomicAdd(&block_total, values[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, block_total);
}
