#include "kv_capability.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {

Result<KvPath> selectKvPath(const std::optional<KvFormat> &keys, const std::optional<KvFormat> &values,
                            const KvCapability &capability, KvUse use, int64_t kvLength) {
  if (!keys && !values)
    return KvPath::Typed;
  for (const auto &[name, format] : {std::pair("k", &keys), std::pair("v", &values)})
    if (*format)
      if (auto known = checkKvFormat(name, **format, use, 1); !known)
        return known.error();
  const std::string what = formatsText(keys, values);
  const bool allowed = use == KvUse::Materialised ||
                       (use == KvUse::Decode ? capability.quantisedDecode : capability.quantisedPrefill);
  if (!allowed)
    return Error::usage(Rule::own("kv-capability"),
                        fmt::format("{}, and the capability has no quantised {}", what, nameOf(use)),
                        "give the step a KvCapability that allows it, or a typed cache");
  if (use != KvUse::Materialised && kvLength < capability.minKvLength)
    return Error::usage(Rule::own("kv-capability"),
                        fmt::format("{}, and the capability begins at {} keys, there are {}", what,
                                    capability.minKvLength, kvLength),
                        "give the step a typed cache while it is short");
  return KvPath::Quantised;
}

} // namespace assay::kernels::foundry
