// A float matrix product with 8 x 8 results a thread, unrolled, tiles in shared memory.
template <int TILE, int DEPTH, int EACH>
__device__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float left[DEPTH][TILE], right[DEPTH][TILE];
  float sum[EACH][EACH] = {};
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, side = TILE / EACH;
  const int tx = threadIdx.x % side, ty = threadIdx.x / side;
  for (int base = 0; base < n; base += DEPTH) {
#pragma unroll
    for (int at = threadIdx.x; at < TILE * DEPTH; at += side * side) {
      left[at % DEPTH][at / DEPTH] = a[(row + at / DEPTH) * n + base + at % DEPTH];
      right[at / TILE][at % TILE] = b[(base + at / TILE) * n + column + at % TILE];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k)
#pragma unroll
      for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; ++j)
          sum[i][j] = fmaf(left[k][ty * EACH + i], right[k][tx * EACH + j], sum[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i)
#pragma unroll
    for (int j = 0; j < EACH; ++j)
      c[(row + ty * EACH + i) * n + column + tx * EACH + j] = sum[i][j];
}

extern "C" __global__ void __launch_bounds__(256)
    multiply(const float* a, const float* b, float* c, int n) {
  product<128, 8, 8>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256)
    multiply_small(const float* a, const float* b, float* c, int n) {
  product<64, 16, 4>(a, b, c, n);
}
