// libcu++ on the device: atomics, barriers, pipelines, semaphores, latches.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/tuple>

constexpr int THREADS = 64;

// Every kind of atomic_ref operation; `cells` begins as {0, 0, ~0, 0, 1}.
extern "C" __global__ void count_with_atomics(unsigned *cells, float *sum, long long *wide,
                                              const int *values, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> total(cells[0]), bits(cells[1]),
      smallest(cells[2]), largest(cells[3]), turns(cells[4]);
  total.fetch_add(values[at], cuda::memory_order_relaxed);
  bits.fetch_or(1u << (values[at] & 31), cuda::memory_order_release);
  smallest.fetch_min(values[at]);
  largest.fetch_max(values[at], cuda::memory_order_acq_rel);
  cuda::atomic_ref<float, cuda::thread_scope_system>(*sum).fetch_add(0.5f);
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*wide).fetch_sub(values[at]);
  unsigned seen = turns.load(cuda::memory_order_acquire);
  while (!turns.compare_exchange_weak(seen, seen * 3 + 1)) {
  }
}

// 16 bits of a word, by compare and swap of the word around them.
extern "C" __global__ void count_halves(unsigned short *halves) {
  cuda::atomic_ref<unsigned short, cuda::thread_scope_device> half(halves[threadIdx.x % 3]);
  half.fetch_add(1);
}

// Phases: each thread reads what its neighbours wrote in the phase before.
extern "C" __global__ void smooth_in_phases(int *values, int phases) {
  __shared__ int row[THREADS];
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) unsigned char place[sizeof(Barrier)];
  Barrier *barrier = reinterpret_cast<Barrier *>(place);
  if (threadIdx.x == 0) init(barrier, THREADS);
  __syncthreads();
  int at = threadIdx.x;
  row[at] = values[blockIdx.x * THREADS + at];
  for (int phase = 0; phase < phases; ++phase) {
    auto token = barrier->arrive();
    barrier->wait(cuda::std::move(token));
    int next = row[(at + 1) % THREADS] + row[(at + THREADS - 1) % THREADS];
    barrier->arrive_and_wait();
    row[at] = next;
  }
  values[blockIdx.x * THREADS + at] = row[at];
}

// Tiles are copied ahead of their use, two in flight.
extern "C" __global__ void pipelined_sums(const int *in, int *out, int tiles) {
  constexpr int STAGES = 2;
  __shared__ int tile[STAGES][THREADS];
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>;
  __shared__ alignas(State) unsigned char place[sizeof(State)];
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, reinterpret_cast<State *>(place));
  auto fetch = [&](int number) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tile[number % STAGES], in + number * THREADS,
                       cuda::aligned_size_t<16>(sizeof(int) * THREADS), pipeline);
    pipeline.producer_commit();
  };
  int sum = 0;
  for (int number = 0; number < STAGES && number < tiles; ++number) fetch(number);
  for (int number = 0; number < tiles; ++number) {
    pipeline.consumer_wait();
    sum += tile[number % STAGES][THREADS - 1 - threadIdx.x];
    pipeline.consumer_release();
    if (number + STAGES < tiles) fetch(number + STAGES);
  }
  out[threadIdx.x] = sum;
}

// The same, each thread with a pipeline of its own.
extern "C" __global__ void thread_pipeline(const int *in, int *out, int tiles) {
  __shared__ int tile[2][THREADS];
  auto pipeline = cuda::make_pipeline();
  int sum = 0;
  for (int number = 0; number <= tiles; ++number) {
    if (number < tiles) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tile[number % 2][threadIdx.x], in + number * THREADS + threadIdx.x,
                         sizeof(int), pipeline);
      pipeline.producer_commit();
    }
    if (number == 0) continue;
    if (number < tiles)
      cuda::pipeline_consumer_wait_prior<1>(pipeline);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipeline);
    sum += tile[(number - 1) % 2][threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// One block at a time inside; everybody waits for the latch before reading the count.
extern "C" __global__ void guarded_count(cuda::binary_semaphore<cuda::thread_scope_device> *door,
                                         volatile int *counter) {
  if (threadIdx.x == 0) {
    door->acquire();
    int seen = *counter;
    __nanosleep(20);
    *counter = seen + 1;
    door->release();
  }
}

extern "C" __global__ void behind_a_latch(int *out) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) unsigned char place[sizeof(Latch)];
  __shared__ int sum;
  Latch *latch = reinterpret_cast<Latch *>(place);
  if (threadIdx.x == 0) {
    new (latch) Latch(THREADS / 32);
    sum = 0;
  }
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncwarp();
  if (threadIdx.x % 32 == 0) latch->count_down();
  latch->wait();
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

extern "C" __global__ void standard_library(const float *in, float *out, unsigned *bits) {
  int at = threadIdx.x;
  cuda::std::complex<float> value(in[2 * at], in[2 * at + 1]);
  auto square = value * value;
  cuda::std::array<float, 2> parts = {square.real(), square.imag()};
  auto [real, imaginary] = cuda::std::make_tuple(parts[0], parts[1]);
  out[2 * at] = real;
  out[2 * at + 1] = imaginary;
  unsigned word = cuda::std::bit_cast<unsigned>(in[2 * at]);
  bits[at] = cuda::std::popcount(word) + (cuda::std::countl_zero(word) << 8);
}
