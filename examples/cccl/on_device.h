// Device memory that frees itself, and CUB's two-step calls: ask for storage, then run.
#pragma once
#include <cuda_runtime.h>

template <typename T> struct OnDevice {
  T *data = nullptr;
  explicit OnDevice(int count) { cudaMalloc(&data, count * sizeof(T)); }
  OnDevice(const T *host, int count) : OnDevice(count) {
    cudaMemcpy(data, host, count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data); }
  OnDevice(const OnDevice &) = delete;
  void copy_to(T *host, int count) const {
    cudaMemcpy(host, data, count * sizeof(T), cudaMemcpyDeviceToHost);
  }
};

template <typename Call> int with_storage(Call call) {
  size_t bytes = 0;
  if (int code = call(nullptr, bytes)) return code;
  OnDevice<char> storage((int)bytes);
  if (int code = call(storage.data, bytes)) return code;
  return cudaDeviceSynchronize();
}
