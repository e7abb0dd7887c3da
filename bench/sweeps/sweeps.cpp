// What the knobs of Foundry's FlashAttention cost: counted work and time of every variant (row.h).
//
//   sweeps decode|rope|prefill|splitk [--quick] [--no-times]
//
// decode   simdgroups x keys of a round x elements at once x partials
// rope     the same of the decode that rotates its query on the way
// prefill  simdgroups, by queries and form
// splitk   splits of the keys, by queries and keys
// A METALLIC_FA_* variable that is set fixes its axis. Heads are those of models: 14 on 2 key heads of 64
// elements (Qwen2.5 0.5B), 32 on 8 of 128 (Llama 3.1 8B).
#include "row.h"

#include "kernels_msl/foundry/decode_step.h"
#include "kernels_msl/foundry/prefill_step.h"
#include "tests/support/kernel_data.h"

#include <cstring>
#include <fmt/format.h>

namespace assay::sweeps {
namespace {

using namespace kernels::foundry;
using kernels::KernelSet;
using kernels::TensorView;

struct Request {
  std::string sweep;
  bool quick = false;
  int times = 3;
  Knobs knobs;
};

TensorView halves(std::vector<int64_t> sizes, uint64_t seed) {
  const Device device = Device::systemDefault();
  int64_t count = 1;
  for (const int64_t size : sizes)
    count *= size;
  Buffer buffer = device.newBuffer(size_t(count) * 2);
  testing_support::Random random(seed);
  for (uint16_t &bits : buffer.as<uint16_t>()) // +-1/8 .. +-1/4: no score is extreme
    bits = uint16_t(0x3000 | (random.below(2) << 15) | random.below(0x400));
  return TensorView::contiguous(buffer, DataType::Half, std::move(sizes));
}

Problem withHead(int headDim, int queries, int keys) {
  return headDim == 64 ? Problem{64, 14, 2, queries, keys} : Problem{headDim, 32, 8, queries, keys};
}

std::vector<int> axis(std::vector<int> all, const std::optional<int> &fixed) {
  return fixed ? std::vector<int>{*fixed} : all;
}

/// Every element of the head turns, by half.
RopeArguments halfTurns(int headDim) {
  const Device device = Device::systemDefault();
  const std::vector<float> half(size_t(headDim) / 2, 0.70710678f);
  const uint32_t first = 0;
  const auto table = [&] {
    return TensorView::contiguous(device.newBuffer(half.data(), half.size() * 4), DataType::Float,
                                  {1, headDim / 2});
  };
  return {table(), table(), TensorView::contiguous(device.newBuffer(&first, 4), DataType::UInt, {1})};
}

void sweepDecode(const Request &request) {
  const bool rotates = request.sweep == "rope";
  Meter meter(request.times);
  const Knobs &knobs = request.knobs;
  const std::vector<int> powers = request.quick ? std::vector{2, 8, 32} : std::vector{1, 2, 4, 8, 16, 32};
  for (const int headDim : request.quick ? std::vector{64} : std::vector{64, 128})
    for (const int keys : request.quick   ? std::vector{64}
                          : headDim == 64 ? std::vector{128, 1024, 4096}
                                          : std::vector{128, 1024}) {
      const Problem problem = withHead(headDim, 1, keys);
      FlashDecodeArguments a;
      a.q = halves({1, 1, problem.heads * problem.headDim}, 1);
      a.k.rows = halves({1, problem.keyHeads, keys, headDim}, 2);
      a.v.rows = halves({1, problem.keyHeads, keys, headDim}, 3);
      a.out = halves({1, 1, problem.heads * problem.headDim}, 4);
      a.kvLength = keys;
      if (rotates)
        a.rope = halfTurns(headDim);
      const DecodeVariant chosen = selectDecode(knobs, headDim, keys);
      for (const int warps : axis(powers, knobs.decodeWarps))
        for (const int each : axis(powers, knobs.decodeKeysPerWarp))
          for (const int scalar : axis({2, 4}, knobs.decodeScalar))
            for (const int half : axis({0, 1}, knobs.decodeTgOut)) {
              const DecodeVariant variant{warps, each, scalar, half == 1};
              Row row{rotates ? "rope decode" : "decode", problem, {}, variant == chosen, {}, 0, 0, {}};
              row.variant = fmt::format("w{} k{} half{} {}", warps, each, scalar, half ? "half" : "float");
              meter.measure(row, [&](KernelSet &kernels) -> Result<void> {
                const auto done = dispatchFlashDecode(kernels, a, variant);
                return done ? Result<void>() : done.error();
              });
              print(row);
            }
    }
}

PrefillArguments prefillOf(const Problem &p) {
  PrefillArguments a;
  a.q = halves({1, p.heads, p.queries, p.headDim}, 1);
  a.k = halves({1, p.keyHeads, p.keys, p.headDim}, 2);
  a.v = halves({1, p.keyHeads, p.keys, p.headDim}, 3);
  a.out = halves({1, p.heads, p.queries, p.headDim}, 4);
  return a;
}

void measurePrefill(Meter &meter, Row row, const PrefillPlan &plan) {
  const PrefillArguments a = prefillOf(row.problem);
  meter.measure(row, [&](KernelSet &kernels) -> Result<void> {
    const auto done = dispatchFlashPrefill(kernels, a, plan);
    return done ? Result<void>() : done.error();
  });
  print(row);
}

void sweepPrefill(const Request &request) {
  Meter meter(request.times);
  const std::pair<PrefillForm, const char *> forms[] = {{PrefillForm::Tiled, "prefill"},
                                                        {PrefillForm::Buffered, "prefill buffered"},
                                                        {PrefillForm::Matrix, "prefill matrix"}};
  for (const int headDim : request.quick ? std::vector{64} : std::vector{64, 128})
    for (const int queries : request.quick ? std::vector{8, 40} : std::vector{2, 8, 16, 24, 32, 64})
      for (const int before : request.quick ? std::vector{0} : std::vector{0, 512}) {
        const Problem problem = withHead(headDim, queries, queries + before);
        const PrefillPlan chosen = selectPrefill(request.knobs, queries, problem.keys);
        for (const auto &[form, name] : forms)
          for (const int warps : axis({4, 8}, request.knobs.prefillWarps)) {
            const bool is = form == chosen.form && warps == chosen.warps;
            measurePrefill(meter, {name, problem, fmt::format("w{}", warps), is, {}, 0, 0, {}},
                           {warps, 1, form});
          }
      }
}

void sweepSplitK(const Request &request) {
  Meter meter(request.times);
  const Knobs &knobs = request.knobs;
  const std::optional<int> fixed = knobs.disablePrefillSplitK ? 1 : knobs.prefillSplitK;
  for (const int headDim : request.quick ? std::vector{64} : std::vector{64, 128})
    for (const int keys : request.quick ? std::vector{256} : std::vector{256, 512, 1024, 2048})
      for (const int queries : request.quick ? std::vector{4} : std::vector{2, 16, 32, 64, 128}) {
        const Problem problem = withHead(headDim, queries, keys);
        const PrefillPlan chosen = selectPrefill(knobs, queries, keys);
        for (const int splits : axis({1, 2, 4, 8, 16}, fixed)) {
          PrefillPlan plan = chosen;
          plan.splitK = std::max(1, splits);
          measurePrefill(meter,
                         {"splitk",
                          problem,
                          fmt::format("w{} s{}", plan.warps, plan.splitK),
                          plan.splitK == chosen.splitK,
                          {},
                          0,
                          0,
                          {}},
                         plan);
        }
      }
}

int main(int argc, char **argv) {
  Request request;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--quick"))
      request.quick = true, request.times = 1;
    else if (!std::strcmp(argv[i], "--no-times"))
      request.times = 0;
    else if (request.sweep.empty())
      request.sweep = argv[i];
    else
      request.sweep = "?";
  const Result<Knobs> knobs = Knobs::read(processEnvironment());
  if (!knobs) {
    fmt::print(stderr, "{}", renderDiagnostics(knobs.error().diagnostics));
    return 2;
  }
  request.knobs = *knobs;
  const std::pair<const char *, void (*)(const Request &)> sweeps[] = {
      {"decode", sweepDecode}, {"rope", sweepDecode}, {"prefill", sweepPrefill}, {"splitk", sweepSplitK}};
  for (const auto &[name, sweep] : sweeps)
    if (request.sweep == name) {
      printHeader();
      sweep(request);
      return 0;
    }
  fmt::print(stderr, "usage: sweeps decode|rope|prefill|splitk [--quick] [--no-times]\n");
  return 2;
}

} // namespace
} // namespace assay::sweeps

int main(int argc, char **argv) {
  return assay::sweeps::main(argc, argv);
}
