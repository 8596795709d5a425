// SHA3-256 of one-block messages (up to 135 bytes): 24 rounds of Keccak on 64-bit lanes.
#include "mini_cuda.h"

typedef unsigned long long u64;

__constant__ u64 iota[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

static __device__ u64 rotate(u64 x, int n) { return x << n | x >> ((64 - n) & 63); }

KERNEL keccak(const unsigned char *messages, const int *lengths, u64 *digests, int n) {
  const int turns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                         27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
  const int places[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                          15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *text = messages + 136 * i;
  int length = lengths[i];
  u64 s[25];
  for (int k = 0; k < 25; k++) {
    s[k] = 0;
    for (int b = 0; k < 17 && b < 8; b++) {
      int at = 8 * k + b;
      u64 byte = at < length ? text[at] : (at == length ? 0x06 : 0);
      if (at == 135) byte |= 0x80;
      s[k] |= byte << (8 * b);
    }
  }
  for (int round = 0; round < 24; round++) {
    u64 c[5];
#pragma unroll
    for (int x = 0; x < 5; x++) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (int x = 0; x < 5; x++) {
      u64 d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) s[x + y] ^= d;
    }
    u64 carried = s[1];
#pragma unroll
    for (int k = 0; k < 24; k++) {
      u64 kept = s[places[k]];
      s[places[k]] = rotate(carried, turns[k]);
      carried = kept;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      u64 row[5];
#pragma unroll
      for (int x = 0; x < 5; x++) row[x] = s[y + x];
#pragma unroll
      for (int x = 0; x < 5; x++) s[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    s[0] ^= iota[round];
  }
  for (int k = 0; k < 4; k++) digests[4 * i + k] = s[k];
}
