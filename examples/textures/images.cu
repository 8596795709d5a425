// Whole kernels on CUDA's texture and surface functions: what an image program does with them.
// Linked by name, so that tests find them.
#include <cuda_runtime.h>

// A picture turned around its middle, by linear filtering of normalised coordinates.
extern "C" __global__ void rotate(cudaTextureObject_t picture, float *out, int width, int height,
                                  float sine, float cosine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
    float tu = u * cosine - v * sine + 0.5f, tv = v * cosine + u * sine + 0.5f;
    out[y * width + x] = tex2D<float>(picture, tu, tv);
}

// A 3 by 3 mean from one surface into another, with the edge repeated.
extern "C" __global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                                int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            uchar4 texel;
            surf2Dread(&texel, from, (x + i) * 4, y + j, cudaBoundaryModeClamp);
            sum.x += texel.x, sum.y += texel.y, sum.z += texel.z, sum.w += texel.w;
        }
    uchar4 mean = make_uchar4(sum.x / 9, sum.y / 9, sum.z / 9, sum.w / 9);
    surf2Dwrite(mean, to, x * 4, y);
}

// Colours looked up: an index from a layered picture, its colour from linear memory, corrected
// by a volume.
extern "C" __global__ void grade(cudaTextureObject_t layers, cudaTextureObject_t palette,
                                 cudaTextureObject_t table, float4 *out, int width, int layer) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    unsigned char index = tex2DLayered<unsigned char>(layers, x, y, layer);
    float4 colour = tex1Dfetch<float4>(palette, index);
    float4 graded = tex3D<float4>(table, colour.x, colour.y, colour.z);
    out[y * width + x] = make_float4(graded.x, graded.y, graded.z, colour.w);
}

// The sky seen in directions, from a cube of pictures.
extern "C" __global__ void sky(cudaTextureObject_t cube, const float3 *directions, float2 *out,
                               int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float3 d = directions[i];
    out[i] = texCubemap<float2>(cube, d.x, d.y, d.z);
}

// Levels of a mipmap, and the four texels around a place.
extern "C" __global__ void levels(cudaTextureObject_t mipmap, cudaTextureObject_t plain,
                                  float *out, float4 *around, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    out[i] = tex2DLod<float>(mipmap, 0.5f, 0.5f, i * 0.25f);
    around[i] = tex2Dgather<float4>(plain, i + 1.0f, 2.0f, 0);
}

// How often each level of grey is there, counted in a surface.
extern "C" __global__ void count_grey(cudaTextureObject_t picture, int *counts, int width,
                                      int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float grey = tex2D<float>(picture, x + 0.5f, y + 0.5f);
    atomicAdd(&counts[(int)(grey * 7.0f + 0.5f)], 1);
}
