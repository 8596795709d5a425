// One sum a block with warp shuffles: down-shuffles in each warp, then one warp over the partials.
#include "mini_cuda.h"

static __device__ float warp_sum(float v) {
  for (int delta = 16; delta > 0; delta /= 2) v += __shfl_down_sync(0xffffffffu, v, delta);
  return v;
}

KERNEL reduce_shuffle(const float *in, float *sums, int n) {
  __shared__ float partial[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = warp_sum(i < n ? in[i] : 0.0f);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
    if (lane == 0) sums[blockIdx.x] = v;
  }
}
