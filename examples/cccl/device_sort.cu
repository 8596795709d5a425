// CUB's device-wide radix sort and Thrust's sorts, from host arrays to host arrays.
#include <cub/device/device_radix_sort.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "on_device.h"

// Pairs: keys decide, values travel along, equal keys keep their order.
extern "C" int radix_sort_pairs(const unsigned *keys, const int *values, unsigned *sorted,
                                int *moved, int count) {
  OnDevice<unsigned> from(keys, count), to(count);
  OnDevice<int> carried(values, count), carried_to(count);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, from.data, to.data, carried.data,
                                           carried_to.data, count);
  });
  to.copy_to(sorted, count);
  carried_to.copy_to(moved, count);
  return code;
}

struct ByLowByte {
  __device__ bool operator()(unsigned a, unsigned b) const { return (a & 255) < (b & 255); }
};

// An order of our own: Thrust merges instead of counting digits.
extern "C" int merge_sort_by_low_byte(unsigned *keys, int count) {
  OnDevice<unsigned> device(keys, count);
  thrust::stable_sort(thrust::device, device.data, device.data + count, ByLowByte());
  device.copy_to(keys, count);
  return cudaGetLastError();
}

extern "C" int thrust_sort(float *keys, int count) {
  OnDevice<float> device(keys, count);
  thrust::sort(thrust::device, device.data, device.data + count);
  device.copy_to(keys, count);
  return cudaGetLastError();
}
