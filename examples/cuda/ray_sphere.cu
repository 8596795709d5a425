// Rays against a handful of spheres: quadratic roots, divergent exits, the nearest hit wins.
#include "mini_cuda.h"

struct Ray { float ox, oy, oz, dx, dy, dz; };

static __device__ bool hit(const float4 &s, const Ray &r, float *distance) {
  float px = r.ox - s.x, py = r.oy - s.y, pz = r.oz - s.z;
  float b = fmaf(px, r.dx, fmaf(py, r.dy, pz * r.dz));
  float c = fmaf(px, px, fmaf(py, py, fmaf(pz, pz, -(s.w * s.w))));
  float under = fmaf(b, b, -c);
  if (under < 0.0f) return false;
  float root = sqrtf(under);
  float t = -b - root;
  if (t < 0.0f) t = root - b;
  *distance = t;
  return t >= 0.0f;
}

KERNEL ray_sphere(const float4 *spheres, int count, int width, int height, int *ids,
                  float *depths) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (float)(2 * x + 1 - width) / (float)width;
  float v = (float)(2 * y + 1 - height) / (float)height;
  float scale = 1.0f / sqrtf(fmaf(u, u, fmaf(v, v, 1.0f)));
  Ray ray = {0.0f, 0.0f, 0.0f, u * scale, v * scale, scale};
  float nearest = 1.0e30f;
  int id = -1;
  for (int k = 0; k < count; k++) {
    float t;
    if (hit(spheres[k], ray, &t) && t < nearest) {
      nearest = t;
      id = k;
    }
  }
  ids[y * width + x] = id;
  depths[y * width + x] = id < 0 ? -1.0f : nearest;
}
