// A block sorts its tile with CUB: fully unrolled, one large kernel.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

template <int THREADS, int ITEMS, typename Key>
__device__ void sort_tile(const Key* in, Key* out) {
  using Load = cub::BlockLoad<Key, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<Key, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<Key, THREADS, ITEMS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } shared;
  Key keys[ITEMS];
  const int base = blockIdx.x * THREADS * ITEMS;
  Load(shared.load).Load(in + base, keys);
  __syncthreads();
  Sort(shared.sort).Sort(keys);
  __syncthreads();
  Store(shared.store).Store(out + base, keys);
}

extern "C" __global__ void __launch_bounds__(128) sort_words(const unsigned* in, unsigned* out) {
  sort_tile<128, 16>(in, out);
}

extern "C" __global__ void __launch_bounds__(128) sort_longs(const long long* in, long long* out) {
  sort_tile<128, 12>(in, out);
}
