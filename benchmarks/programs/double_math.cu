// CUDA's double-precision library inlined: divisions, roots, exponentials, Bessel functions.
extern "C" __global__ void special(const double* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double x = in[i];
  out[8 * i] = exp(x) / (1 + x * x);
  out[8 * i + 1] = log(fabs(x) + 1);
  out[8 * i + 2] = sin(x) * cos(2 * x);
  out[8 * i + 3] = pow(fabs(x), 0.7);
  out[8 * i + 4] = erf(x);
  out[8 * i + 5] = tgamma(x);
  out[8 * i + 6] = atan2(x, 2.0) + asinh(x);
  out[8 * i + 7] = cbrt(x) + rsqrt(fabs(x) + 0.5);
}
