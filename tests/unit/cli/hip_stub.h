/* What launch helpers use of HIP, as a library that writes down what it was asked. */
#ifndef HIP_STUB_H
#define HIP_STUB_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef enum { hipSuccess = 0, hipErrorInvalidConfiguration = 9 } hipError_t;
typedef enum { hipDeviceAttributeWarpSize = 87 } hipDeviceAttribute_t;
typedef struct dim3 {
    uint32_t x, y, z;
#ifdef __cplusplus
    dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
#endif
} dim3;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)
static int hip_stub_wave = 64;
static inline hipError_t hipGetDevice(int *device) {
    *device = 3;
    return hipSuccess;
}
static inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t what, int device) {
    if (what != hipDeviceAttributeWarpSize || device != 3) return hipErrorInvalidConfiguration;
    *value = hip_stub_wave;
    return hipSuccess;
}
static inline hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                              const char *name) {
    *function = (hipFunction_t)(uintptr_t)7;
    printf("get %d %s\n", (int)(uintptr_t)module, name);
    return hipSuccess;
}
static inline hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy,
                                               unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                               unsigned shared, hipStream_t stream, void **params,
                                               void **extra) {
    if (params || extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER ||
        extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE || extra[4] != HIP_LAUNCH_PARAM_END)
        return hipErrorInvalidConfiguration;
    printf("launch %d grid %u %u %u block %u %u %u shared %u stream %d args ",
           (int)(uintptr_t)function, gx, gy, gz, bx, by, bz, shared, (int)(uintptr_t)stream);
    for (size_t i = 0; i < *(size_t *)extra[3]; ++i) printf("%02x", ((unsigned char *)extra[1])[i]);
    printf("\n");
    return hipSuccess;
}
#endif
