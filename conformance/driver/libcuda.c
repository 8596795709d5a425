// A CUDA driver without a GPU: libcuda.so.1 for programs whose kernels shall run in the emulator.
//
// Device memory is host memory at the same addresses. Modules and launches go to two functions that
// the Python side sets; everything is done when a call returns, so that streams and events are
// only names. Calls that are not here answer CUDA_ERROR_NOT_SUPPORTED.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cuda.h>
// The header renames these to their second versions; here both are.
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#undef cuGetProcAddress

#define API __attribute__((visibility("default"))) CUresult
#define NOTHING(name, ...) \
    API name(__VA_ARGS__) { return CUDA_SUCCESS; }

struct Hooks {
    // Each returns a CUresult. load: the image's text; a module's number goes out.
    int (*load)(const void *image, uint64_t *module);
    int (*function)(uint64_t module, const char *name, uint64_t *function);
    int (*launch)(uint64_t function, const uint32_t *shape, uint32_t shared, void **params,
                  const void *block, uint64_t block_bytes);
    int (*variable)(uint64_t module, const char *name, uint64_t *address, uint64_t *bytes);
    int (*attribute)(uint64_t function, int which, int *value);
    int (*allocated)(uint64_t address, uint64_t bytes, int alive);
    uint64_t (*host)(uint64_t address);  // where the bytes of a device address are
    int (*unload)(uint64_t module);
};
static struct Hooks hooks;
__attribute__((visibility("default"))) void set_hooks(const struct Hooks *given) { hooks = *given; }

// ---- memory ----
struct Block { uintptr_t address; size_t bytes; struct Block *next; };
static struct Block *blocks;

