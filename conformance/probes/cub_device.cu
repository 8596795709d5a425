#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_run_length_encode.cuh>
cudaError_t a(void* t, size_t& n, const float* in, float* out, int c) { return cub::DeviceReduce::Sum(t, n, in, out, c); }
cudaError_t b(void* t, size_t& n, const int* in, int* out, int c) { return cub::DeviceScan::InclusiveSum(t, n, in, out, c); }
cudaError_t d(void* t, size_t& n, const int* in, int* out, int* k, int c) { return cub::DeviceSelect::Unique(t, n, in, out, k, c); }
cudaError_t e(void* t, size_t& n, const int* in, int* out, int* l, int* k, int c) { return cub::DeviceRunLengthEncode::Encode(t, n, in, out, l, k, c); }
