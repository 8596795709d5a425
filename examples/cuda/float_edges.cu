// Comparisons that meet NaN, extremes, rounding and conversion at the edges, in f32 and f64.
#include "mini_cuda.h"

static __device__ __noinline__ double larger(double a, double b) { return a >= b ? a : b; }

KERNEL float_edges(const float *a, const float *b, unsigned *flags, float *out, double *wide,
                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], y = b[i];
  double dx = x, dy = y;
  unsigned f = 0;
  f |= (x < y) << 0 | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
  f |= !(x < y) << 6 | !(x >= y) << 7 | (x != x || y != y) << 8;
  f |= (dx < dy) << 9 | (dx <= dy) << 10 | (dx == dy) << 11 | !(dx > dy) << 12 | (dx != dy) << 13;
  flags[i] = f;
  out[4 * i] = fminf(x, y);
  out[4 * i + 1] = fmaxf(x, y);
  out[4 * i + 2] = floorf(x) + rintf(y);
  out[4 * i + 3] = copysignf(x, y);
  wide[3 * i] = larger(dx, dy);
  wide[3 * i + 1] = x > -1.0e18f && x < 1.0e18f ? (double)(long long)(dx * 1.5) : -0.5;
  wide[3 * i + 2] = y >= 0.0f && y < 4.0e9f ? (double)(unsigned)y : fabs(dy);
}
