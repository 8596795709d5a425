// Gravity between all pairs: bodies pass through shared memory a tile at a time.
#include "mini_cuda.h"

KERNEL nbody(const float4 *bodies, float4 *forces, int n, float softening) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 self = bodies[i < n ? i : 0];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int base = 0; base < n; base += 64) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    for (int k = 0; k < 64; k++) {
      float dx = tile[k].x - self.x, dy = tile[k].y - self.y, dz = tile[k].z - self.z;
      float square = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, softening)));
      float inverse = rsqrtf(square);
      float pull = tile[k].w * (inverse * inverse * inverse);
      ax = fmaf(pull, dx, ax);
      ay = fmaf(pull, dy, ay);
      az = fmaf(pull, dz, az);
    }
    __syncthreads();
  }
  if (i < n) forces[i] = make_float4(ax, ay, az, 0.0f);
}