// One range of addresses that neither the host nor the emulator uses for anything else; an address is
// never given twice, so that a use after free is a fault.
static uintptr_t reserve(size_t bytes) {
    static uintptr_t start, next;
    const size_t whole = (size_t)1 << 40;
    if (!start) {
        void *made = mmap((void *)0x200000000000, whole, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (made == MAP_FAILED) return 0;
        start = next = (uintptr_t)made;
    }
    uintptr_t found = next;
    next += (bytes + 4095) / 4096 * 4096 + 65536;
    return next > start + whole ? 0 : found;
}
static CUresult allocate(uintptr_t *address, size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (bytes > ((size_t)1 << 32)) return CUDA_ERROR_OUT_OF_MEMORY;
    uintptr_t made = reserve(bytes);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    struct Block *block = malloc(sizeof *block);
    *block = (struct Block){made, bytes, blocks};
    blocks = block;
    *address = made;
    if (hooks.allocated) hooks.allocated(block->address, bytes, 1);
    return CUDA_SUCCESS;
}
static struct Block *find(uintptr_t address) {
    for (struct Block *b = blocks; b; b = b->next)
        if (b->address <= address && address < b->address + b->bytes) return b;
    return NULL;
}
static CUresult release(uintptr_t address) {
    if (!address) return CUDA_SUCCESS;
    for (struct Block **at = &blocks; *at; at = &(*at)->next)
        if ((*at)->address == address) {
            struct Block *block = *at;
            *at = block->next;
            if (hooks.allocated) hooks.allocated(address, block->bytes, 0);
            madvise((void *)address, block->bytes, MADV_DONTNEED);
            free(block);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}
static void *place(uintptr_t address) {
    if (!hooks.host || find(address)) return (void *)address;
    return (void *)(uintptr_t)hooks.host(address);
}
static CUresult copy(uintptr_t to, uintptr_t from, size_t bytes) {
    if (bytes) memmove(place(to), place(from), bytes);
    return CUDA_SUCCESS;
}
static CUresult fill(uintptr_t to, const void *item, size_t size, size_t count) {
    char *bytes = place(to);
    for (size_t i = 0; i < count; i++) memcpy(bytes + i * size, item, size);
    return CUDA_SUCCESS;
}
API cuMemAlloc_v2(CUdeviceptr *p, size_t n) { return allocate((uintptr_t *)p, n); }
API cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned f) { return allocate((uintptr_t *)p, n); }
API cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s) { return allocate((uintptr_t *)p, n); }
API cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t n, CUmemoryPool o, CUstream s) {
    return allocate((uintptr_t *)p, n);
}
API cuMemAllocHost_v2(void **p, size_t n) { return allocate((uintptr_t *)p, n); }
API cuMemHostAlloc(void **p, size_t n, unsigned f) { return allocate((uintptr_t *)p, n); }
API cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t w, size_t h, unsigned e) {
    *pitch = (w + 511) / 512 * 512;
    return allocate((uintptr_t *)p, *pitch * h);
}
API cuMemFree_v2(CUdeviceptr p) { return release(p); }
API cuMemFreeAsync(CUdeviceptr p, CUstream s) { return release(p); }
API cuMemFreeHost(void *p) { return release((uintptr_t)p); }
API cuMemHostRegister_v2(void *p, size_t n, unsigned f) {
    struct Block *block = malloc(sizeof *block);
    *block = (struct Block){(uintptr_t)p, n, blocks};
    blocks = block;
    if (hooks.allocated) hooks.allocated((uintptr_t)p, n, 1);
    return CUDA_SUCCESS;
}
API cuMemHostUnregister(void *p) {
    for (struct Block **at = &blocks; *at; at = &(*at)->next)
        if ((*at)->address == (uintptr_t)p) {
            struct Block *block = *at;
            *at = block->next;
            if (hooks.allocated) hooks.allocated((uintptr_t)p, block->bytes, 0);
            free(block);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
API cuMemHostGetDevicePointer_v2(CUdeviceptr *d, void *p, unsigned f) {
    *d = (CUdeviceptr)p;
    return CUDA_SUCCESS;
}
API cuMemHostGetFlags(unsigned *f, void *p) { *f = 0; return CUDA_SUCCESS; }
API cuMemGetInfo_v2(size_t *available, size_t *total) {
    *available = (size_t)6 << 30;
    *total = (size_t)8 << 30;
    return CUDA_SUCCESS;
}
API cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
    struct Block *block = find(p);
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    if (base) *base = block->address;
    if (bytes) *bytes = block->bytes;
    return CUDA_SUCCESS;
}
API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(to, from, n); }
API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) { return copy(to, from, n); }
API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) { return copy(to, (uintptr_t)from, n); }
API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s) {
    return copy(to, (uintptr_t)from, n);
}
API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) { return copy((uintptr_t)to, from, n); }
API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s) {
    return copy((uintptr_t)to, from, n);
}
API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(to, from, n); }
API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
    return copy(to, from, n);
}
API cuMemcpyPeer(CUdeviceptr to, CUcontext c, CUdeviceptr from, CUcontext d, size_t n) {
    return copy(to, from, n);
}
API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext c, CUdeviceptr from, CUcontext d, size_t n,
                      CUstream s) {
    return copy(to, from, n);
}
API cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                       CUmemcpyAttributes *a, size_t *i, size_t n, CUstream s) {
    for (size_t at = 0; at < count; at++) copy(to[at], from[at], sizes[at]);
    return CUDA_SUCCESS;
}
API cuMemsetD8_v2(CUdeviceptr p, unsigned char v, size_t n) { return fill(p, &v, 1, n); }
API cuMemsetD8Async(CUdeviceptr p, unsigned char v, size_t n, CUstream s) { return fill(p, &v, 1, n); }
API cuMemsetD16_v2(CUdeviceptr p, unsigned short v, size_t n) { return fill(p, &v, 2, n); }
API cuMemsetD16Async(CUdeviceptr p, unsigned short v, size_t n, CUstream s) {
    return fill(p, &v, 2, n);
}
API cuMemsetD32_v2(CUdeviceptr p, unsigned v, size_t n) { return fill(p, &v, 4, n); }
API cuMemsetD32Async(CUdeviceptr p, unsigned v, size_t n, CUstream s) { return fill(p, &v, 4, n); }
API cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr p) {
    if (!find(p)) return CUDA_ERROR_INVALID_VALUE;
    switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = p; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)data = (void *)p; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(uintptr_t *)data = find(p)->address; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = find(p)->bytes; break;
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(uintptr_t *)data = 1; break;
    default: *(int *)data = 0;
    }
    return CUDA_SUCCESS;
}
API cuPointerGetAttributes(unsigned n, CUpointer_attribute *which, void **data, CUdeviceptr p) {
    for (unsigned i = 0; i < n; i++) cuPointerGetAttribute(data[i], which[i], p);
    return CUDA_SUCCESS;
}
API cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s) {
    return CUDA_SUCCESS;
}
API cuDeviceGetDefaultMemPool(CUmemoryPool *p, CUdevice d) { *p = (CUmemoryPool)1; return CUDA_SUCCESS; }
API cuDeviceGetMemPool(CUmemoryPool *p, CUdevice d) { *p = (CUmemoryPool)1; return CUDA_SUCCESS; }
NOTHING(cuMemPoolSetAttribute, CUmemoryPool p, CUmemPool_attribute a, void *v)
NOTHING(cuMemPoolTrimTo, CUmemoryPool p, size_t n)
API cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) {
    *(uint64_t *)v = 0;
    return CUDA_SUCCESS;
}

