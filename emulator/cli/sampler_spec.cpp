#include "sampler_spec.h"

#include "../host/nearest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace assay::cli {
namespace {

Error badSpec(std::string_view spec, std::string_view reason, std::string hint) {
  return Error::usage("bad-spec", fmt::format("'{}': {}", spec, reason), std::move(hint));
}

struct SamplerWord {
  std::string_view group, word;
  uint32_t number;
};
constexpr SamplerWord kSamplerWords[] = {
#define ASSAY_SAMPLER_OPTION(group, metal, host, number) {#group, #metal, number},
#include "msl_shim/detail/sampler_options.def"
};

void set(SamplerDescriptor &d, std::string_view group, uint32_t number) {
  const auto address = SamplerAddressMode(number);
  const auto filter = SamplerMinMagFilter(number);
  if (group == "coord")
    d.normalizedCoordinates = number == 0;
  if (group == "address" || group == "s_address")
    d.sAddressMode = address;
  if (group == "address" || group == "t_address")
    d.tAddressMode = address;
  if (group == "address" || group == "r_address")
    d.rAddressMode = address;
  if (group == "filter" || group == "min_filter")
    d.minFilter = filter;
  if (group == "filter" || group == "mag_filter")
    d.magFilter = filter;
  if (group == "mip_filter")
    d.mipFilter = SamplerMipFilter(number);
  if (group == "compare_func")
    d.compareFunction = CompareFunction(number);
  if (group == "border_color")
    d.borderColor = SamplerBorderColor(number);
}

// NAME=NUMBER
Result<void> setNumber(SamplerDescriptor &d, std::string_view text, std::string_view option) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals), number = option.substr(equals + 1);
  const std::vector<std::string> names = {"lod_min_clamp", "lod_max_clamp", "max_anisotropy"};
  if (std::find(names.begin(), names.end(), name) == names.end())
    return badSpec(text, fmt::format("'{}' is not an option of a sampler that has a number", name),
                   nearestHint(name, names, "options"));
  float value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size())
    return badSpec(text, fmt::format("'{}' is not a number", number), fmt::format("for example {}=2", name));
  if (name == "max_anisotropy" && !(value >= 1 && value <= 16 && value == std::floor(value)))
    return badSpec(text, fmt::format("max_anisotropy {} is not a whole number in 1..16", number), "");
  if (name == "max_anisotropy")
    d.maxAnisotropy = uint32_t(value);
  else
    (name == "lod_min_clamp" ? d.lodMinClamp : d.lodMaxClamp) = value;
  return {};
}

// s_address has the words of address, min_filter the words of filter.
std::string_view groupOf(std::string_view asked) {
  if (asked == "s_address" || asked == "t_address" || asked == "r_address")
    return "address";
  return asked == "min_filter" || asked == "mag_filter" ? "filter" : asked;
}

} // namespace

Result<SamplerState> parseSampler(const Device &device, std::string_view text) {
  SamplerDescriptor descriptor;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    if (option.find('=') != option.npos) {
      if (Result<void> ok = setNumber(descriptor, text, option); !ok)
        return ok.error();
      continue;
    }
    const size_t colons = option.find("::");
    const std::string_view group = colons == option.npos ? "" : option.substr(0, colons),
                           word = colons == option.npos ? option : option.substr(colons + 2);
    const SamplerWord *found = nullptr;
    std::vector<std::string> words;
    for (const SamplerWord &known : kSamplerWords) {
      words.emplace_back(known.word);
      if (!found && known.word == word && (group.empty() || known.group == groupOf(group)))
        found = &known;
    }
    if (!found)
      return badSpec(text, fmt::format("'{}' is not an option of a sampler", option),
                     nearestHint(word, words, "options"));
    set(descriptor, group.empty() ? found->group : group, found->number);
  }
  return device.newSamplerState(descriptor);
}

} // namespace assay::cli
