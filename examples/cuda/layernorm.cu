// One block a row: mean and variance in shared memory, then scale and shift.
#include "mini_cuda.h"

static __device__ float block_sum(float v, float *scratch) {
  scratch[threadIdx.x] = v;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  }
  __syncthreads();
  float total = scratch[0];
  __syncthreads();
  return total;
}

KERNEL layernorm(const float *in, const float *gain, const float *shift, float *out, int columns,
                 float epsilon) {
  DYNAMIC_SHARED(float, scratch);
  const float *x = in + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += x[c];
  float mean = block_sum(sum, scratch) / columns;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    squares = fmaf(x[c] - mean, x[c] - mean, squares);
  }
  float variance = block_sum(squares, scratch) / columns;
  float scale = 1.0f / sqrtf(variance + epsilon);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    out[blockIdx.x * columns + c] = fmaf((x[c] - mean) * scale, gain[c], shift[c]);
  }
}
