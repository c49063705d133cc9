// What the GPU's limits and NVIDIA's own library give for the work of primitives.fut: prints `name microseconds`.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static void check(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(1);
  }
}

__device__ __host__ static int hash(long long i) {
  int x = (int)i * 0x45d9f3b;
  return (x ^ (x >> 16)) * 0x45d9f3b ^ (x >> 7);
}

__global__ static void fill(float *xs, int *is, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
    if (xs) xs[i] = (float)(hash(i) & 1023) / 1024;
    if (is) is[i] = hash(i);
  }
}

__global__ static void low_bits(unsigned *to, const int *is, long long n, int mask) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
    to[i] = (unsigned)(is[i] & mask);
  }
}

// The median of many runs, after some to warm up.
static void timed(const char *name, const std::function<void()> &work) {
  cudaEvent_t a, b;
  check(cudaEventCreate(&a));
  check(cudaEventCreate(&b));
  std::vector<float> ms;
  for (int i = 0; i < 35; i++) {
    check(cudaEventRecord(a));
    work();
    check(cudaEventRecord(b));
    check(cudaEventSynchronize(b));
    float t;
    check(cudaEventElapsedTime(&t, a, b));
    if (i >= 5) ms.push_back(t);
  }
  check(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  printf("%s %.1f\n", name, ms[ms.size() / 2] * 1000);
}

struct fixed_offset {
  int m;
  __host__ __device__ long long operator()(long long i) const { return i * m; }
};

int main() {
  const long long n = 1LL << 28;
  float *xs, *ys;
  int *is, *bins;
  check(cudaMalloc(&xs, n * 4));
  check(cudaMalloc(&ys, n * 4));
  check(cudaMalloc(&is, n * 4));
  check(cudaMalloc(&bins, 4 << 20));
  fill<<<4096, 256>>>(xs, is, n);
  void *temp = nullptr;
  size_t bytes = 0;
  auto with_temp = [&](const char *name, const std::function<cudaError_t(void *, size_t &)> &call) {
    size_t need = 0;
    check(call(nullptr, need));
    if (need > bytes) {
      if (temp) check(cudaFree(temp));
      check(cudaMalloc(&temp, need));
      bytes = need;
    }
    timed(name, [&] { size_t b = bytes; check(call(temp, b)); });
  };
  timed("copy", [&] { check(cudaMemcpyAsync(ys, xs, n * 4, cudaMemcpyDeviceToDevice)); });
  with_temp("sum", [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, xs, ys, n); });
  with_temp("prefix_sums", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, xs, ys, n); });
  for (int log : {18, 10, 4}) {
    int m = 1 << log;
    long long segments = n / m;
    auto offsets = thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), fixed_offset{m});
    char name[64];
    snprintf(name, sizeof name, "row_sums_2^%d", log);
    with_temp(name, [&](void *t, size_t &b) {
      return cub::DeviceSegmentedReduce::Sum(t, b, xs, ys, segments, offsets, offsets + 1);
    });
  }
  for (int log : {8, 20}) {
    int k = 1 << log;
    char name[64];
    snprintf(name, sizeof name, "histogram_2^%d", log);
    unsigned *in = (unsigned *)ys;
    low_bits<<<4096, 256>>>(in, is, n, k - 1);
    with_temp(name, [&](void *t, size_t &b) {
      return cub::DeviceHistogram::HistogramEven(t, b, in, bins, k + 1, 0u, (unsigned)k, n);
    });
  }
  return 0;
}