// ---- device and context ----
static _Thread_local uintptr_t current;
API cuInit(unsigned f) { return CUDA_SUCCESS; }
API cuDriverGetVersion(int *v) { *v = 13000; return CUDA_SUCCESS; }
API cuDeviceGetCount(int *n) { *n = 1; return CUDA_SUCCESS; }
API cuDeviceGet(CUdevice *d, int n) {
    *d = 0;
    return n ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
API cuDeviceGetName(char *name, int n, CUdevice d) {
    snprintf(name, n, "emulated");
    return CUDA_SUCCESS;
}
API cuDeviceGetUuid_v2(CUuuid *u, CUdevice d) { memset(u, 7, sizeof *u); return CUDA_SUCCESS; }
API cuDeviceGetUuid(CUuuid *u, CUdevice d) { return cuDeviceGetUuid_v2(u, d); }
API cuDeviceTotalMem_v2(size_t *n, CUdevice d) { *n = (size_t)8 << 30; return CUDA_SUCCESS; }
API cuDeviceComputeCapability(int *major, int *minor, CUdevice d) {
    *major = 8;
    *minor = 0;
    return CUDA_SUCCESS;
}
API cuDeviceGetPCIBusId(char *id, int n, CUdevice d) {
    snprintf(id, n, "0000:01:00.0");
    return CUDA_SUCCESS;
}
API cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice d) {
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 65536; break;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: *value = 65536; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 65536; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *value = 16; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 8; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *value = 1000000; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}
API cuCtxCreate_v2(CUcontext *c, unsigned f, CUdevice d) {
    current = 1;
    *c = (CUcontext)1;
    return CUDA_SUCCESS;
}
API cuCtxCreate_v4(CUcontext *c, CUctxCreateParams *p, unsigned f, CUdevice d) {
    return cuCtxCreate_v2(c, f, d);
}
API cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { *c = (CUcontext)1; return CUDA_SUCCESS; }
API cuDevicePrimaryCtxGetState(CUdevice d, unsigned *f, int *active) {
    *f = 0;
    *active = current != 0;
    return CUDA_SUCCESS;
}
API cuCtxGetCurrent(CUcontext *c) { *c = (CUcontext)current; return CUDA_SUCCESS; }
API cuCtxSetCurrent(CUcontext c) { current = (uintptr_t)c; return CUDA_SUCCESS; }
API cuCtxPushCurrent_v2(CUcontext c) { current = (uintptr_t)c; return CUDA_SUCCESS; }
API cuCtxPopCurrent_v2(CUcontext *c) {
    if (c) *c = (CUcontext)current;
    current = 0;
    return CUDA_SUCCESS;
}
API cuCtxGetDevice(CUdevice *d) { *d = 0; return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
API cuCtxGetDevice_v2(CUdevice *d, CUcontext c) { *d = 0; return CUDA_SUCCESS; }
API cuCtxGetApiVersion(CUcontext c, unsigned *v) { *v = 3020; return CUDA_SUCCESS; }
API cuCtxGetLimit(size_t *v, CUlimit l) { *v = 1024; return CUDA_SUCCESS; }
API cuCtxGetFlags(unsigned *f) { *f = 0; return CUDA_SUCCESS; }
API cuCtxGetStreamPriorityRange(int *a, int *b) { *a = *b = 0; return CUDA_SUCCESS; }
API cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b) { *can = 0; return CUDA_SUCCESS; }
NOTHING(cuCtxDestroy_v2, CUcontext c)
NOTHING(cuDevicePrimaryCtxRelease_v2, CUdevice d)
NOTHING(cuDevicePrimaryCtxReset_v2, CUdevice d)
NOTHING(cuDevicePrimaryCtxSetFlags_v2, CUdevice d, unsigned f)
NOTHING(cuCtxSynchronize, void)
NOTHING(cuCtxSynchronize_v2, CUcontext c)
NOTHING(cuCtxSetLimit, CUlimit l, size_t v)
NOTHING(cuCtxSetCacheConfig, CUfunc_cache c)
NOTHING(cuProfilerStart, void)
NOTHING(cuProfilerStop, void)

