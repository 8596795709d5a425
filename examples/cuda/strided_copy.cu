// A grid-stride loop that gathers every stride-th element.
#include "mini_cuda.h"

KERNEL strided_copy(const int *__restrict__ in, int *out, int count, int stride) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    out[i] = in[(long long)i * stride];
  }
}
