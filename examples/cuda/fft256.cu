// A 256-point radix-2 FFT a block in shared memory: bit reversal, then eight butterfly stages.
#include "mini_cuda.h"

KERNEL fft256(const float2 *in, float2 *out) {
  __shared__ float2 tile[256];
  unsigned t = threadIdx.x;
  const float2 *source = in + blockIdx.x * 256;
  tile[__brev(t) >> 24] = source[t];
  tile[__brev(t + 128) >> 24] = source[t + 128];
  for (unsigned half = 1; half < 256; half *= 2) {
    __syncthreads();
    unsigned k = t & (half - 1);
    unsigned at = 2 * t - k;
    float angle = -3.14159265358979f * (float)k / (float)half;
    float c = cosf(angle), s = sinf(angle);
    float2 a = tile[at], b = tile[at + half];
    float re = fmaf(b.x, c, -(b.y * s)), im = fmaf(b.x, s, b.y * c);
    tile[at] = make_float2(a.x + re, a.y + im);
    tile[at + half] = make_float2(a.x - re, a.y - im);
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = tile[t];
  out[blockIdx.x * 256 + t + 128] = tile[t + 128];
}
