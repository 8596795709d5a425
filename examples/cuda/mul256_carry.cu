// 256 x 256 -> 512 bits with PTX carry chains: mad.lo.cc, madc.hi.cc and addc, a row a limb.
#include "mini_cuda.h"

#if defined(__NVPTX__) || defined(__NVCC__)
// r[0..7] += the `half` words of x[0..7] * y; r[8] takes the carry.
#define ADD_ROW(half, r, x, y)                                                                \
  asm("mad." half ".cc.u32 %0, %9, %17, %0;\n\t"                                              \
      "madc." half ".cc.u32 %1, %10, %17, %1;\n\t"                                            \
      "madc." half ".cc.u32 %2, %11, %17, %2;\n\t"                                            \
      "madc." half ".cc.u32 %3, %12, %17, %3;\n\t"                                            \
      "madc." half ".cc.u32 %4, %13, %17, %4;\n\t"                                            \
      "madc." half ".cc.u32 %5, %14, %17, %5;\n\t"                                            \
      "madc." half ".cc.u32 %6, %15, %17, %6;\n\t"                                            \
      "madc." half ".cc.u32 %7, %16, %17, %7;\n\t"                                            \
      "addc.u32 %8, %8, 0;"                                                                   \
      : "+r"((r)[0]), "+r"((r)[1]), "+r"((r)[2]), "+r"((r)[3]), "+r"((r)[4]), "+r"((r)[5]),   \
        "+r"((r)[6]), "+r"((r)[7]), "+r"((r)[8])                                              \
      : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "r"((x)[4]), "r"((x)[5]),         \
        "r"((x)[6]), "r"((x)[7]), "r"(y))
#define ADD_LOW(r, x, y) ADD_ROW("lo", r, x, y)
#define ADD_HIGH(r, x, y) ADD_ROW("hi", r, x, y)
#else
static __device__ __forceinline__ void add_row(unsigned *r, const unsigned *x, unsigned y,
                                               int half) {
  unsigned carry = 0;
  for (int k = 0; k < 8; k++) {
    unsigned long long word = (unsigned)(((unsigned long long)x[k] * y) >> half);
    word += (unsigned long long)r[k] + carry;
    r[k] = (unsigned)word;
    carry = (unsigned)(word >> 32);
  }
  r[8] += carry;
}
#define ADD_LOW(r, x, y) add_row(r, x, y, 0)
#define ADD_HIGH(r, x, y) add_row(r, x, y, 32)
#endif

KERNEL mul256_carry(const uint4 *a, const uint4 *b, uint4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 a0 = a[2 * i], a1 = a[2 * i + 1], b0 = b[2 * i], b1 = b[2 * i + 1];
  unsigned x[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
  unsigned y[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
  unsigned r[17] = {};
#pragma unroll
  for (int j = 0; j < 8; j++) {
    ADD_LOW(r + j, x, y[j]);
    ADD_HIGH(r + j + 1, x, y[j]);
  }
#pragma unroll
  for (int q = 0; q < 4; q++) {
    out[4 * i + q] = make_uint4(r[4 * q], r[4 * q + 1], r[4 * q + 2], r[4 * q + 3]);
  }
}
