// Interval arithmetic: products rounded down and up, and a sum rounded toward zero.
#include "mini_cuda.h"

#if defined(MINI_CUDA_HOST) || defined(__HIP__)
// The product of two f32 is exact in f64: round it to nearest, then step if it went too far.
static __device__ float step(float x, int up) {
  int bits = __float_as_int(x);
  if (x == 0.0f) return __int_as_float(up ? 1 : (int)0x80000001);
  return __int_as_float((bits > 0) == (up != 0) ? bits + 1 : bits - 1);
}
static __device__ float __fmul_rd(float a, float b) {
  double exact = (double)a * b;
  float near = (float)exact;
  return (double)near > exact ? step(near, 0) : near;
}
static __device__ float __fmul_ru(float a, float b) {
  double exact = (double)a * b;
  float near = (float)exact;
  return (double)near < exact ? step(near, 1) : near;
}
static __device__ float __fadd_rz(float a, float b) {
  double exact = (double)a + b;
  float near = (float)exact;
  if (exact > 0.0 && (double)near > exact) return step(near, 0);
  return exact < 0.0 && (double)near < exact ? step(near, 1) : near;
}
#endif

KERNEL interval(const float *a, const float *b, float *low, float *high, float *toward_zero,
                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  low[i] = __fmul_rd(a[i], b[i]);
  high[i] = __fmul_ru(a[i], b[i]);
  toward_zero[i] = __fadd_rz(a[i], b[i]);
}
