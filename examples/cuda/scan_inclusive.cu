// An inclusive prefix sum a block: shuffles up within warps, then the warp totals are added.
#include "mini_cuda.h"

KERNEL scan_inclusive(const int *in, int *out, int n) {
  __shared__ int totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = i < n ? in[i] : 0;
  for (int delta = 1; delta < 32; delta *= 2) {
    int left = __shfl_up_sync(0xffffffffu, v, delta);
    if (lane >= delta) v += left;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; w++) v += totals[w];
  if (i < n) out[i] = v;
}
