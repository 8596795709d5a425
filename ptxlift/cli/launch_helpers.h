#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <string.h>

#ifndef PTXLIFT_LAUNCH_HELPERS
#define PTXLIFT_LAUNCH_HELPERS
#define PTXLIFT_SPLIT_LIMIT 512 /* threads of a block whose warps have a wave each */
#ifdef __cplusplus
/* 64 bits: a number, or a pointer to device memory. */
struct ptxlift_word {
    uint64_t bits;
    ptxlift_word(uint64_t value) : bits(value) {}
    template <class T> ptxlift_word(T *pointer) : bits((uint64_t)(uintptr_t)pointer) {}
};
#else
typedef uint64_t ptxlift_word; /* a number, or a pointer cast to uintptr_t */
#endif

/* Lanes of a wave on the current device; 0 if there is none. */
static inline int ptxlift_wave_size(void) {
    int device = 0, lanes = 0;
    if (hipGetDevice(&device) != hipSuccess ||
        hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device) != hipSuccess)
        return 0;
    return lanes;
}

static inline hipError_t ptxlift_launch(hipFunction_t function, dim3 grid, dim3 block,
                                        int doubled, unsigned shared_bytes, hipStream_t stream,
                                        void *buffer, size_t size) {
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, buffer,
                      HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    unsigned width = block.x;
    if (doubled) {
        if ((uint64_t)block.x * block.y * block.z > PTXLIFT_SPLIT_LIMIT)
            return hipErrorInvalidConfiguration;
        width *= 2;
    }
    return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, width, block.y, block.z,
                                 shared_bytes, stream, NULL, config);
}
#endif
