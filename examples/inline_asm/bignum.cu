// Functions with inline PTX, for clang's CUDA mode without a CUDA installation. clang_cuda.py
// compiles them for NVIDIA, where "=l" and "=f" are legal, and moves them to AMD afterwards.
#define DEVICE extern "C" __attribute__((device))

DEVICE unsigned add_with_carry(unsigned a0, unsigned a1, unsigned b0, unsigned b1, unsigned *high) {
    unsigned low, sum;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(low) : "r"(a0), "r"(b0));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a1), "r"(b1));
    *high = sum;
    return low;
}

DEVICE unsigned long long swap_words(unsigned long long x) {
    unsigned long long y;
    asm("{\n\t.reg .b32 lo, hi;\n\tmov.b64 {lo, hi}, %1;\n\tmov.b64 %0, {hi, lo};\n}"
        : "=l"(y) : "l"(x));
    return y;
}

DEVICE float fused(float a, float b, float c) {
    float d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
}
