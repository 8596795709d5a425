// A small bytecode interpreter: a switch in a loop and a stack in local memory.
#include "mini_cuda.h"

KERNEL stack_machine(const int *code, int length, const int *inputs, int *results, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int stack[16];
  for (int k = 0; k < 16; k++) stack[k] = 0;
  int top = 0, fuel = 200;
  for (int pc = 0; pc < length && fuel-- > 0;) {
    int word = code[pc++], value = word >> 8;
    int a = stack[(top - 1) & 15], b = stack[(top - 2) & 15];
    switch (word & 255) {
      case 0: stack[top++ & 15] = value; break;
      case 1: stack[top++ & 15] = inputs[i]; break;
      case 2: stack[(--top - 1) & 15] = b + a; break;
      case 3: stack[(--top - 1) & 15] = b * a; break;
      case 4: stack[(--top - 1) & 15] = b - a; break;
      case 5: stack[(top - 1) & 15] = stack[(top - 2) & 15], stack[(top - 2) & 15] = a; break;
      case 6: stack[top++ & 15] = a; break;
      case 7: stack[(top - 1) & 15] = a >> (value & 31); break;
      case 8: top--; if (a != 0) pc += value; break;
      case 9: stack[(top - 1) & 15] = ~a; break;
      default: pc = length; break;
    }
  }
  results[i] = stack[(top - 1) & 15];
}
