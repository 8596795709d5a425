// Philox and XORWOW written out, unrolled: long straight-line integer and float code.
__device__ uint4 philox_round(uint4 c, uint2 k) {
  const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
  const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
  return make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}

__device__ uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    c = philox_round(c, k);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

extern "C" __global__ void walk(float* out, unsigned seed, int steps) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0, y = 0, z = 0;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int part = 0; part < 8; ++part) {
      const uint4 r = philox(make_uint4(id, step, part, 0), make_uint2(seed, 7));
      const float angle = r.x * 1.4629180792671596e-9f, height = r.y * 4.656612873077393e-10f - 1;
      float s, c;
      sincosf(angle, &s, &c);
      const float radius = sqrtf(1 - height * height), length = -logf((r.z + 1.0f) * 2.3283064e-10f);
      x += length * radius * c;
      y += length * radius * s;
      z += length * height;
    }
  }
  out[3 * id] = x;
  out[3 * id + 1] = y;
  out[3 * id + 2] = z;
}
