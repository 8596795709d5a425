// Sparse matrix times vector, CSR: eight lanes a row.
#include "mini_cuda.h"

KERNEL spmv_csr(const int *__restrict__ starts, const int *__restrict__ columns,
                const double *__restrict__ values, const double *__restrict__ x, double *y,
                int rows) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / 8, lane = thread % 8;
  __shared__ double parts[128];
  double sum = 0.0;
  if (row < rows) {
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 8) sum += values[k] * x[columns[k]];
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (row < rows && lane == 0) {
    for (int k = 1; k < 8; k++) sum += parts[threadIdx.x + k];
    y[row] = sum;
  }
}
