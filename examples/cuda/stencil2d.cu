// One Jacobi step of the five-point Laplace stencil; the border is copied.
#include "mini_cuda.h"

KERNEL stencil2d(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = in[at];
    return;
  }
  float sides = (in[at - 1] + in[at + 1]) + (in[at - width] + in[at + width]);
  out[at] = 0.25f * sides;
}
