// One warp a row: maximum and sum by butterfly shuffles, exponentials in between.
#include "mini_cuda.h"

KERNEL softmax(const float *in, float *out, int rows, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float *x = in + row * columns;
  float top = -3.0e38f;
  for (int c = lane; c < columns; c += 32) top = fmaxf(top, x[c]);
  for (int m = 16; m > 0; m /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, m));
  float sum = 0.0f;
  for (int c = lane; c < columns; c += 32) sum += expf(x[c] - top);
  for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  for (int c = lane; c < columns; c += 32) out[row * columns + c] = expf(x[c] - top) / sum;
}
