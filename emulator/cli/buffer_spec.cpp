#include "buffer_spec.h"
#include "scalar_text.h"

#include "../host/nearest.h"
#include "../support/abi/limits.h"
#include "../support/files/npy.h"
#include "../support/numbers/float_bits.h"
#include "../support/numbers/split_mix.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace assay::cli {
namespace {

constexpr uint64_t kMaxBufferBytes = uint64_t(1) << 40; // far more than memory; keeps products in range
constexpr uint8_t kPoisonByte = 0xA5;
constexpr std::string_view kAddress = "addr";
constexpr const char *kForms =
    "a SPEC is FILE.npy[:TYPE], FILE.bin, zeros:TYPE[d0,d1,..], poison:TYPE[..], rand:TYPE[..][:SEED], "
    "TYPE[d0,..]:v0,v1,.., TYPE:v0,v1,.. or null";

Error badSpec(std::string_view spec, std::string_view reason, std::string hint = kForms) {
  return Error::usage("bad-spec", fmt::format("'{}': {}", spec, reason), std::move(hint));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

Result<ScalarType> parseType(std::string_view spec, std::string_view name) {
  if (const std::optional<ScalarType> type = findScalarType(name))
    return *type;
  std::vector<std::string> names;
  for (const ScalarTypeInfo &info : kScalarTypes)
    names.emplace_back(info.shortName);
  const std::string nearest = nearestName(name, names);
  return badSpec(spec, fmt::format("no type '{}'", name),
                 nearest.empty() ? "types: bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32"
                                 : fmt::format("did you mean '{}'?", nearest));
}

struct TypeAndShape {
  ScalarType type;
  std::vector<uint64_t> shape;
  bool hasShape = false;
  uint64_t bytes = 0;
};

// TYPE[d0,d1,..]
Result<TypeAndShape> parseTypeAndShape(std::string_view spec, std::string_view text) {
  const size_t bracket = text.find('[');
  Result<ScalarType> type = parseType(spec, text.substr(0, bracket));
  if (!type)
    return type.error();
  TypeAndShape result{*type, {}, bracket != text.npos, scalarTypeInfo(*type).bytes};
  if (!result.hasShape)
    return result;
  if (!text.ends_with(']'))
    return badSpec(spec, "the shape has no closing ']'", "for example f32[4,128]");
  for (std::string_view part : split(text.substr(bracket + 1, text.size() - bracket - 2), ',')) {
    const std::optional<uint64_t> extent = parseCount(part);
    if (!extent)
      return badSpec(spec, fmt::format("'{}' is not an extent of a shape", part), "for example f32[4,128]");
    if (result.shape.size() == kMaxNpyDimensions)
      return badSpec(spec, fmt::format("the shape has more than {} axes", kMaxNpyDimensions), "");
    result.shape.push_back(*extent);
    if (*extent && result.bytes > kMaxBufferBytes / *extent)
      return badSpec(spec, fmt::format("the shape is larger than {} bytes", kMaxBufferBytes), "");
    result.bytes *= *extent;
  }
  return result;
}

// The last ':' that is not inside brackets begins the seed.
Result<BufferData> generated(std::string_view spec, std::string_view kind, std::string_view rest) {
  uint64_t seed = 0;
  if (kind == "rand")
    if (const size_t colon = rest.rfind(':'); colon != rest.npos) {
      const std::optional<uint64_t> number = parseCount(rest.substr(colon + 1));
      if (!number)
        return badSpec(spec, fmt::format("'{}' is not a seed", rest.substr(colon + 1)),
                       "for example rand:f32[64]:7");
      seed = *number;
      rest = rest.substr(0, colon);
    }
  Result<TypeAndShape> what = parseTypeAndShape(spec, rest);
  if (!what)
    return what.error();
  if (!what->hasShape)
    return badSpec(spec, "the shape is missing", fmt::format("for example {}:{}[4,128]", kind, rest));
  BufferData data{{}, what->type, what->shape};
  data.poisoned = kind == "poison";
  if (kind == "rand")
    data.bytes = randomElements(what->type, what->bytes / scalarTypeInfo(what->type).bytes, seed);
  else
    data.equal = {what->bytes, kind == "zeros" ? uint8_t(0) : kPoisonByte};
  return data;
}

Result<BufferData> literals(std::string_view spec) {
  BufferData data;
  std::optional<std::vector<uint64_t>> shape;
  const std::vector<std::string_view> segments = split(spec, ';');
  for (std::string_view segment : segments) {
    const size_t colon = segment.find(':');
    if (colon == segment.npos)
      return badSpec(spec, fmt::format("'{}' is not TYPE:v0,v1,..", segment));
    if (segment.substr(0, colon) == kAddress) {
      for (std::string_view text : split(segment.substr(colon + 1), ',')) {
        Result<BufferAddress> address = parseAddress(spec, text, data.bytes.size());
        if (!address)
          return address.error();
        data.addresses.push_back(std::move(*address));
        data.bytes.append(8, '\0');
      }
      data.type = ScalarType::ULong;
      continue;
    }
    Result<TypeAndShape> what = parseTypeAndShape(spec, segment.substr(0, colon));
    if (!what)
      return what.error();
    if (what->hasShape && segments.size() > 1)
      return badSpec(spec, "values of several types have no shape", "f32[2,3]:0,1,2,3,4,5 has one");
    data.type = what->type;
    const size_t before = data.bytes.size();
    for (std::string_view text : split(segment.substr(colon + 1), ',')) {
      Result<uint64_t> bits = parseScalar(text, what->type);
      if (!bits)
        return bits.error();
      data.bytes.append(reinterpret_cast<const char *>(&*bits), scalarTypeInfo(what->type).bytes);
    }
    if (what->hasShape && data.bytes.size() - before != what->bytes)
      return badSpec(spec, fmt::format("{} values, the shape has {}",
                                       (data.bytes.size() - before) / scalarTypeInfo(what->type).bytes,
                                       what->bytes / scalarTypeInfo(what->type).bytes));
    if (what->hasShape)
      shape = std::move(what->shape);
  }
  if (segments.size() > 1)
    data.type.reset();
  data.shape = shape ? *std::move(shape)
                     : std::vector{data.bytes.size() / (data.type ? scalarTypeInfo(*data.type).bytes : 1)};
  return data;
}

// FILE.npy or FILE.npy:TYPE: the suffix, if the name has that form.
std::optional<std::pair<std::string_view, std::string_view>> npyName(std::string_view spec) {
  if (spec.ends_with(".npy"))
    return std::pair(spec, std::string_view());
  const size_t at = spec.rfind(".npy:");
  if (at == spec.npos)
    return std::nullopt;
  return std::pair(spec.substr(0, at + 4), spec.substr(at + 5));
}

Result<BufferData> npyFile(std::string_view spec, std::string_view path, std::string_view typeName) {
  Result<NpyArray> array = readNpy(std::string(path));
  if (!array)
    return array.error();
  BufferData data{std::move(array->data), array->type, std::move(array->shape)};
  if (typeName.empty())
    return data;
  Result<ScalarType> type = parseType(spec, typeName);
  if (!type)
    return type.error();
  const ScalarTypeInfo &from = scalarTypeInfo(array->type);
  const ScalarTypeInfo &to = scalarTypeInfo(*type);
  if (data.bytes.size() % to.bytes)
    return badSpec(spec,
                   fmt::format("{} bytes are not a whole number of {} ({} bytes each)", data.bytes.size(),
                               to.shortName, to.bytes),
                   "");
  if (from.bytes != to.bytes)
    data.shape = {data.bytes.size() / to.bytes};
  data.type = *type;
  return data;
}

} // namespace

std::string randomElements(ScalarType type, uint64_t count, uint64_t seed) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  std::string bytes(count * info.bytes, '\0');
  SplitMix64 random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t z = random.next();
    uint64_t bits = z >> (64 - info.bytes * 8);
    if (info.cls == ScalarClass::Bool) {
      bits = z >> 63;
    } else if (info.cls == ScalarClass::Float) {
      const unsigned significand = type == ScalarType::Float ? 24 : type == ScalarType::Half ? 11 : 8;
      const double k = static_cast<double>(z >> (64 - significand));
      const float value = static_cast<float>(k / static_cast<double>(uint64_t(1) << (significand - 1)) - 1);
      bits = type == ScalarType::Float  ? std::bit_cast<uint32_t>(value)
             : type == ScalarType::Half ? halfFromFloat(value)
                                        : bfloatFromFloat(value);
    }
    std::memcpy(&bytes[i * info.bytes], &bits, info.bytes);
  }
  return bytes;
}

