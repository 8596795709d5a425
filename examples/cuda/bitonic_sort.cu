// Sorts 256 keys a block in shared memory with a bitonic network.
#include "mini_cuda.h"

KERNEL bitonic_sort(int *keys) {
  __shared__ int tile[256];
  unsigned t = threadIdx.x;
  int *own = keys + blockIdx.x * 256;
  tile[t] = own[t];
  tile[t + 128] = own[t + 128];
  for (unsigned size = 2; size <= 256; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned at = 2 * t - (t & (stride - 1));
      int a = tile[at], b = tile[at + stride];
      bool descending = (at & size) != 0;
      if ((a > b) != descending) {
        tile[at] = b;
        tile[at + stride] = a;
      }
    }
  }
  __syncthreads();
  own[t] = tile[t];
  own[t + 128] = tile[t + 128];
}
