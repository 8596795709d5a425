// Sixteen-byte loads and stores, with a scalar tail.
#include "mini_cuda.h"

KERNEL vector4_scale(const float4 *in, float4 *out, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = in[i];
    out[i] = make_float4(v.w * scale, v.z * scale, v.y * scale, v.x * scale);
  }
  if (i < n % 4) {
    int at = n / 4 * 4 + i;
    ((float *)out)[at] = ((const float *)in)[at] * scale;
  }
}
