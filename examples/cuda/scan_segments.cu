// Sums of eight-lane segments: shuffles with a width, so each warp holds four independent groups.
#include "mini_cuda.h"

KERNEL scan_segments(const int *in, int *sums, int *firsts, int *rotated) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  int sum = v;
  for (int delta = 4; delta > 0; delta /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, delta, 8);
  sums[i] = sum;
  firsts[i] = __shfl_sync(0xffffffffu, v, 0, 8);
  rotated[i] = __shfl_sync(0xffffffffu, v, threadIdx.x + 3, 8) -
               __shfl_down_sync(0xffffffffu, v, 2, 8) + __shfl_up_sync(0xffffffffu, v, 5, 8);
}
