// One level of a breadth-first search: each frontier vertex claims unseen neighbours by
// compare-and-swap and appends them to the next frontier.
#include "mini_cuda.h"

KERNEL bfs_frontier(const int *starts, const int *edges, const int *frontier, int count, int level,
                    int *depth, int *next, int *next_count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int vertex = frontier[i];
  for (int k = starts[vertex]; k < starts[vertex + 1]; k++) {
    int other = edges[k];
    if (depth[other] == -1 && atomicCAS(&depth[other], -1, level) == -1) {
      next[atomicAdd(next_count, 1)] = other;
    }
  }
}
