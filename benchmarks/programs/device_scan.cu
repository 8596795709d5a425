// CUB's device-wide scan with look-back between blocks, of floats and of 64-bit integers.
#include <cub/device/device_scan.cuh>

void scan_floats(void* scratch, size_t& bytes, const float* in, float* out, int count) {
  cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count);
}

void scan_words(void* scratch, size_t& bytes, const long long* in, long long* out, int count) {
  cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count);
}
