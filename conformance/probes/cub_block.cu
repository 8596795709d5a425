#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_merge_sort.cuh>

template <cub::BlockReduceAlgorithm A, class T> __device__ void reduce(const T* in, T* out) {
  using R = cub::BlockReduce<T, 128, A>;
  __shared__ typename R::TempStorage s;
  T v = R(s).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
#define REDUCE(n, a, t) extern "C" __global__ void n(const t* in, t* out) { reduce<cub::a, t>(in, out); }
REDUCE(reduce_raking_i32, BLOCK_REDUCE_RAKING, int)
REDUCE(reduce_commutative_f32, BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, float)
REDUCE(reduce_warp_f64, BLOCK_REDUCE_WARP_REDUCTIONS, double)
REDUCE(reduce_warp_u64, BLOCK_REDUCE_WARP_REDUCTIONS, unsigned long long)
template <cub::BlockScanAlgorithm A, class T> __device__ void scan(const T* in, T* out) {
  using S = cub::BlockScan<T, 128, A>;
  __shared__ typename S::TempStorage s;
  T v[4], total;
  int base = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int i = 0; i < 4; i++) v[i] = in[base + i];
  S(s).InclusiveSum(v, v, total);
  for (int i = 0; i < 4; i++) out[base + i] = v[i];
}
#define SCAN(n, a, t) extern "C" __global__ void n(const t* in, t* out) { scan<cub::a, t>(in, out); }
SCAN(scan_raking_i32, BLOCK_SCAN_RAKING, int)
SCAN(scan_memoize_f32, BLOCK_SCAN_RAKING_MEMOIZE, float)
SCAN(scan_warp_i64, BLOCK_SCAN_WARP_SCANS, long long)
template <class K> __device__ void sort(K* data) {
  using S = cub::BlockRadixSort<K, 128, 4>;
  __shared__ typename S::TempStorage s;
  K v[4];
  int base = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int i = 0; i < 4; i++) v[i] = data[base + i];
  S(s).Sort(v);
  for (int i = 0; i < 4; i++) data[base + i] = v[i];
}
extern "C" __global__ void radix_sort_u32(unsigned* d) { sort(d); }
extern "C" __global__ void radix_sort_f32(float* d) { sort(d); }
extern "C" __global__ void radix_sort_i64(long long* d) { sort(d); }
template <cub::BlockHistogramAlgorithm A> __device__ void histogram(const unsigned char* in, unsigned* out) {
  using H = cub::BlockHistogram<unsigned char, 128, 4, 256, A>;
  __shared__ typename H::TempStorage s;
  __shared__ unsigned bins[256];
  unsigned char v[4];
  int base = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int i = 0; i < 4; i++) v[i] = in[base + i];
  H(s).Histogram(v, bins);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) atomicAdd(out + i, bins[i]);
}
extern "C" __global__ void histogram_atomic(const unsigned char* in, unsigned* out) { histogram<cub::BLOCK_HISTO_ATOMIC>(in, out); }
extern "C" __global__ void histogram_sort(const unsigned char* in, unsigned* out) { histogram<cub::BLOCK_HISTO_SORT>(in, out); }
struct Less { template <class T> __device__ bool operator()(const T& a, const T& b) const { return a < b; } };
extern "C" __global__ void merge_sort_i32(int* d) {
  using S = cub::BlockMergeSort<int, 128, 4>;
  __shared__ typename S::TempStorage s;
  int v[4];
  int base = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int i = 0; i < 4; i++) v[i] = d[base + i];
  S(s).Sort(v, Less());
  for (int i = 0; i < 4; i++) d[base + i] = v[i];
}
extern "C" __global__ void warp_reduce_sum(const float* in, float* out) {
  using R = cub::WarpReduce<float>;
  __shared__ typename R::TempStorage s[4];
  float v = R(s[threadIdx.x / 32]).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 4 + threadIdx.x / 32] = v;
}
extern "C" __global__ void warp_head_segmented(const int* in, const int* flags, int* out) {
  using R = cub::WarpReduce<int>;
  __shared__ typename R::TempStorage s[4];
  int at = blockIdx.x * 128 + threadIdx.x;
  out[at] = R(s[threadIdx.x / 32]).HeadSegmentedSum(in[at], flags[at]);
}
extern "C" __global__ void warp_scan_max(const int* in, int* out) {
  using R = cub::WarpScan<int>;
  __shared__ typename R::TempStorage s[4];
  int at = blockIdx.x * 128 + threadIdx.x, v;
  R(s[threadIdx.x / 32]).InclusiveScan(in[at], v, [] __device__ (int a, int b) { return a > b ? a : b; });
  out[at] = v;
}
extern "C" __global__ void exchange_blocked(const int* in, int* out) {
  using E = cub::BlockExchange<int, 128, 4>;
  __shared__ typename E::TempStorage s;
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = in[blockIdx.x * 512 + threadIdx.x + i * 128];
  E(s).StripedToBlocked(v, v);
  for (int i = 0; i < 4; i++) out[blockIdx.x * 512 + threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void flag_heads(const int* in, int* out) {
  using D = cub::BlockDiscontinuity<int, 128>;
  __shared__ typename D::TempStorage s;
  int at = blockIdx.x * 128 + threadIdx.x;
  int v[1] = {in[at]}, f[1];
  D(s).FlagHeads(f, v, [] __device__ (int a, int b) { return a != b; });
  out[at] = f[0];
}
extern "C" __global__ void load_transpose(const float* in, float* out) {
  using L = cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using S = cub::BlockStore<float, 128, 4, cub::BLOCK_STORE_VECTORIZE>;
  __shared__ union { typename L::TempStorage l; typename S::TempStorage s; } t;
  float v[4];
  L(t.l).Load(in + blockIdx.x * 512, v);
  for (int i = 0; i < 4; i++) v[i] = v[i] * v[i];
  __syncthreads();
  S(t.s).Store(out + blockIdx.x * 512, v);
}
