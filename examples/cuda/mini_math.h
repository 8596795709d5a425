// Math functions as plain code for both clang device targets. Accuracy: about two ulp.
#pragma once

MINI_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MINI_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
MINI_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
MINI_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
MINI_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
MINI_DEVICE double fabs(double x) { return __builtin_fabs(x); }
MINI_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
MINI_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
MINI_DEVICE float floorf(float x) { return __builtin_floorf(x); }
MINI_DEVICE float rintf(float x) { return __builtin_rintf(x); }
MINI_DEVICE float copysignf(float x, float s) { return __builtin_copysignf(x, s); }
MINI_DEVICE int min(int a, int b) { return a < b ? a : b; }
MINI_DEVICE int max(int a, int b) { return a > b ? a : b; }
MINI_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
MINI_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
MINI_DEVICE int abs(int a) { return a < 0 ? -a : a; }

MINI_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
MINI_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
MINI_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
MINI_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
MINI_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
MINI_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32);
}

MINI_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
MINI_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
MINI_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
MINI_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }

MINI_DEVICE float __half2float(__half x) { return (float)x; }
MINI_DEVICE __half __float2half(float x) { return (__half)x; }
MINI_DEVICE __half __hfma(__half a, __half b, __half c) { return __builtin_fmaf16(a, b, c); }
MINI_DEVICE __half __hadd(__half a, __half b) { return a + b; }
MINI_DEVICE __half __hmul(__half a, __half b) { return a * b; }

MINI_DEVICE float __expf(float x) { return mini_exp2(x * 1.4426950408889634f); }
MINI_DEVICE float __logf(float x) { return mini_log2(x) * 0.6931471805599453f; }

// exp(x) = 2^n * exp(r), n = rint(x / ln 2), r in [-ln2/2, ln2/2] as a sum of two constants.
MINI_DEVICE float expf(float x) {
  float clamped = fminf(fmaxf(x, -87.0f), 88.0f);
  float n = rintf(clamped * 1.4426950408889634f);
  float r = fmaf(n, -0.693359375f, clamped);
  r = fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = fmaf(p, r, 1.3981999507e-3f);
  p = fmaf(p, r, 8.3334519073e-3f);
  p = fmaf(p, r, 4.1665795894e-2f);
  p = fmaf(p, r, 1.6666665459e-1f);
  p = fmaf(p, r, 5.0000001201e-1f);
  p = fmaf(p * r, r, r) + 1.0f;
  return p * __int_as_float(((int)n + 127) << 23);
}

// log(x) for normal x > 0: exponent and mantissa apart, then a polynomial in m - 1.
MINI_DEVICE float logf(float x) {
  int bits = __float_as_int(x) - 0x3f3504f3;
  float e = (float)(bits >> 23);
  float m = __int_as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  float p = 7.0376836292e-2f;
  p = fmaf(p, m, -1.1514610310e-1f);
  p = fmaf(p, m, 1.1676998740e-1f);
  p = fmaf(p, m, -1.2420140846e-1f);
  p = fmaf(p, m, 1.4249322787e-1f);
  p = fmaf(p, m, -1.6668057665e-1f);
  p = fmaf(p, m, 2.0000714765e-1f);
  p = fmaf(p, m, -2.4999993993e-1f);
  p = fmaf(p, m, 3.3333331174e-1f);
  float square = m * m;
  float y = fmaf(p * m, square, e * -2.12194440e-4f);
  y = fmaf(square, -0.5f, y) + m;
  return fmaf(e, 0.693359375f, y);
}

// Sine and cosine for |x| up to a few thousand: reduce by pi/2 in three steps, then the quadrant.
MINI_DEVICE float mini_sin_quadrant(float x, int shift) {
  float n = rintf(x * 0.636619772f);
  float r = fmaf(n, -1.5703125f, x);
  r = fmaf(n, -4.837512969970703125e-4f, r);
  r = fmaf(n, -7.54978995489188e-8f, r);
  float z = r * r;
  float s = fmaf(fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f);
  s = fmaf(s * z, r, r);
  float c = fmaf(fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f);
  c = fmaf(c * z, z, fmaf(z, -0.5f, 1.0f));
  int quadrant = (int)n + shift;
  float y = (quadrant & 1) ? c : s;
  return (quadrant & 2) ? -y : y;
}
MINI_DEVICE float sinf(float x) { return mini_sin_quadrant(x, 0); }
MINI_DEVICE float cosf(float x) { return mini_sin_quadrant(x, 1); }
