// European option prices: logarithm, exponential, square root and a rational approximation.
#include "mini_cuda.h"

static __device__ float normal_cdf(float d) {
  float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
  float p = 1.330274429f;
  p = fmaf(p, k, -1.821255978f);
  p = fmaf(p, k, 1.781477937f);
  p = fmaf(p, k, -0.356563782f);
  p = fmaf(p, k, 0.31938153f);
  float tail = 0.39894228040143267794f * expf(-0.5f * d * d) * (p * k);
  return d > 0.0f ? 1.0f - tail : tail;
}

KERNEL black_scholes(const float *spot, const float *strike, const float *years, float rate,
                     float volatility, float *call, float *put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(years[i]);
  float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
             (volatility * root);
  float d2 = d1 - volatility * root;
  float discounted = strike[i] * expf(-rate * years[i]);
  float c1 = normal_cdf(d1), c2 = normal_cdf(d2);
  call[i] = spot[i] * c1 - discounted * c2;
  put[i] = discounted * (1.0f - c2) - spot[i] * (1.0f - c1);
}
