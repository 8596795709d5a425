// A tiled matrix product on CUDA's wmma interface: tiles of a and b go through shared memory, each
// warp computes 16 by 32 of the result. Sizes are multiples of the tiles.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int ROWS = 32, COLUMNS = 64, DEPTH = 32;  // of a block's tile
constexpr int THREADS = 128;                        // four warps, two by two

template <typename Element, typename Sum>
__device__ void multiply(const Element* a, const Element* b, Sum* c, int n, int k) {
    __shared__ __align__(32) Element left[ROWS][DEPTH + 16];
    __shared__ __align__(32) Element right[DEPTH][COLUMNS + 16];
    const int warp = threadIdx.x / 32, row = 16 * (warp / 2), column = 32 * (warp % 2);
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> total[2];
    for (auto& part : total) wmma::fill_fragment(part, Sum(0));
    for (int base = 0; base < k; base += DEPTH) {
        for (int i = threadIdx.x; i < ROWS * DEPTH; i += THREADS)
            left[i / DEPTH][i % DEPTH] = a[(blockIdx.y * ROWS + i / DEPTH) * k + base + i % DEPTH];
        for (int i = threadIdx.x; i < DEPTH * COLUMNS; i += THREADS)
            right[i / COLUMNS][i % COLUMNS] =
                b[(base + i / COLUMNS) * n + blockIdx.x * COLUMNS + i % COLUMNS];
        __syncthreads();
        for (int step = 0; step < DEPTH; step += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, Element, wmma::row_major> x;
            wmma::load_matrix_sync(x, &left[row][step], DEPTH + 16);
            for (int part = 0; part < 2; ++part) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, Element, wmma::row_major> y;
                wmma::load_matrix_sync(y, &right[step][column + 16 * part], COLUMNS + 16);
                wmma::mma_sync(total[part], x, y, total[part]);
            }
        }
        __syncthreads();
    }
    for (int part = 0; part < 2; ++part) {
        Sum* corner = c + (blockIdx.y * ROWS + row) * n + blockIdx.x * COLUMNS + column + 16 * part;
        wmma::store_matrix_sync(corner, total[part], n, wmma::mem_row_major);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    halves(const half* a, const half* b, float* c, int n, int k) { multiply(a, b, c, n, k); }

extern "C" __global__ void __launch_bounds__(THREADS)
    half_sums(const half* a, const half* b, half* c, int n, int k) { multiply(a, b, c, n, k); }

extern "C" __global__ void __launch_bounds__(THREADS)
    brains(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k) {
    multiply(a, b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    bytes(const signed char* a, const signed char* b, int* c, int n, int k) {
    multiply(a, b, c, n, k);
}
