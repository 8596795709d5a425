// One elimination step of LU in f64: factors in the pivot's column, then the trailing update.
#include "mini_cuda.h"

KERNEL gauss_step(double *matrix, int n, int pivot) {
  int row = pivot + 1 + blockIdx.x;
  if (row >= n) return;
  __shared__ double factor;
  if (threadIdx.x == 0) factor = matrix[row * n + pivot] / matrix[pivot * n + pivot];
  __syncthreads();
  for (int column = pivot + 1 + threadIdx.x; column < n; column += blockDim.x) {
    matrix[row * n + column] = fma(-factor, matrix[pivot * n + column], matrix[row * n + column]);
  }
  if (threadIdx.x == 0) matrix[row * n + pivot] = factor;
}
