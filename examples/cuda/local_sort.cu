// Insertion sort of sixteen keys in a local array that is indexed at run time.
#include "mini_cuda.h"

KERNEL local_sort(const short *in, short *out, unsigned *moves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  short keys[16];
  for (int k = 0; k < 16; k++) keys[k] = in[16 * i + k];
  unsigned count = 0;
  for (int k = 1; k < 16; k++) {
    short key = keys[k];
    int at = k;
    while (at > 0 && keys[at - 1] > key) {
      keys[at] = keys[at - 1];
      at--;
      count++;
    }
    keys[at] = key;
  }
  for (int k = 0; k < 16; k++) out[16 * i + k] = keys[k];
  moves[i] = count;
}
