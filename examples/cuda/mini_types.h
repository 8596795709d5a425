// Attributes and small types that both clang device targets share.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define MINI_DEVICE static __device__ __forceinline__

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(4) uchar4 { unsigned char x, y, z, w; };

typedef _Float16 __half;

MINI_DEVICE float2 make_float2(float x, float y) { return {x, y}; }
MINI_DEVICE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
MINI_DEVICE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
MINI_DEVICE double2 make_double2(double x, double y) { return {x, y}; }

// threadIdx.x and its relatives: property reads that become one special register each.
#define MINI_INDEX_TYPE(type, get_x, get_y, get_z)                  \
  struct type {                                                     \
    __declspec(property(get = read_x)) unsigned x;                  \
    __declspec(property(get = read_y)) unsigned y;                  \
    __declspec(property(get = read_z)) unsigned z;                  \
    MINI_DEVICE unsigned read_x() { return get_x; }                 \
    MINI_DEVICE unsigned read_y() { return get_y; }                 \
    MINI_DEVICE unsigned read_z() { return get_z; }                 \
  }
