// A program outside the project: adds two vectors with a kernel from a string.
#include <assay/assay.h>

#include <iostream>

namespace {

constexpr const char *kSource = R"(
#include <metal_stdlib>
using namespace metal;
kernel void add(const device float *a [[buffer(0)]], const device float *b [[buffer(1)]],
                device float *sum [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  sum[i] = a[i] + b[i];
})";

template <class T> T orDie(assay::Result<T> result) {
  if (result)
    return *std::move(result);
  std::cerr << assay::renderDiagnostics(result.error().diagnostics);
  std::exit(1);
}

} // namespace

int main() {
  const assay::Device device = assay::Device::systemDefault();
  const assay::Library library = orDie(device.newLibraryWithSource(kSource));
  const assay::ComputePipelineState pipeline =
      orDie(device.newComputePipelineState(orDie(library.newFunction("add"))));

  constexpr size_t kCount = 1000;
  assay::Buffer a = device.newBuffer(kCount * sizeof(float));
  assay::Buffer b = device.newBuffer(kCount * sizeof(float));
  assay::Buffer sum = device.newBuffer(kCount * sizeof(float));
  for (size_t i = 0; i < kCount; ++i) {
    a.as<float>()[i] = static_cast<float>(i);
    b.as<float>()[i] = 0.5f;
  }
  sum.poison();

  assay::ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setBuffer(a, 0, 0);
  encoder.setBuffer(b, 0, 1);
  encoder.setBuffer(sum, 0, 2);
  orDie(encoder.dispatchThreads(assay::Size(kCount), assay::Size(256)));

  for (size_t i = 0; i < kCount; ++i)
    if (sum.as<float>()[i] != static_cast<float>(i) + 0.5f) {
      std::cerr << "sum[" << i << "] is " << sum.as<float>()[i] << "\n";
      return 1;
    }
  std::cout << "1000 sums are right\n";
}
