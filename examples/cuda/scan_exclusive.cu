// Blelloch's exclusive scan over dynamic shared memory, two elements a thread.
#include "mini_cuda.h"

KERNEL scan_exclusive(const unsigned *in, unsigned *out, unsigned *totals) {
  DYNAMIC_SHARED(unsigned, tree);
  int t = threadIdx.x, count = 2 * blockDim.x;
  const unsigned *source = in + blockIdx.x * count;
  tree[2 * t] = source[2 * t];
  tree[2 * t + 1] = source[2 * t + 1];
  int offset = 1;
  for (int d = count / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    totals[blockIdx.x] = tree[count - 1];
    tree[count - 1] = 0;
  }
  for (int d = 1; d < count; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      unsigned left = tree[offset * (2 * t + 1) - 1];
      tree[offset * (2 * t + 1) - 1] = tree[offset * (2 * t + 2) - 1];
      tree[offset * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * count + 2 * t] = tree[2 * t];
  out[blockIdx.x * count + 2 * t + 1] = tree[2 * t + 1];
}