Result<BufferAddress> parseAddress(std::string_view spec, std::string_view text, uint64_t offset) {
  const size_t sign = text.find('+');
  BufferAddress address{offset, std::string(text.substr(0, sign))};
  if (sign != text.npos) {
    const std::optional<uint64_t> plus = parseCount(text.substr(sign + 1));
    if (!plus)
      return badSpec(spec, fmt::format("'{}' is not NAME+BYTES", text), "for example addr:weights+64");
    address.plus = *plus;
  }
  if (address.buffer.empty())
    return badSpec(spec, "an address needs the NAME or INDEX of a --buffer", "for example addr:weights,1");
  return address;
}

Result<BufferData> readBufferSpec(std::string_view spec) {
  if (spec == "null")
    return badSpec(spec, "there is no buffer, and so no contents", "--buffer INDEX=null binds none");
  const size_t colon = spec.find(':');
  const std::string_view prefix = spec.substr(0, colon);
  if (colon != spec.npos && (prefix == "zeros" || prefix == "poison" || prefix == "rand"))
    return generated(spec, prefix, spec.substr(colon + 1));
  if (colon != spec.npos && (prefix == kAddress || findScalarType(prefix.substr(0, prefix.find('[')))))
    return literals(spec);
  if (const auto npy = npyName(spec))
    return npyFile(spec, npy->first, npy->second);
  if (spec.ends_with(".bin")) {
    Result<std::string> bytes = readFile(std::string(spec));
    if (!bytes)
      return bytes.error();
    const uint64_t size = bytes->size();
    return BufferData{std::move(*bytes), std::nullopt, {size}};
  }
  if (colon != spec.npos) {
    std::vector<std::string> words = {"zeros", "poison", "rand", std::string(kAddress)};
    for (const ScalarTypeInfo &info : kScalarTypes)
      words.emplace_back(info.shortName);
    const std::string nearest = nearestName(prefix, words);
    return badSpec(spec, fmt::format("'{}' is neither a type nor zeros, poison or rand", prefix),
                   nearest.empty() ? kForms : fmt::format("did you mean '{}'?", nearest));
  }
  return badSpec(spec, "not a form of buffer that is known");
}

