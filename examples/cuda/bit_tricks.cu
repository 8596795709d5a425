// Bit counting and moving at 32 and 64 bits, high products, saturating and narrow conversions.
#include "mini_cuda.h"

typedef unsigned long long u64;

KERNEL bit_tricks(const unsigned *in, unsigned *out, u64 *wide, short *narrow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], w = in[(i + 1) % n];
  u64 both = (u64)v << 32 | w;
  out[6 * i] = __popc(v) | __clz((int)v) << 8 | __ffs((int)v) << 16 | __popcll(both) << 24;
  out[6 * i + 1] = __brev(v);
  out[6 * i + 2] = __funnelshift_l(v, w, i);
  out[6 * i + 3] = __umulhi(v, w);
  out[6 * i + 4] = (v & w) ^ (~v & __brev(w)) ^ (w | (unsigned)i);
  float real = __uint_as_float((v & 0x3fffffffu) + 0x20000000u);
  out[6 * i + 5] = (unsigned)(__saturatef(real) * 255.0f);
  wide[i] = __umul64hi(both, both | 1) ^ both >> (i & 63);
  narrow[i] = (short)((signed char)v * (short)w);
}
