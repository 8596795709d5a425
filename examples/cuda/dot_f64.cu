// A dot product in f64: fused multiply-adds in a grid-stride loop, then a tree in shared memory.
#include "mini_cuda.h"

KERNEL dot_f64(const double *x, const double *y, double *partial, int n) {
  __shared__ double tile[64];
  int t = threadIdx.x;
  double sum = 0.0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum = fma(x[i], y[i], sum);
  tile[t] = sum;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) tile[t] += tile[t + half];
  }
  if (t == 0) partial[blockIdx.x] = tile[0];
}
