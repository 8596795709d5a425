// A struct passed by value, with members of several sizes and an array that is indexed at run time.
#include "mini_cuda.h"

struct Transform {
  double offset;
  float scale[5];
  short bias;
  signed char shift;
  unsigned char flags;
};

KERNEL struct_param(Transform t, const int *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = (in[i] << t.shift) + t.bias;
  float scaled = (float)v * t.scale[i % 5];
  out[i] = (t.flags & 2) ? (double)scaled + t.offset : (double)v;
}
