#include "identity.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace assay::metal {
namespace {

struct Chip {
  std::string_view key, name;
  uint32_t appleFamily, metal, generation;
};
// source: Apple's Metal feature set tables, GPU families by chip; the generation is that of the name that
// MTLArchitecture has on a Mac with the chip, applegpu_g13g to applegpu_g17g.
constexpr Chip kChips[] = {{"m1", "Apple M1", 7, 3, 13},
                           {"m2", "Apple M2", 8, 3, 14},
                           {"m3", "Apple M3", 9, 3, 15},
                           {"m4", "Apple M4", 9, 3, 16},
                           {"m5", "Apple M5", 10, 4, 17}};

constexpr std::string_view kForm =
    "m1 to m5, name=TEXT, family=1..10, metal=3|4, memory=BYTES (K, M, G), unified=yes|no";

// The first chip's of a family; older families had chips of the phone alone.
uint32_t generationOf(uint32_t family) {
  for (const Chip &chip : kChips)
    if (chip.appleFamily == family)
      return chip.generation;
  return family + 6;
}

bool number(std::string_view text, uint64_t &value) {
  uint32_t shift = 0;
  if (!text.empty())
    switch (text.back()) {
    case 'K': shift = 10; break;
    case 'M': shift = 20; break;
    case 'G': shift = 30; break;
    }
  if (shift)
    text.remove_suffix(1);
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value >> (63 - shift))
    return false;
  value <<= shift;
  return true;
}

bool set(DeviceIdentity &device, std::string_view key, std::string_view value) {
  uint64_t n = 0;
  if (key == "name")
    return !(device.name = value).empty();
  if (key == "unified") {
    device.unifiedMemory = value == "yes";
    return value == "yes" || value == "no";
  }
  if (!number(value, n))
    return false;
  if (key == "family" && n >= 1 && n <= 10)
    device.appleFamily = uint32_t(n), device.generation = generationOf(uint32_t(n));
  else if (key == "metal" && (n == 3 || n == 4))
    device.metal = uint32_t(n);
  else if (key == "memory" && n >= 1u << 20)
    device.memoryBytes = n;
  else
    return false;
  return true;
}

} // namespace

bool DeviceIdentity::supportsFamily(int64_t family) const {
  switch (family / 1000) {
  case 1: return family >= 1001 && family <= 1000 + appleFamily;
  case 2: return family == 2002;
  case 3: return family >= 3001 && family <= 3003;
  case 5: return family >= 5001 && family <= 4998 + int64_t(metal);
  default: return false;
  }
}

Result<DeviceIdentity> parseDevice(std::string_view text) {
  DeviceIdentity device;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    bool good = false;
    for (const Chip &chip : kChips)
      if (part == chip.key) {
        device.name = chip.name;
        device.appleFamily = chip.appleFamily;
        device.metal = chip.metal;
        device.generation = chip.generation;
        good = true;
      }
    if (const size_t equals = part.find('='); equals != part.npos)
      good = set(device, part.substr(0, equals), part.substr(equals + 1));
    if (!good)
      return Error::usage("bad-device", fmt::format("'{}' does not describe a device", part),
                          std::string(kForm));
  }
  return device;
}

const DeviceIdentity &deviceIdentity() {
  static const DeviceIdentity identity = [] {
    const char *text = std::getenv("ASSAY_DEVICE");
    Result<DeviceIdentity> parsed = parseDevice(text ? text : "");
    if (!parsed) {
      std::fprintf(stderr, "ASSAY_DEVICE: %s", renderDiagnostics(parsed.error().diagnostics).c_str());
      std::exit(2);
    }
    return *parsed;
  }();
  return identity;
}

} // namespace assay::metal
