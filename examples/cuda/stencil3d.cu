// The seven-point stencil in three dimensions, in f64: each thread marches along z and keeps the
// three planes of its column in registers.
#include "mini_cuda.h"

KERNEL stencil3d(const double *in, double *out, int nx, int ny, int nz, double c0, double c1) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int plane = nx * ny;
  int at = y * nx + x;
  double below = in[at];
  double here = in[at + plane];
  for (int z = 1; z < nz - 1; z++) {
    at += plane;
    double above = in[at + plane];
    double sides = (in[at - 1] + in[at + 1]) + (in[at - nx] + in[at + nx]) + (below + above);
    out[at] = fma(c1, sides, c0 * here);
    below = here;
    here = above;
  }
}
