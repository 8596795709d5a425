// CUB's stream compaction: flagged items, unique items, a partition.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

void flagged(void* scratch, size_t& bytes, const int* in, const char* flags, int* out, int* chosen,
             int count) {
  cub::DeviceSelect::Flagged(scratch, bytes, in, flags, out, chosen, count);
}

void unique(void* scratch, size_t& bytes, const int* in, int* out, int* chosen, int count) {
  cub::DeviceSelect::Unique(scratch, bytes, in, out, chosen, count);
}
