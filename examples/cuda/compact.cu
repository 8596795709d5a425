// Stream compaction in order within a block: ballots and population counts give each place.
#include "mini_cuda.h"

KERNEL compact(const int *in, int *out, int *counts, int n) {
  __shared__ int warp_counts[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int keep = i < n && (in[i] & 3) == 1;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  int before = __popc(votes & ((1u << lane) - 1u));
  if (lane == 0) warp_counts[warp] = __popc(votes);
  int total = __syncthreads_count(keep);
  for (int w = 0; w < warp; w++) before += warp_counts[w];
  if (keep) out[blockIdx.x * blockDim.x + before] = in[i];
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
