// One partial sum a block: a tree over shared memory, halving the active threads at each barrier.
#include "mini_cuda.h"

KERNEL reduce_shared(const float *in, float *partial, int n) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = tile[0];
}
