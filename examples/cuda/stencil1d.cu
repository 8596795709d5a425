// A seven-point sum in one dimension: the block's values and its halo lie in shared memory.
#include "mini_cuda.h"

#define RADIUS 3
#define BLOCK 128

KERNEL stencil1d(const int *in, int *out, int n) {
  __shared__ int tile[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int at = threadIdx.x + RADIUS;
  tile[at] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    int left = i - RADIUS;
    int right = i + BLOCK;
    tile[at - RADIUS] = left >= 0 ? in[left] : 0;
    tile[at + BLOCK] = right < n ? in[right] : 0;
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += tile[at + k];
  if (i < n) out[i] = sum;
}