// ---- streams and events: everything has happened when a call returns ----
static uintptr_t names = 16;
API cuStreamCreate(CUstream *s, unsigned f) { *s = (CUstream)++names; return CUDA_SUCCESS; }
API cuStreamCreateWithPriority(CUstream *s, unsigned f, int p) { return cuStreamCreate(s, f); }
API cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g,
                              const CUgraphNode **d, size_t *n) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
API cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g,
                              const CUgraphNode **d, const CUgraphEdgeData **e, size_t *n) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
API cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
API cuStreamGetFlags(CUstream s, unsigned *f) { *f = 0; return CUDA_SUCCESS; }
API cuStreamGetPriority(CUstream s, int *p) { *p = 0; return CUDA_SUCCESS; }
API cuStreamGetCtx(CUstream s, CUcontext *c) { *c = (CUcontext)1; return CUDA_SUCCESS; }
API cuStreamGetDevice(CUstream s, CUdevice *d) { *d = 0; return CUDA_SUCCESS; }
API cuStreamAddCallback(CUstream s, CUstreamCallback f, void *data, unsigned flags) {
    f(s, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}
API cuLaunchHostFunc(CUstream s, CUhostFn f, void *data) { f(data); return CUDA_SUCCESS; }
API cuEventCreate(CUevent *e, unsigned f) { *e = (CUevent)++names; return CUDA_SUCCESS; }
API cuEventElapsedTime_v2(float *ms, CUevent a, CUevent b) { *ms = 1.0f; return CUDA_SUCCESS; }
API cuEventElapsedTime(float *ms, CUevent a, CUevent b) { *ms = 1.0f; return CUDA_SUCCESS; }
NOTHING(cuStreamDestroy_v2, CUstream s)
NOTHING(cuStreamSynchronize, CUstream s)
NOTHING(cuStreamQuery, CUstream s)
NOTHING(cuStreamWaitEvent, CUstream s, CUevent e, unsigned f)
NOTHING(cuEventDestroy_v2, CUevent e)
NOTHING(cuEventRecord, CUevent e, CUstream s)
NOTHING(cuEventRecordWithFlags, CUevent e, CUstream s, unsigned f)
NOTHING(cuEventQuery, CUevent e)
NOTHING(cuEventSynchronize, CUevent e)

// ---- modules and launches ----
API cuModuleLoadData(CUmodule *m, const void *image) { return hooks.load(image, (uint64_t *)m); }
API cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **v) {
    for (unsigned i = 0; i < n; i++)
        if (o[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || o[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            v[i] = 0;
    return hooks.load(image, (uint64_t *)m);
}
API cuModuleLoadFatBinary(CUmodule *m, const void *image) { return hooks.load(image, (uint64_t *)m); }
API cuModuleUnload(CUmodule m) { return hooks.unload((uint64_t)m); }
API cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
    return hooks.function((uint64_t)m, name, (uint64_t *)f);
}
API cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *n, CUmodule m, const char *name) {
    uint64_t address = 0, bytes = 0;
    int result = hooks.variable((uint64_t)m, name, &address, &bytes);
    if (p) *p = address;
    if (n) *n = bytes;
    return result;
}
API cuModuleGetLoadingMode(CUmoduleLoadingMode *m) { *m = CU_MODULE_EAGER_LOADING; return CUDA_SUCCESS; }
API cuLibraryLoadData(CUlibrary *l, const void *image, CUjit_option *o, void **v, unsigned n,
                      CUlibraryOption *p, void **w, unsigned k) {
    return hooks.load(image, (uint64_t *)l);
}
API cuLibraryUnload(CUlibrary l) { return hooks.unload((uint64_t)l); }
API cuLibraryGetModule(CUmodule *m, CUlibrary l) { *m = (CUmodule)l; return CUDA_SUCCESS; }
API cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) {
    return hooks.function((uint64_t)l, name, (uint64_t *)k);
}
API cuLibraryGetGlobal(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name) {
    return cuModuleGetGlobal_v2(p, n, (CUmodule)l, name);
}
API cuKernelGetFunction(CUfunction *f, CUkernel k) { *f = (CUfunction)k; return CUDA_SUCCESS; }
API cuFuncGetAttribute(int *v, CUfunction_attribute which, CUfunction f) {
    return hooks.attribute((uint64_t)f, which, v);
}
API cuKernelGetAttribute(int *v, CUfunction_attribute which, CUkernel k, CUdevice d) {
    return hooks.attribute((uint64_t)k, which, v);
}
NOTHING(cuFuncSetAttribute, CUfunction f, CUfunction_attribute a, int v)
NOTHING(cuKernelSetAttribute, CUfunction_attribute a, int v, CUkernel k, CUdevice d)
NOTHING(cuFuncSetCacheConfig, CUfunction f, CUfunc_cache c)
NOTHING(cuKernelSetCacheConfig, CUkernel k, CUfunc_cache c, CUdevice d)
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int block, size_t shared) {
    *n = block > 1024 ? 1 : 2048 / (block ? block : 1);
    if (*n > 16) *n = 16;
    return CUDA_SUCCESS;
}
API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, CUfunction f, int block, size_t s,
                                                         unsigned flags) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, s);
}
API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize g,
                                     size_t s, int limit) {
    *grid = 8;
    *block = limit && limit < 256 ? limit : 256;
    return CUDA_SUCCESS;
}
API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                              CUoccupancyB2DSize g, size_t s, int limit,
                                              unsigned flags) {
    return cuOccupancyMaxPotentialBlockSize(grid, block, f, g, s, limit);
}
static CUresult launch(CUfunction f, const uint32_t *shape, unsigned shared, void **params,
                       void **extra) {
    const void *block = NULL;
    uint64_t bytes = 0;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) block = extra[1];
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)extra[1];
    }
    return hooks.launch((uint64_t)f, shape, shared, params, block, bytes);
}
API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, CUstream s, void **params, void **extra) {
    uint32_t shape[6] = {gx, gy, gz, bx, by, bz};
    return launch(f, shape, shared, params, extra);
}
API cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
    uint32_t shape[6] = {c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ};
    return launch(f, shape, c->sharedMemBytes, params, extra);
}
API cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, CUstream s, void **params) {
    uint32_t shape[6] = {gx, gy, gz, bx, by, bz};
    return launch(f, shape, shared, params, NULL);
}

