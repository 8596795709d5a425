#include <thrust/device_ptr.h>
#include <thrust/transform.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <thrust/functional.h>
#include <thrust/execution_policy.h>
void a(thrust::device_ptr<float> p, int n) { thrust::transform(thrust::device, p, p + n, p, thrust::negate<float>()); }
double b(thrust::device_ptr<double> p, int n) { return thrust::reduce(thrust::device, p, p + n); }
void c(thrust::device_ptr<int> p, int n) { thrust::exclusive_scan(thrust::device, p, p + n, p); }
void d(thrust::device_ptr<int> p, int n) { thrust::sort(thrust::device, p, p + n); }
