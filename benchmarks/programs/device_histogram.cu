// CUB's histograms of bytes and of floats in even bins.
#include <cub/device/device_histogram.cuh>

void bytes_even(void* scratch, size_t& bytes, const unsigned char* in, int* out, int count) {
  cub::DeviceHistogram::HistogramEven(scratch, bytes, in, out, 257, 0, 256, count);
}

void floats_even(void* scratch, size_t& bytes, const float* in, int* out, int levels, int count) {
  cub::DeviceHistogram::HistogramEven(scratch, bytes, in, out, levels, 0.0f, 1.0f, count);
}
