#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/complex>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/span>
#include <cuda/std/optional>
#include <cuda/std/variant>
#include <cuda/pipeline>
#include <cuda/annotated_ptr>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void atomic_ref(int* in, int* out) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*out); r.fetch_add(in[threadIdx.x], cuda::memory_order_relaxed); }
extern "C" __global__ void atomic_float_max(float* in, float* out) { cuda::atomic_ref<float, cuda::thread_scope_device> r(*out); r.fetch_max(in[threadIdx.x]); }
extern "C" __global__ void atomic_cas64(unsigned long long* in, unsigned long long* out) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> r(*out);
  unsigned long long e = r.load(cuda::memory_order_acquire);
  while (!r.compare_exchange_weak(e, e ^ in[threadIdx.x], cuda::memory_order_acq_rel)) {}
}
extern "C" __global__ void atomic_system(int* in, int* out) { cuda::atomic_ref<int> r(*out); r.exchange(in[0], cuda::memory_order_seq_cst); }
extern "C" __global__ void block_barrier(int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  b.arrive_and_wait();
  out[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
extern "C" __global__ void complex_mul(cuda::std::complex<float>* in, cuda::std::complex<float>* out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x + 32] / (in[threadIdx.x] + cuda::std::complex<float>(1, 2)); }
extern "C" __global__ void complex_exp(cuda::std::complex<double>* in, cuda::std::complex<double>* out) { out[threadIdx.x] = cuda::std::exp(in[threadIdx.x]); }
extern "C" __global__ void bits(unsigned* in, int* out) { unsigned v = in[threadIdx.x]; out[threadIdx.x] = cuda::std::popcount(v) + cuda::std::countl_zero(v) * 64 + cuda::std::rotl(v, 3); }
extern "C" __global__ void optional_sum(int* in, int* out) { cuda::std::optional<int> o; if (in[threadIdx.x] > 3) o = in[threadIdx.x]; out[threadIdx.x] = o.value_or(-1); }
extern "C" __global__ void variant_visit(int* in, float* out) { cuda::std::variant<int, float> v; if (in[threadIdx.x] & 1) v = 1.5f; else v = in[threadIdx.x]; out[threadIdx.x] = cuda::std::visit([](auto x) { return float(x) * 2; }, v); }
extern "C" __global__ void pipeline_copy(int* in, int* out) {
  __shared__ int s[2][128];
  auto b = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto p = cuda::make_pipeline(b, &st);
  p.producer_acquire(); cuda::memcpy_async(b, s[0], in, sizeof(int) * 128, p); p.producer_commit();
  p.consumer_wait(); out[threadIdx.x] = s[0][127 - threadIdx.x]; p.consumer_release();
}
extern "C" __global__ void cg_reduce(int* in, int* out) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int v = cg::reduce(t, in[threadIdx.x], cg::plus<int>()); if (t.thread_rank() == 0) out[t.meta_group_rank()] = v; }
extern "C" __global__ void cg_reduce_f16(float* in, float* out) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); float v = cg::reduce(t, in[threadIdx.x], cg::greater<float>()); if (t.thread_rank() == 0) out[t.meta_group_rank()] = v; }
extern "C" __global__ void cg_scan(int* in, int* out) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); out[threadIdx.x] = cg::exclusive_scan(t, in[threadIdx.x], cg::plus<int>()); }
extern "C" __global__ void cg_coalesced(int* in, int* out) { if (in[threadIdx.x] & 1) { auto g = cg::coalesced_threads(); out[threadIdx.x] = g.thread_rank() + g.size() * 100 + g.shfl(in[threadIdx.x], 0); } }
extern "C" __global__ void cg_partition(int* in, int* out) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); auto g = cg::labeled_partition(t, in[threadIdx.x] % 3); out[threadIdx.x] = g.size() + cg::reduce(g, in[threadIdx.x], cg::plus<int>()); }
extern "C" __global__ void cg_memcpy(int* in, int* out) { __shared__ int s[128]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in, sizeof(int) * 128); cg::wait(b); out[threadIdx.x] = s[127 - threadIdx.x]; }
extern "C" __global__ void cg_grid(int* in, int* out) { auto g = cg::this_grid(); if (g.thread_rank() < 64) out[g.thread_rank()] = in[g.thread_rank()] + g.size(); }
extern "C" __global__ void cg_grid_sync(int* in, int* out) { auto g = cg::this_grid(); out[g.thread_rank()] = in[g.thread_rank()]; g.sync(); }
extern "C" __global__ void math(float* in, float* out) { float x = in[threadIdx.x]; out[threadIdx.x] = cuda::std::hypot(x, 1.f) + cuda::std::fma(x, x, x) + cuda::std::exp(x) + cuda::std::lgamma(x) + cuda::std::pow(x, 1.5f); }
