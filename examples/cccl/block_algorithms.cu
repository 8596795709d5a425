// Kernels of our own on CUB's block and warp primitives.
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int THREADS = 128, EACH = 4, TILE = THREADS * EACH;

// A tile is loaded through shared memory, sorted, and stored again.
extern "C" __global__ void sort_tiles(const unsigned *in, unsigned *out) {
  using Load = cub::BlockLoad<unsigned, THREADS, EACH, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<unsigned, THREADS, EACH>;
  using Store = cub::BlockStore<unsigned, THREADS, EACH, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } shared;
  unsigned keys[EACH];
  Load(shared.load).Load(in + blockIdx.x * TILE, keys);
  __syncthreads();
  Sort(shared.sort).Sort(keys);
  __syncthreads();
  Store(shared.store).Store(out + blockIdx.x * TILE, keys);
}

struct Further {
  __device__ bool operator()(short a, short b) const { return abs(a) > abs(b); }
};

extern "C" __global__ void merge_sort_tiles(const short *in, short *out) {
  using Sort = cub::BlockMergeSort<short, THREADS, EACH>;
  __shared__ typename Sort::TempStorage shared;
  short keys[EACH];
  for (int i = 0; i < EACH; ++i) keys[i] = in[blockIdx.x * TILE + threadIdx.x * EACH + i];
  Sort(shared).StableSort(keys, Further());
  for (int i = 0; i < EACH; ++i) out[blockIdx.x * TILE + threadIdx.x * EACH + i] = keys[i];
}

// Three algorithms, one result a block each; a thread has EACH values in a row.
extern "C" __global__ void reduce_tiles(const int *in, int *sums, int *largest) {
  using Raking = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>;
  using Warps = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ union {
    typename Raking::TempStorage raking;
    typename Warps::TempStorage warps;
  } shared;
  int values[EACH];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * TILE, values);
  int sum = Raking(shared.raking).Sum(values);
  __syncthreads();
  int most = Warps(shared.warps).Reduce(values, [](int a, int b) { return a > b ? a : b; });
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    largest[blockIdx.x] = most;
  }
}

extern "C" __global__ void scan_tiles(const int *in, int *out, int *totals) {
  using Scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage shared;
  int values[EACH], total;
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * TILE, values);
  Scan(shared).ExclusiveSum(values, values, total);
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * TILE, values);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

extern "C" __global__ void histogram_tiles(const unsigned char *in, unsigned *bins) {
  using Histogram = cub::BlockHistogram<unsigned char, THREADS, EACH, 256>;
  __shared__ typename Histogram::TempStorage shared;
  __shared__ unsigned counts[256];
  unsigned char samples[EACH];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * TILE, samples);
  Histogram(shared).Histogram(samples, counts);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += THREADS) bins[blockIdx.x * 256 + bin] = counts[bin];
}

// Where a value differs from its left neighbour; groups of 16 lanes reduce and scan by themselves.
extern "C" __global__ void heads_and_warps(const int *in, int *heads, int *sums, int *scans) {
  using Heads = cub::BlockDiscontinuity<int, THREADS>;
  using Sum = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int, 16>;
  __shared__ typename Heads::TempStorage shared;
  __shared__ typename Sum::TempStorage sum_shared[THREADS / 16];
  __shared__ typename Scan::TempStorage scan_shared[THREADS / 16];
  int at = blockIdx.x * THREADS + threadIdx.x, group = threadIdx.x / 16;
  int value[1] = {in[at]}, head[1];
  Heads(shared).FlagHeads(head, value, [](int a, int b) { return a != b; });
  heads[at] = head[0];
  int sum = Sum(sum_shared[group]).Sum(value[0]);
  if (threadIdx.x % 16 == 0) sums[at / 16] = sum;
  Scan(scan_shared[group]).InclusiveSum(value[0], scans[at]);
}
