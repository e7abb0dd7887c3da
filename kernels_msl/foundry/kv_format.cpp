#include "kv_format.h"

#include <fmt/format.h>

#include <span>
#include <vector>

namespace assay::kernels::foundry {
namespace {

struct KnownFormat {
  std::string_view id;
  uint32_t version;
  int bits;
  KvPacking packing;
};

constexpr KnownFormat kKnown[] = {
#define FOUNDRY_KV_FORMAT(id, version, bits, packing) {id, version, bits, KvPacking::packing},
#include "kv_formats.def"
};

/// Limits of the kernels: an index into a block of 256 keys of 256 elements has the 16 bits that it is given.
constexpr int64_t kMostKeys = 256, kMostElements = 256;

std::string_view nameOf(KvPacking packing) {
  switch (packing) {
  case KvPacking::HeadMajorBytes: return "as bytes, head by head";
  case KvPacking::HeadMajorNibbles: return "as nibbles, head by head";
  case KvPacking::TileMajorBytes: return "as bytes, tile by tile";
  }
  return "in no known way";
}

bool powerOfTwo(int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

} // namespace

std::string KvFormat::name() const {
  return fmt::format("{}.v{}", formatId, version);
}

std::string formatsText(const std::optional<KvFormat> &keys, const std::optional<KvFormat> &values) {
  const auto text = [](const std::optional<KvFormat> &f) { return f ? f->name() : "typed"; };
  return fmt::format("keys {}, values {}", text(keys), text(values));
}

KvFormat kvInt4Format() {
  KvFormat format;
  format.formatId = "foundry.kv.int4", format.bits = 4, format.packing = KvPacking::HeadMajorNibbles;
  return format;
}

KvFormat kvTilesFormat() {
  KvFormat format;
  format.formatId = "foundry.kv.int8.tiles", format.packing = KvPacking::TileMajorBytes;
  return format;
}

std::string_view nameOf(KvUse use) {
  return use == KvUse::Decode ? "decode" : use == KvUse::Prefill ? "prefill" : "the materialised step";
}

Result<void> checkKvFormat(std::string_view name, const KvFormat &format, KvUse use, int width) {
  const auto error = [&](std::string_view rule, std::string what) {
    return Error::usage(Rule::own(rule), fmt::format("{} {}", name, what));
  };
  const KnownFormat *known = nullptr;
  std::string ids, versions;
  for (const KnownFormat &f : kKnown) {
    ids += fmt::format("{}'{}'", ids.empty() ? "" : ", ", f.id);
    if (f.id != format.formatId)
      continue;
    versions += fmt::format("{}{}", versions.empty() ? "" : ", ", f.version);
    if (f.version == format.version)
      known = &f;
  }
  if (versions.empty())
    return error("kv-format-unknown", fmt::format("is in format '{}', known are {}", format.formatId, ids));
  if (!known)
    return error("kv-format-version", fmt::format("is in version {} of '{}', known is {}", format.version,
                                                  format.formatId, versions));
  if (format.bits != known->bits)
    return error("kv-format", fmt::format("has {} bits to an element, {} has {}", format.bits, format.name(),
                                          known->bits));
  if (format.packing != known->packing)
    return error("kv-packing", fmt::format("is packed {}, {} is packed {}", nameOf(format.packing),
                                           format.name(), nameOf(known->packing)));
  if (format.keysPerBlock < 1 || format.keysPerBlock > kMostKeys)
    return error("kv-group", fmt::format("has {} keys to a block, the kernels read 1 to {}",
                                         format.keysPerBlock, kMostKeys));
  if (format.elementsPerChunk < width || format.elementsPerChunk % width != 0 ||
      format.elementsPerChunk > kMostElements)
    return error("kv-group", fmt::format("has chunks of {} elements, {} reads multiples of {} up to {}",
                                         format.elementsPerChunk, nameOf(use), width, kMostElements));
  if (format.scaleType != DataType::Half && format.scaleType != DataType::Float)
    return error("kv-scales",
                 fmt::format("has scales of {}, the kernels read half and float", format.scaleType.name()));
  if (format.zeroType && *format.zeroType != DataType::Char && *format.zeroType != DataType::Half &&
      *format.zeroType != DataType::Float)
    return error("kv-zero-points", fmt::format("has zero points of {}, the kernels read char, half and float",
                                               format.zeroType->name()));
  if (!powerOfTwo(format.alignment))
    return error("kv-alignment", fmt::format("has rows at multiples of {} bytes, which is no power of two",
                                             format.alignment));
  if (const int64_t bytes = (width * format.bits + 7) / 8; format.alignment < bytes)
    return error("kv-alignment", fmt::format("has rows at multiples of {} bytes, {} reads {} at once",
                                             format.alignment, nameOf(use), bytes));
  if (format.outliersPerBlock < 0 || format.outliersPerBlock > kMostKeys * kMostElements)
    return error("kv-outliers", fmt::format("has up to {} outliers in a block, the side table holds 0 to {}",
                                            format.outliersPerBlock, kMostKeys * kMostElements));
  return {};
}

} // namespace assay::kernels::foundry
