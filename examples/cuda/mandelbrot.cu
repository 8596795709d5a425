// Escape counts: a loop whose length differs from thread to thread.
#include "mini_cuda.h"

KERNEL mandelbrot(int *counts, int width, int height, float left, float top, float step,
                  int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = fmaf((float)x, step, left), ci = fmaf((float)y, step, top);
  float zr = 0.0f, zi = 0.0f;
  int n = 0;
  while (n < limit) {
    float square = fmaf(zr, zr, zi * zi);
    if (square > 4.0f) break;
    float next = fmaf(zr, zr, fmaf(-zi, zi, cr));
    zi = fmaf(2.0f * zr, zi, ci);
    zr = next;
    n++;
  }
  counts[y * width + x] = n;
}
