/* A CUDA runtime whose device is whatever the callbacks say: here, ptxlift's emulator.

   Host programs that nvcc compiled with `-cudart none` find these functions instead of NVIDIA's.
   Device memory is host memory; every launch calls back with the kernel's name, its shape and its
   arguments. So the launch code of CUB and Thrust runs as it is. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void (*map)(void *memory, size_t bytes);
  void (*unmap)(void *memory);
  int (*launch)(const char *kernel, const unsigned *shape, void **arguments, size_t shared);
  int (*shared_bytes)(const char *kernel);
} Device;

enum { KERNELS = 512, MULTIPROCESSORS = 4, PTX_VERSION = 80 };

static Device device;
static struct { const void *host; const char *name; } kernels[KERNELS];
static int kernel_count;
static cudaError_t last_error;
static struct { dim3 grid, block; size_t shared; cudaStream_t stream; } configuration;

void set_device(Device callbacks) { device = callbacks; }

static cudaError_t status(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

static const char *name_of(const void *host) {
  for (int at = 0; at < kernel_count; ++at)
    if (kernels[at].host == host) return kernels[at].name;
  return 0;
}

static cudaError_t launch(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared) {
  unsigned shape[6] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
  const char *name = name_of(host);
  if (!name) return status(cudaErrorInvalidDeviceFunction);
  return status(device.launch(name, shape, arguments, shared) ? cudaErrorLaunchFailure : cudaSuccess);
}

/* ---- what nvcc's stubs call ---- */

void **__cudaRegisterFatBinary(void *binary) { (void)binary; return (void **)&device; }
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
char __cudaInitModule(void **handle) { (void)handle; return 1; }

void __cudaRegisterFunction(void **handle, const char *host, char *function, const char *name,
                            int limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *wide) {
  (void)handle, (void)function, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)wide;
  if (kernel_count == KERNELS) abort();
  kernels[kernel_count].host = host;
  kernels[kernel_count++].name = name;
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                       size_t size, int constant, int global) {
  (void)handle, (void)host, (void)address, (void)name, (void)external, (void)size, (void)constant;
  (void)global;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = (cudaKernel_t)host;
  return cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configuration.grid = grid, configuration.block = block;
  configuration.shared = shared, configuration.stream = stream;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  *grid = configuration.grid, *block = configuration.block;
  *shared = configuration.shared, *(cudaStream_t *)stream = configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream) {
  (void)stream;
  return launch(kernel, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream) {
  (void)stream;
  return launch(host, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **arguments) {
  return launch(host, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
  (void)stream;
  return launch(host, grid, block, arguments, shared);
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  size_t rounded = (bytes + 255) / 256 * 256 + 256;
  *memory = aligned_alloc(256, rounded);
  if (!*memory) return status(cudaErrorMemoryAllocation);
  memset(*memory, 0xa5, rounded); /* nobody may rely on zeros */
  device.map(*memory, bytes ? bytes : 1);
  return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
  if (memory) device.unmap(memory), free(memory);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
  (void)stream;
  return cudaMalloc(memory, bytes);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) { (void)stream; return cudaFree(memory); }

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  (void)kind;
  memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  memset(memory, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
  (void)stream;
  return cudaMemset(memory, value, bytes);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory) {
  memset(attributes, 0, sizeof *attributes);
  attributes->type = cudaMemoryTypeDevice;
  attributes->devicePointer = attributes->hostPointer = (void *)memory;
  return cudaSuccess;
}

/* ---- the device: an sm_80 with few multiprocessors, so that grids stay small ---- */

cudaError_t cudaGetDevice(int *number) { *number = 0; return cudaSuccess; }
cudaError_t cudaSetDevice(int number) { return number ? status(cudaErrorInvalidDevice) : cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { *count = 1; return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int number) {
  (void)number;
  switch (what) {
    case cudaDevAttrMultiProcessorCount: *value = MULTIPROCESSORS; break;
    case cudaDevAttrComputeCapabilityMajor: *value = PTX_VERSION / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = PTX_VERSION % 10; break;
    case cudaDevAttrMaxGridDimX: *value = 0x7fffffff; break;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 48 << 10; break;
    case cudaDevAttrCooperativeLaunch: case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: *value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host) {
  const char *name = name_of(host);
  memset(attributes, 0, sizeof *attributes);
  if (!name) return status(cudaErrorInvalidDeviceFunction);
  attributes->ptxVersion = attributes->binaryVersion = PTX_VERSION;
  attributes->maxThreadsPerBlock = 1024;
  attributes->sharedSizeBytes = device.shared_bytes(name);
  attributes->maxDynamicSharedSizeBytes = 48 << 10;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute what, int value) {
  (void)host, (void)what, (void)value;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int size, size_t shared,
                                                                   unsigned flags) {
  (void)host, (void)size, (void)shared, (void)flags;
  *blocks = 2;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int size,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, size, shared, 0);
}

/* ---- errors, streams, events: every call has ended when it returns ---- */

cudaError_t cudaGetLastError(void) {
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char *cudaGetErrorString(cudaError_t error) { return error ? "the launch failed" : "no error"; }
const char *cudaGetErrorName(cudaError_t error) { return error ? "cudaErrorLaunchFailure" : "cudaSuccess"; }
cudaError_t cudaDeviceSynchronize(void) { return last_error; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { (void)stream; return last_error; }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *state) {
  (void)stream;
  *state = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *number) { (void)stream; return cudaGetDevice(number); }
