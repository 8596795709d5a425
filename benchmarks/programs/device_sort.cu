// CUB's device-wide radix sort of 32-bit keys with values: many kernels, much shared memory.
#include <cub/device/device_radix_sort.cuh>

void sort_pairs(void* scratch, size_t& bytes, const unsigned* keys_in, unsigned* keys_out,
                const int* values_in, int* values_out, int count) {
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_in, keys_out, values_in, values_out, count);
}
