// 64-bit and 16-bit integer arithmetic: division, remainder, comparisons, extremes, shifts.
#include "mini_cuda.h"

typedef long long s64;
typedef unsigned long long u64;

KERNEL wide_integers(const s64 *__restrict__ a, const s64 *__restrict__ b, s64 *out,
                     u64 *unsigned_out, unsigned short *narrow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s64 x = a[i], y = b[i];
  u64 ux = (u64)x, uy = (u64)y;
  out[4 * i] = x / y;
  out[4 * i + 1] = x % y;
  out[4 * i + 2] = (x < y ? x : y) + (x >> (i & 63));
  out[4 * i + 3] = (x > y ? x : y) * 3 - (y <= 0 ? x : -x);
  unsigned_out[4 * i] = ux / uy;
  unsigned_out[4 * i + 1] = ux % uy;
  unsigned_out[4 * i + 2] = (ux < uy ? ux : uy) ^ (ux << (i & 63));
  unsigned_out[4 * i + 3] = (u64)(unsigned)((unsigned)x / ((unsigned)y | 1u)) + (ux >= uy);
  unsigned short p = (unsigned short)x, q = (unsigned short)y;
  narrow[2 * i] = (unsigned short)(p * q + (p >> 3));
  narrow[2 * i + 1] = (unsigned short)((short)p < (short)q ? p / (q | 1) : p % (q | 1));
}
