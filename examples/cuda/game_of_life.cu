// One generation of Life on a torus of bytes.
#include "mini_cuda.h"

KERNEL game_of_life(const unsigned char *__restrict__ in, unsigned char *out, unsigned width,
                    unsigned height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (unsigned dy = 0; dy < 3; dy++) {
    for (unsigned dx = 0; dx < 3; dx++) {
      if (dx == 1 && dy == 1) continue;
      unsigned row = (y + dy + height - 1) % height;
      unsigned column = (x + dx + width - 1) % width;
      alive += in[row * width + column];
    }
  }
  unsigned char self = in[y * width + x];
  out[y * width + x] = alive == 3 || (alive == 2 && self);
}
