// The part of CUDA that the examples use, for compilers that have no CUDA headers at hand.
//
// One source is read by four compilers: nvcc (its own headers; this file only adds a few names),
// clang's NVPTX target (`-x cuda -nocudainc -nocudalib`), clang's AMDGPU target (`-x hip -nogpuinc
// -nogpulib`) and a host compiler (host_cuda.h, included before this file by the host check).
// Math functions are plain code: no libdevice is needed, and the same operations run everywhere.
#pragma once

#define KERNEL extern "C" __global__ void

#if defined(MINI_CUDA_HOST)
#include "mini_host.h"
#elif defined(__NVCC__)
#include <cuda_fp16.h>
#elif defined(__HIP__)
#include "mini_amdgpu.h"
#include "mini_math.h"
#else
#include "mini_nvptx.h"
#include "mini_math.h"
#endif

#if defined(MINI_CUDA_HOST)
#define DYNAMIC_SHARED(type, name) type *name = (type *)mini_dynamic_shared
#else
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif
