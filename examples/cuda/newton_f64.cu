// Division, square root and Newton's cube root in f64.
#include "mini_cuda.h"

KERNEL newton_f64(const double *in, double *roots, double *cubes, double *ratios, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = in[i];
  double r = v > 1.0 ? v * 0.3 : 1.0;
  for (int k = 0; k < 40; k++) {
    double next = (2.0 * r + v / (r * r)) / 3.0;
    if (fabs(next - r) <= 1e-15 * r) break;
    r = next;
  }
  roots[i] = sqrt(v);
  cubes[i] = r;
  ratios[i] = (double)(i + 1) / v;
}
