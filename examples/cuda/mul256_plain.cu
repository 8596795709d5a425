// 256 x 256 -> 512 bits, schoolbook over 32-bit limbs with a 64-bit accumulator.
#include "mini_cuda.h"

KERNEL mul256_plain(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x[8], y[8], r[16];
  for (int k = 0; k < 8; k++) {
    x[k] = a[8 * i + k];
    y[k] = b[8 * i + k];
  }
  for (int k = 0; k < 16; k++) r[k] = 0;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    unsigned long long carry = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      carry += (unsigned long long)x[k] * y[j] + r[j + k];
      r[j + k] = (unsigned)carry;
      carry >>= 32;
    }
    r[j + 8] = (unsigned)carry;
  }
  for (int k = 0; k < 16; k++) out[16 * i + k] = r[k];
}
