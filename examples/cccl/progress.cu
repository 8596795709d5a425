// Threads that wait for each other: locks, a grid that meets, a scan that looks back, mbarriers.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>

namespace cg = cooperative_groups;
using device_word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

__device__ void add_three(int *word) { *(volatile int *)word = *(volatile int *)word + 3; }

// Thread 0 holds the lock while another thread of the block works.
extern "C" __global__ void lock_of_blocks(int *lock, int *out) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 32) add_three(out);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void lock_of_warps(int *lock, int *out) {
  int lane = threadIdx.x & 31;
  if (lane == 0) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __syncwarp();
  int value = *(volatile int *)out;
  __syncwarp();
  if (lane == 5) *(volatile int *)out = value + 3;
  __syncwarp();
  if (lane == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void lock_of_lanes(int *lock, int *out) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  add_three(out);
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void lock_in_a_flag(int *lock, int *out) {
  bool done = false;
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      __threadfence();
      add_three(out);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> turn(1);

extern "C" __global__ void semaphore_of_lanes(int *lock, int *out) {
  turn.acquire();
  add_three(out);
  turn.release();
}

// Each block tells its number, the grid meets, each sums what all have told; again and again.
extern "C" __global__ void grid_rounds(int *told, int *out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int value = blockIdx.x + 1;
  for (int round = 0; round < rounds; round++) {
    if (threadIdx.x == 0) told[blockIdx.x] = value;
    grid.sync();
    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) sum += told[block];
    grid.sync();
    value = sum + blockIdx.x;
  }
  out[grid.thread_rank()] = value + grid.thread_rank();
}

// An inclusive scan in one pass: a block publishes its sum, then adds up those before it.
extern "C" __global__ void look_back(const int *in, int *out, unsigned long long *states, int *next) {
  const unsigned long long kSum = 1ull << 32, kPrefix = 2ull << 32;
  __shared__ int tile, before, sums[4];
  if (threadIdx.x == 0) tile = atomicAdd(next, 1);
  __syncthreads();
  int at = tile * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = in[at];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, value, d);
    if (lane >= d) value += other;
  }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; w++) value += sums[w];
  if (threadIdx.x == blockDim.x - 1) {
    device_word mine(states[tile]);
    int sum = 0;
    if (tile > 0) mine.store(kSum | (unsigned)value, cuda::std::memory_order_release);
    for (int back = tile - 1; back >= 0;) {
      unsigned long long state = device_word(states[back]).load(cuda::std::memory_order_acquire);
      if (state < kSum) continue;
      sum += (int)state;
      if (state >= kPrefix) break;
      back--;
    }
    mine.store(kPrefix | (unsigned)(sum + value), cuda::std::memory_order_release);
    before = sum;
  }
  __syncthreads();
  out[at] = value + before;
}

// Two warps fill a tile for two others; one mbarrier says that it is empty, one that it is full.
extern "C" __global__ void producer_consumer(int *out, int rounds) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(barrier) char storage[2 * sizeof(barrier)];
  __shared__ int tile[64];
  barrier *is_empty = (barrier *)storage, *is_full = is_empty + 1;
  if (threadIdx.x == 0) {
    init(is_empty, blockDim.x);
    init(is_full, blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    for (int round = 0; round < rounds; round++) {
      is_empty->arrive_and_wait();
      tile[threadIdx.x] = round * 1000 + threadIdx.x;
      (void)is_full->arrive();
    }
  } else {
    (void)is_empty->arrive();
    for (int round = 0; round < rounds; round++) {
      is_full->arrive_and_wait();
      out[round * 64 + threadIdx.x - 64] = tile[127 - threadIdx.x];
      if (round + 1 < rounds) (void)is_empty->arrive();
    }
  }
}
