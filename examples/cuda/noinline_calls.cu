// Calls that stay calls: scalar and struct results, a pointer to a local, a call in a loop.
#include "mini_cuda.h"

struct Division { int quotient, remainder; };

static __device__ __noinline__ int gcd(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static __device__ __noinline__ Division divide(int a, int b) {
  Division d = {a / b, a % b};
  return d;
}

static __device__ __noinline__ void collatz(unsigned start, int *steps, unsigned long long *peak) {
  unsigned long long v = start;
  *peak = v;
  for (*steps = 0; v != 1 && *steps < 200; ++*steps) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    if (v > *peak) *peak = v;
  }
}

KERNEL noinline_calls(const int *a, const int *b, int *out, unsigned long long *peaks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int steps;
  unsigned long long peak;
  Division d = divide(a[i], b[i]);
  collatz((unsigned)i + 1, &steps, &peak);
  out[4 * i] = gcd(abs(a[i]), abs(b[i]));
  out[4 * i + 1] = d.quotient;
  out[4 * i + 2] = d.remainder;
  out[4 * i + 3] = steps;
  peaks[i] = peak;
}
