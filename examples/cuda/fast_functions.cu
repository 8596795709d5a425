// The approximate functions: exponential, logarithm, sine, cosine, division, reciprocal root.
#include "mini_cuda.h"

KERNEL fast_functions(const float *__restrict__ in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  out[6 * i] = __expf(v);
  out[6 * i + 1] = __logf(fabsf(v));
  out[6 * i + 2] = __sinf(v);
  out[6 * i + 3] = __cosf(v);
  out[6 * i + 4] = __fdividef(v, 3.0f);
  out[6 * i + 5] = rsqrtf(fabsf(v));
}