Result<OutputSpec> parseOutputSpec(std::string_view spec) {
  OutputSpec out;
  if (spec.ends_with(".bin")) {
    out.path = spec;
    out.raw = true;
    return out;
  }
  const auto npy = npyName(spec);
  if (!npy)
    return badSpec(spec, "not a form of output file that is known",
                   "it is FILE.npy[:TYPE[d0,d1,..]] or FILE.bin");
  out.path = npy->first;
  if (npy->second.empty())
    return out;
  Result<TypeAndShape> what = parseTypeAndShape(spec, npy->second);
  if (!what)
    return what.error();
  out.type = what->type;
  out.shape = what->shape;
  return out;
}

Result<void> checkOutputShape(const OutputSpec &spec, uint64_t bytes, ScalarType type) {
  if (spec.raw)
    return {};
  const ScalarTypeInfo &info = scalarTypeInfo(spec.type.value_or(type));
  const auto error = [&](std::string message) { return Error::usage("output-shape", std::move(message)); };
  const uint64_t needed =
      std::accumulate(spec.shape.begin(), spec.shape.end(), uint64_t(info.bytes), std::multiplies<>());
  if (!spec.shape.empty() && needed > bytes)
    return error(
        fmt::format("{}: the shape asked for needs {} bytes, the buffer has {}", spec.path, needed, bytes));
  if (spec.shape.empty() && bytes % info.bytes)
    return error(fmt::format("{}: the buffer's {} bytes are not a whole number of {} ({} bytes each)",
                             spec.path, bytes, info.shortName, info.bytes));
  return {};
}

Result<std::string> outputBytes(const OutputSpec &spec, const BufferData &input, std::string_view contents,
                                ScalarType type) {
  if (spec.raw)
    return std::string(contents);
  if (Result<void> ok = checkOutputShape(spec, contents.size(), type); !ok)
    return ok.error();
  const ScalarTypeInfo &info = scalarTypeInfo(spec.type.value_or(type));
  if (!spec.shape.empty()) {
    const uint64_t bytes =
        std::accumulate(spec.shape.begin(), spec.shape.end(), uint64_t(info.bytes), std::multiplies<>());
    return npyBytes(info.type, spec.shape, contents.substr(0, bytes));
  }
  const uint64_t count = contents.size() / info.bytes;
  const uint64_t inShape =
      std::accumulate(input.shape.begin(), input.shape.end(), uint64_t(1), std::multiplies<>());
  return npyBytes(info.type, inShape == count ? input.shape : std::vector{count}, contents);
}

Result<IndexedText> parseIndexed(std::string_view text, std::string_view option, std::string_view form,
                                 std::string_view what, uint32_t slots) {
  const size_t equals = text.find('=');
  const std::optional<uint64_t> index = parseCount(text.substr(0, equals));
  if (equals == text.npos || !index)
    return Error::usage("bad-option", fmt::format("{} {}: it should be {}", option, text, form),
                        what == "buffer"
                            ? "INDEX is the number in [[buffer(INDEX)]] or [[threadgroup(INDEX)]]"
                            : fmt::format("INDEX is the number in [[{}(INDEX)]]", what));
  if (*index >= slots)
    return Error::usage(
        what == "texture"   ? Rule("texture-index")
        : what == "sampler" ? Rule("sampler-index")
                            : Rule("buffer-index"),
        fmt::format("{} {}: index {} is more than the largest, {}", option, text, *index, slots - 1));
  return IndexedText{static_cast<uint32_t>(*index), std::string(text.substr(equals + 1))};
}

Result<std::map<uint32_t, uint64_t>> parseThreadgroupMemory(const std::vector<std::string> &texts) {
  std::map<uint32_t, uint64_t> lengths;
  for (const std::string &text : texts) {
    Result<IndexedText> indexed = parseIndexed(text, "--threadgroup-memory", "INDEX=BYTES");
    if (!indexed)
      return indexed.error();
    uint64_t bytes = 0;
    const char *end = indexed->rest.data() + indexed->rest.size();
    const auto [stop, error] = std::from_chars(indexed->rest.data(), end, bytes);
    if (error != std::errc() || stop != end || !bytes)
      return Error::usage("bad-option", fmt::format("--threadgroup-memory {}: '{}' is not a number of bytes",
                                                    text, indexed->rest));
    if (!lengths.emplace(indexed->index, bytes).second)
      return Error::usage("bad-option",
                          fmt::format("--threadgroup-memory is given twice for index {}", indexed->index));
  }
  return lengths;
}

} // namespace assay::cli
