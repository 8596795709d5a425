// The 8x8 cosine transform of JPEG with quantisation, one block of 64 threads a tile.
#include "mini_cuda.h"

__constant__ float cosines[8] = {0.35355339f, 0.49039264f, 0.46193977f, 0.41573481f,
                                 0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};

// 0.5 * c(u) * cos((2x + 1) * u * pi / 16), folded into the first octant.
static __device__ float basis(int x, int u) {
  int phase = (2 * x + 1) * u & 31;
  if (u == 0) return cosines[0];
  if (phase > 16) phase = 32 - phase;
  float sign = phase > 8 ? -1.0f : 1.0f;
  int octant = phase > 8 ? 16 - phase : phase;
  if (octant == 8) return 0.0f;
  return octant == 0 ? sign * 0.5f : sign * cosines[octant];
}

KERNEL dct8x8(const short *in, short *out, float quantum) {
  __shared__ float tile[8][8], rows[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int at = blockIdx.x * 64 + y * 8 + x;
  tile[y][x] = (float)in[at];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 8; k++) sum = fmaf(tile[y][k], basis(k, x), sum);
  rows[y][x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < 8; k++) sum = fmaf(rows[k][x], basis(k, y), sum);
  out[at] = (short)(int)rintf(sum / quantum);
}
