// SHA-256 of one-block messages (up to 55 bytes), one thread a message.
#include "mini_cuda.h"

__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ unsigned rotate(unsigned x, int n) { return __funnelshift_l(x, x, 32 - n); }

KERNEL sha256(const unsigned char *messages, const int *lengths, unsigned *digests, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *text = messages + 64 * i;
  unsigned w[16];
  int length = lengths[i];
#pragma unroll
  for (int k = 0; k < 16; k++) {
    unsigned word = 0;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      int at = 4 * k + b;
      unsigned byte = at < length ? text[at] : (at == length ? 0x80u : 0u);
      word = word << 8 | byte;
    }
    w[k] = k == 15 ? (unsigned)length * 8u : word;
  }
  unsigned s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll
  for (int k = 0; k < 64; k++) {
    if (k >= 16) {
      unsigned x = w[(k + 1) & 15], y = w[(k + 14) & 15];
      unsigned s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >> 3);
      unsigned s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >> 10);
      w[k & 15] += s0 + w[(k + 9) & 15] + s1;
    }
    unsigned t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                  round_constants[k] + w[k & 15];
    unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  unsigned final[8] = {a, b, c, d, e, f, g, h};
  for (int k = 0; k < 8; k++) digests[8 * i + k] = final[k] + s[k];
}
