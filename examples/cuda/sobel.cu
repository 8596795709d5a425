// Sobel edges of an RGBA picture: byte vectors in, a saturated byte out.
#include "mini_cuda.h"

static __device__ int luma(uchar4 p) { return (77 * p.x + 150 * p.y + 29 * p.z) >> 8; }

KERNEL sobel(const uchar4 *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int l[3][3];
#pragma unroll
  for (int dy = 0; dy < 3; dy++) {
#pragma unroll
    for (int dx = 0; dx < 3; dx++) {
      int px = min(max(x + dx - 1, 0), width - 1);
      int py = min(max(y + dy - 1, 0), height - 1);
      l[dy][dx] = luma(in[py * width + px]);
    }
  }
  int gx = l[0][2] + 2 * l[1][2] + l[2][2] - l[0][0] - 2 * l[1][0] - l[2][0];
  int gy = l[2][0] + 2 * l[2][1] + l[2][2] - l[0][0] - 2 * l[0][1] - l[0][2];
  out[y * width + x] = (unsigned char)min(abs(gx) + abs(gy), 255);
}
