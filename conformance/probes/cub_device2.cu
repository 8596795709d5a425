#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
cudaError_t a(void* t, size_t& n, const unsigned* in, unsigned* out, int c) { return cub::DeviceRadixSort::SortKeys(t, n, in, out, c); }
cudaError_t b(void* t, size_t& n, const float* in, float* out, const int* v, int* w, int c) { return cub::DeviceRadixSort::SortPairs(t, n, in, out, v, w, c); }
cudaError_t d(void* t, size_t& n, const unsigned char* in, int* out, int c) { return cub::DeviceHistogram::HistogramEven(t, n, in, out, 257, 0, 256, c); }
struct Less { template <class T> __host__ __device__ bool operator()(const T& a, const T& b) const { return a < b; } };
cudaError_t e(void* t, size_t& n, int* in, int c) { return cub::DeviceMergeSort::SortKeys(t, n, in, c, Less()); }
cudaError_t f(void* t, size_t& n, const float* in, float* out, const int* o, int c) { return cub::DeviceSegmentedReduce::Sum(t, n, in, out, c, o, o + 1); }
