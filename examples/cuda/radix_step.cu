// One stable radix-sort step of two bits within a block: four ballots give rank and digit totals.
#include "mini_cuda.h"

KERNEL radix_step(const unsigned *in, unsigned *out, int shift) {
  __shared__ unsigned counts[4][4];
  unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned key = in[blockIdx.x * 128 + t];
  unsigned digit = (key >> shift) & 3u;
  unsigned rank = 0;
  for (unsigned d = 0; d < 4; d++) {
    unsigned votes = __ballot_sync(0xffffffffu, digit == d);
    if (lane == 0) counts[d][warp] = __popc(votes);
    if (digit == d) rank = __popc(votes & ((1u << lane) - 1u));
  }
  __syncthreads();
  unsigned place = rank;
  for (unsigned d = 0; d < 4; d++) {
    for (unsigned w = 0; w < 4; w++) {
      if (d < digit || (d == digit && w < warp)) place += counts[d][w];
    }
  }
  out[blockIdx.x * 128 + place] = key;
}
