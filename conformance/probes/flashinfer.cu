// Kernels of flashinfer that need neither torch nor CUTLASS.
#include <flashinfer/activation.cuh>
#include <flashinfer/norm.cuh>
#include <flashinfer/quantization.cuh>

__device__ __forceinline__ float silu(const float& x) { return x / (1.0f + __expf(-x)); }

#define FOR_TYPE(T)                                                                               \
  template __global__ void flashinfer::norm::RMSNormKernel<8, T>(                                 \
      T*, T*, T*, uint32_t, uint32_t, uint32_t, float, float);                                    \
  template __global__ void flashinfer::norm::FusedAddRMSNormKernel<8, T>(                         \
      T*, T*, T*, uint32_t, uint32_t, uint32_t, float, float);                                    \
  template __global__ void flashinfer::activation::act_and_mul_kernel<T, silu, 8>(                \
      T*, const T*, int);

FOR_TYPE(half)
FOR_TYPE(nv_bfloat16)

template __global__ void flashinfer::quantization::PackBitsKernel<
    flashinfer::quantization::BitOrder::kLittle>(bool*, uint8_t*, int64_t);
template __global__ void flashinfer::quantization::SegmentPackBitsKernel<
    flashinfer::quantization::BitOrder::kBig, int>(bool*, uint8_t*, int*, int*);
