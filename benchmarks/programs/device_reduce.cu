// CUB's device-wide reductions: sum, minimum with its index, sums by key.
#include <cub/device/device_reduce.cuh>

void sum(void* scratch, size_t& bytes, const double* in, double* out, int count) {
  cub::DeviceReduce::Sum(scratch, bytes, in, out, count);
}

void smallest(void* scratch, size_t& bytes, const float* in, float* out, long long* at, int count) {
  cub::DeviceReduce::ArgMin(scratch, bytes, in, out, at, count);
}

void by_key(void* scratch, size_t& bytes, const int* keys, int* unique, const float* in, float* out,
            int* runs, int count) {
  cub::DeviceReduce::ReduceByKey(scratch, bytes, keys, unique, in, out, runs, cuda::std::plus<>{}, count);
}
