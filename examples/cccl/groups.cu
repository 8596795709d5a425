// Cooperative groups: tiles, coalesced threads, reductions and scans over them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tile_reductions(const int *in, int *sums, int *largest, int *scans) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int at = blockIdx.x * blockDim.x + threadIdx.x, value = in[at];
  int sum = cg::reduce(tile, value, cg::plus<int>());
  int most = cg::reduce(tile, value, cg::greater<int>());
  scans[at] = cg::inclusive_scan(tile, value);
  if (tile.thread_rank() == 0) {
    sums[at / 8] = sum;
    largest[at / 8] = most;
  }
}

// Threads of a warp whose value is odd count themselves; others by the value's low bits.
extern "C" __global__ void coalesced(const int *in, int *ranks, int *sizes, int *labels) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  ranks[at] = sizes[at] = -1;
  if (in[at] & 1) {
    auto odd = cg::coalesced_threads();
    ranks[at] = odd.thread_rank();
    sizes[at] = odd.size();
  }
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(tile, in[at] & 3);
  labels[at] = cg::reduce(same, in[at], cg::plus<int>());
}

// A whole block of several warps as one tile, through shared memory.
extern "C" __global__ void block_tile(const int *in, int *sums) {
  __shared__ cg::block_tile_memory<128> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int sum = cg::reduce(tile, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) sums[blockIdx.x * 2 + tile.meta_group_rank()] = sum;
}

extern "C" __global__ void staged_copy(const int *in, int *out) {
  extern __shared__ int stage[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, stage, in + blockIdx.x * blockDim.x, sizeof(int) * blockDim.x);
  cg::wait(block);
  out[blockIdx.x * blockDim.x + threadIdx.x] = stage[blockDim.x - 1 - threadIdx.x];
}
