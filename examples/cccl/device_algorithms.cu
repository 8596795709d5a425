// CUB's device-wide reductions, scans, histograms, encodings and selections.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "on_device.h"

extern "C" int reduce_sum(const int *values, int *sum, int count) {
  OnDevice<int> from(values, count), to(1);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, from.data, to.data, count);
  });
  to.copy_to(sum, 1);
  return code;
}

extern "C" int reduce_max(const double *values, double *largest, int count) {
  OnDevice<double> from(values, count), to(1);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceReduce::Max(storage, bytes, from.data, to.data, count);
  });
  to.copy_to(largest, 1);
  return code;
}

// One segment a row of `width` values.
extern "C" int segmented_min(const int *values, const int *ends, int *smallest, int segments,
                             int count) {
  OnDevice<int> from(values, count), offsets(ends, segments + 1), to(segments);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceSegmentedReduce::Min(storage, bytes, from.data, to.data, segments,
                                           offsets.data, offsets.data + 1);
  });
  to.copy_to(smallest, segments);
  return code;
}

// Tiles look back at their predecessors while these still run.
extern "C" int exclusive_sum(const int *values, int *sums, int count) {
  OnDevice<int> from(values, count), to(count);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, from.data, to.data, count);
  });
  to.copy_to(sums, count);
  return code;
}

struct Larger {
  __device__ long long operator()(long long a, long long b) const { return a < b ? b : a; }
};

extern "C" int running_max(const long long *values, long long *largest, int count) {
  OnDevice<long long> from(values, count), to(count);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceScan::InclusiveScan(storage, bytes, from.data, to.data, Larger(), count);
  });
  to.copy_to(largest, count);
  return code;
}

extern "C" int histogram(const unsigned char *samples, int *bins, int count) {
  OnDevice<unsigned char> from(samples, count);
  OnDevice<int> to(64);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, from.data, to.data, 65, 0, 256,
                                               count);
  });
  to.copy_to(bins, 64);
  return code;
}

extern "C" int run_lengths(const int *values, int *unique, int *lengths, int *runs, int count) {
  OnDevice<int> from(values, count), kinds(count), counts(count), found(1);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceRunLengthEncode::Encode(storage, bytes, from.data, kinds.data, counts.data,
                                              found.data, count);
  });
  found.copy_to(runs, 1);
  kinds.copy_to(unique, *runs);
  counts.copy_to(lengths, *runs);
  return code;
}

struct Odd {
  __device__ bool operator()(int value) const { return value & 1; }
};

extern "C" int select_odd(const int *values, int *kept, int *found, int count) {
  OnDevice<int> from(values, count), to(count), number(1);
  int code = with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceSelect::If(storage, bytes, from.data, to.data, number.data, count, Odd());
  });
  number.copy_to(found, 1);
  to.copy_to(kept, *found);
  return code;
}
