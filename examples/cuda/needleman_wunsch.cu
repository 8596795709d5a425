// Global alignment scores of sequence pairs, one block a pair: anti-diagonals in shared memory.
#include "mini_cuda.h"

#define LENGTH 32

KERNEL needleman_wunsch(const char *left, const char *right, int *scores, int match, int miss,
                        int gap) {
  __shared__ int table[LENGTH + 1][LENGTH + 1];
  int t = threadIdx.x;
  const char *a = left + blockIdx.x * LENGTH, *b = right + blockIdx.x * LENGTH;
  table[0][t + 1] = (t + 1) * gap;
  table[t + 1][0] = (t + 1) * gap;
  if (t == 0) table[0][0] = 0;
  __syncthreads();
  for (int diagonal = 0; diagonal < 2 * LENGTH - 1; diagonal++) {
    int i = t, j = diagonal - t;
    if (j >= 0 && j < LENGTH) {
      int along = table[i][j] + (a[i] == b[j] ? match : miss);
      int skip = max(table[i][j + 1], table[i + 1][j]) + gap;
      table[i + 1][j + 1] = max(along, skip);
    }
    __syncthreads();
  }
  if (t == 0) scores[blockIdx.x] = table[LENGTH][LENGTH];
}
