#include "decode_compare.h"

#include "sdpa_step.h"

#include <fmt/format.h>

#include <tuple>

namespace assay::kernels::foundry {
namespace {

/// What stands in the way, or nothing.
std::string_view obstacle(const FlashDecodeArguments &a) {
  if (a.rope)
    return "fused RoPE";
  if (a.kvLengths.given())
    return "lengths of each batch";
  if (a.mask.given() && a.mask.type != a.q.type)
    return "masks of another type than q's";
  return {};
}

} // namespace

MaterializedDecode materializedDecode(KernelSet &kernels) {
  return [&kernels](const FlashDecodeArguments &a, const TensorView &out) -> Result<void> {
    if (const std::string_view what = obstacle(a); !what.empty())
      return Error::usage(Rule::own("not-comparable"),
                          fmt::format("the materialised step does not take {}", what),
                          "unset METALLIC_SDPA_DEBUG_ONLINE_COMPARE");
    PrefillArguments p;
    p.q = a.q, p.out = out, p.padding = a.padding, p.mask = a.mask;
    for (const auto &[from, typed, quantised] :
         {std::tuple(&a.k, &p.k, &p.kCache), std::tuple(&a.v, &p.v, &p.vCache)})
      if (from->format)
        *quantised = *from;
      else
        *typed = from->rows;
    if (p.padding.given())
      p.padding.sizes.back() = a.kvLength;
    if (p.mask.given()) {
      p.mask.sizes = {a.mask.size(0), a.mask.size(1), 1, a.kvLength};
      p.mask.strides = {a.mask.stride(0), a.mask.stride(1), a.mask.stride(1), 1};
    }
    p.queries = 1, p.keys = a.kvLength, p.scale = a.scale;
    if (const Result<SdpaReport> done = dispatchSdpaReference(kernels, p); !done)
      return done.error();
    return {};
  };
}

} // namespace assay::kernels::foundry
