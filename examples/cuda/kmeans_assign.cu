// The nearest of k centres for each point, and the size of each cluster.
#include "mini_cuda.h"

KERNEL kmeans_assign(const float *__restrict__ points, const float *__restrict__ centres, int n,
                     int k, int *labels, float *distances, int *sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 3.0e38f;
  int label = -1;
  for (int c = 0; c < k; c++) {
    float square = 0.0f;
#pragma unroll
    for (int d = 0; d < 3; d++) {
      float gap = points[3 * i + d] - centres[3 * c + d];
      square = fmaf(gap, gap, square);
    }
    if (square < best) {
      best = square;
      label = c;
    }
  }
  labels[i] = label;
  distances[i] = best;
  atomicAdd(&sizes[label], 1);
}
