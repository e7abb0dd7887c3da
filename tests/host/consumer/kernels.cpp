// Every kernel system of Assay from a program outside the project, on problems whose answers are known: with
// one key attention is that key's value, and a recurrence that begins with nothing holds one product.
#include <assay/kernels.h>

#include <cmath>
#include <iostream>

using namespace assay;
using namespace assay::kernels;

namespace {

constexpr int64_t kSize = 64;
const Device device = Device::systemDefault();

template <class T> T orDie(Result<T> result) {
  if (result)
    return *std::move(result);
  std::cerr << renderDiagnostics(result.error().diagnostics);
  std::exit(1);
}

void expect(bool right, const char *what) {
  if (right)
    return;
  std::cerr << what << " is wrong\n";
  std::exit(1);
}

/// One row of elements of 16 bits, all equal.
TensorView row(DataType type, uint16_t bits, std::vector<int64_t> sizes) {
  TensorView view = TensorView::poisoned(device, type, std::move(sizes));
  for (uint16_t &element : view.buffer.as<uint16_t>())
    element = bits;
  return view;
}
bool holds(const TensorView &view, uint16_t bits) {
  for (uint16_t element : view.buffer.as<uint16_t>())
    if (element != bits)
      return false;
  return true;
}

constexpr uint16_t kHalfOfBfloat = 0x3f00, kTwoOfBfloat = 0x4000; // 0.5, 2
constexpr uint16_t kTwoOfHalf = 0x4000, kPointFiveOfHalf = 0x3800;

void prefill(KernelSet &kernels) {
  PrefillArguments a;
  a.q = a.k = row(DataType::BFloat, kHalfOfBfloat, {1, 1, 1, kSize});
  a.v = row(DataType::BFloat, kTwoOfBfloat, {1, 1, 1, kSize});
  a.o = TensorView::poisoned(device, DataType::BFloat, {1, 1, 1, kSize});
  a.scale = 0.125f;
  orDie(prefillAttention(kernels, a));
  expect(holds(a.o, kTwoOfBfloat), "prefill attention");
}

// Under mlx-native's names, and from the texts in the library: no file is read.
void training() {
  KernelSet kernels("/nonexistent");
  flash_attn_train::register_(kernels);
  const TensorView q = row(DataType::BFloat, kHalfOfBfloat, {1, 1, 1, kSize}),
                   v = row(DataType::BFloat, kTwoOfBfloat, {1, 1, 1, kSize}),
                   o = TensorView::poisoned(device, DataType::BFloat, {1, 1, 1, kSize}),
                   l = TensorView::poisoned(device, DataType::Float, {1, 1, 1});
  const flash_attn_train::FlashAttnTrainParams params{1, 1, 1, kSize, 1, 1, 0.125f, false};
  orDie(flash_attn_train::dispatch_flash_attn_train_fwd_bf16_d64(kernels, q, q, v, {}, o, l, params));
  expect(holds(o, kTwoOfBfloat), "training's output");
  // The only score is 64 * 0.5 * 0.5 * 0.125 = 2, up to the rounding of the factor to bfloat: 2^-8 of it.
  expect(std::fabs(l.buffer.as<float>()[0] - 2) <= 2.0f / 256, "training's log-sum-exp");
}

TensorView floats(std::vector<int64_t> sizes, float value) {
  TensorView view = TensorView::poisoned(device, DataType::Float, std::move(sizes));
  for (float &element : view.buffer.as<float>())
    element = value;
  return view;
}

void recurrence(KernelSet &kernels) {
  GatedDeltaNetArguments a;
  a.q = floats({1, 1, 1, kSize}, 0), a.k = floats({1, 1, 1, kSize}, 0);
  a.q.buffer.as<float>()[3] = a.k.buffer.as<float>()[3] = 1;
  a.v = floats({1, 1, 1, kSize}, 4), a.g = floats({1, 1, 1}, 0), a.beta = floats({1, 1, 1}, 0.5f);
  a.stateIn = floats({1, 1, kSize, kSize}, 0);
  a.output = TensorView::poisoned(device, DataType::Float, {1, 1, 1, kSize});
  a.stateOut = TensorView::poisoned(device, DataType::Float, {1, 1, kSize, kSize});
  orDie(dispatchGatedDeltaNet(kernels, a));
  for (float element : a.output.buffer.as<float>())
    expect(element == 2, "the recurrence"); // beta v (k q)
}

void flashAttentionStep(KernelSet &kernels) {
  foundry::FlashAttentionArguments a;
  a.q = row(DataType::Half, kPointFiveOfHalf, {1, 1, kSize});
  a.k.rows = row(DataType::Half, kPointFiveOfHalf, {1, 1, 1, kSize});
  a.v.rows = row(DataType::Half, kTwoOfHalf, {1, 1, 1, kSize});
  a.out = TensorView::poisoned(device, DataType::Half, {1, 1, kSize});
  foundry::FlashAttentionStep step(kernels, {});
  const foundry::FlashAttentionReport report = orDie(step.run(a));
  expect(report.path == foundry::AttentionPath::Decode, "the path of one row");
  expect(holds(a.out, kTwoOfHalf), "decode");
}

} // namespace

int main() {
  KernelSet kernels(ASSAY_KERNELS_FOLDER);
  prefill(kernels);
  training();
  recurrence(kernels);
  flashAttentionStep(kernels);
  std::cout << "prefill, training, recurrence and decode are right\n";
}