// ---- errors and look-up ----
API cuGetErrorName(CUresult e, const char **name) {
    *name = e == CUDA_SUCCESS ? "CUDA_SUCCESS" : e == 801 ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR";
    return CUDA_SUCCESS;
}
API cuGetErrorString(CUresult e, const char **text) {
    *text = e == CUDA_SUCCESS ? "no error" : e == 801 ? "not supported" : "an error";
    return CUDA_SUCCESS;
}
static CUresult unsupported(void) {
    if (getenv("PTXLIFT_DRIVER_TRACE")) fprintf(stderr, "driver: an unsupported call\n");
    return CUDA_ERROR_NOT_SUPPORTED;
}
static void *self(void) {
    static void *handle;
    Dl_info info;
    if (!handle && dladdr((void *)&hooks, &info)) handle = dlopen(info.dli_fname, RTLD_NOW);
    return handle;
}
API cuGetProcAddress_v2(const char *name, void **found, int version, cuuint64_t flags,
                        CUdriverProcAddressQueryResult *status) {
    char full[160];
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    *found = NULL;
    for (int i = 0; i < 4 && !*found; i++) {
        snprintf(full, sizeof full, "%s%s", name, suffixes[i]);
        *found = dlsym(self(), full);
    }
    if (!*found && getenv("PTXLIFT_DRIVER_TRACE")) fprintf(stderr, "driver: no %s\n", name);
    if (!*found) *found = (void *)unsupported;
    if (status) *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
}
API cuGetProcAddress(const char *name, void **found, int version, cuuint64_t flags) {
    return cuGetProcAddress_v2(name, found, version, flags, NULL);
}
API cuGetExportTable(const void **table, const CUuuid *id) { return CUDA_ERROR_NOT_SUPPORTED; }
