// Prints what NVIDIA's own headers compute on the host for narrow float formats, one vector a line.
// Input: lines "name a b" in hexadecimal. Output: "result". The file that calls it knows the order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

static float as_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

static __half as_half(uint32_t bits) {
  __half_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return __half(raw);
}

static __nv_bfloat16 as_bfloat(uint32_t bits) {
  __nv_bfloat16_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return __nv_bfloat16(raw);
}

static uint32_t bits_of(__half value) { return __half_raw(value).x; }
static uint32_t bits_of(__nv_bfloat16 value) { return __nv_bfloat16_raw(value).x; }

static uint32_t evaluate(const std::string &name, uint32_t a, uint32_t b, uint32_t c) {
  const float x = as_float(a);
  const auto finite = __NV_SATFINITE;
  if (name == "e4m3") return __nv_cvt_float_to_fp8(x, finite, __NV_E4M3);
  if (name == "e5m2") return __nv_cvt_float_to_fp8(x, finite, __NV_E5M2);
  if (name == "e2m3") return __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  if (name == "e3m2") return __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest);
  if (name == "e2m1") return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  if (name == "scale_rz") return __nv_cvt_float_to_e8m0(x, __NV_NOSAT, cudaRoundZero);
  if (name == "scale_rp") return __nv_cvt_float_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf);
  if (name == "scale_rz_finite") return __nv_cvt_float_to_e8m0(x, finite, cudaRoundZero);
  if (name == "scale_rp_finite") return __nv_cvt_float_to_e8m0(x, finite, cudaRoundPosInf);
  if (name == "from_e4m3") return __nv_cvt_fp8_to_halfraw(a, __NV_E4M3).x;
  if (name == "from_e5m2") return __nv_cvt_fp8_to_halfraw(a, __NV_E5M2).x;
  if (name == "from_e2m3") return __nv_cvt_fp6_to_halfraw(a, __NV_E2M3).x;
  if (name == "from_e3m2") return __nv_cvt_fp6_to_halfraw(a, __NV_E3M2).x;
  if (name == "from_e2m1") return __nv_cvt_fp4_to_halfraw(a, __NV_E2M1).x;
  if (name == "from_scale") return __nv_cvt_e8m0_to_bf16raw(a).x;
  if (name == "f16_rn") return bits_of(__float2half_rn(x));
  if (name == "f16_rz") return bits_of(__float2half_rz(x));
  if (name == "f16_rm") return bits_of(__float2half_rd(x));
  if (name == "f16_rp") return bits_of(__float2half_ru(x));
  if (name == "bf16_rn") return bits_of(__float2bfloat16_rn(x));
  if (name == "bf16_rz") return bits_of(__float2bfloat16_rz(x));
  if (name == "f16_add") return bits_of(__hadd(as_half(a), as_half(b)));
  if (name == "f16_mul") return bits_of(__hmul(as_half(a), as_half(b)));
  if (name == "f16_sub") return bits_of(__hsub(as_half(a), as_half(b)));
  if (name == "f16_min") return bits_of(__hmin(as_half(a), as_half(b)));
  if (name == "f16_max_nan") return bits_of(__hmax_nan(as_half(a), as_half(b)));
  if (name == "bf16_add") return bits_of(__hadd(as_bfloat(a), as_bfloat(b)));
  if (name == "bf16_mul") return bits_of(__hmul(as_bfloat(a), as_bfloat(b)));
  if (name == "bf16_min") return bits_of(__hmin(as_bfloat(a), as_bfloat(b)));
  if (name == "bf16_max_nan") return bits_of(__hmax_nan(as_bfloat(a), as_bfloat(b)));
  std::fprintf(stderr, "unknown function %s\n", name.c_str());
  std::exit(1);
}

int main() {
  char name[64];
  unsigned a, b, c;
  while (std::scanf("%63s %x %x %x", name, &a, &b, &c) == 4)
    std::printf("%x\n", evaluate(name, a, b, c));
}
