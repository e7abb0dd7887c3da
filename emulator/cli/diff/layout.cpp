#include "layout.h"

#include "../output.h"

#include "../../host/buffer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <set>

namespace assay::cli::diff {

uint64_t countOf(const std::vector<uint64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t(1), std::multiplies<>());
}

bool sameValue(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

double replaced(const Placement &place, double value) {
  for (const auto &[from, to] : place.replace)
    if (sameValue(value, from))
      return to;
  return value;
}

bool asTheyAre(const Placement &place, ScalarType from, ScalarType to) {
  return from == to && place.scale == 1 && place.replace.empty();
}

std::vector<uint64_t> coordinates(const std::vector<uint64_t> &shape, uint64_t index) {
  std::vector<uint64_t> at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    at[axis] = index % shape[axis];
  return at;
}

uint64_t byteOffset(const Placement &place, const std::vector<uint64_t> &logicalShape,
                    uint64_t logicalIndex) {
  const std::vector<uint64_t> at = coordinates(logicalShape, logicalIndex);
  uint64_t element = place.offset;
  for (size_t axis = 0; axis < at.size(); ++axis)
    element += at[axis] * place.fold[axis] * place.strides[axis];
  return element * scalarTypeInfo(place.type).bytes;
}

namespace {

// All bytes of an element, if they are equal.
std::optional<uint8_t> byteOf(uint64_t bits, size_t size) {
  const uint64_t byte = bits & 0xff;
  for (size_t i = 1; i < size; ++i)
    if ((bits >> 8 * i & 0xff) != byte)
      return std::nullopt;
  return uint8_t(byte);
}

// Elements of the tensor's type.
class Elements {
public:
  Elements(const BufferData &data, ScalarType type) : data_(data), type_(type) {
    if (data.equal)
      std::memset(&all_, data.equal->byte, scalarTypeInfo(type).bytes);
  }
  bool areEqual() const { return data_.equal.has_value(); }
  uint64_t bits(uint64_t index) const {
    return data_.equal ? all_ : compare::elementBits(data_.bytes, index, type_);
  }

private:
  const BufferData &data_;
  const ScalarType type_;
  uint64_t all_ = 0;
};

} // namespace

Result<BufferData> makeInput(const LogicalInput &input) {
  const size_t size = scalarTypeInfo(input.type).bytes;
  const uint64_t count = countOf(input.shape);
  if (!input.values) {
    Result<BufferData> data = readBufferSpec(input.from);
    if (!data)
      return data.error();
    const ScalarType type = data->type.value_or(input.type);
    const size_t given = scalarTypeInfo(type).bytes;
    if (data->size() != count * given)
      return Error::usage("mapping", fmt::format("input '{}' has {} elements, '{}' gives {}", input.name,
                                                 count, input.from, data->size() / given));
    if (type == input.type)
      return data;
    // NumPy has no bfloat: its bits are saved as unsigned integers, and the SPEC's :TYPE says what they are.
    return Error::usage("mapping",
                        fmt::format("input '{}' is {}, '{}' gives {}", input.name,
                                    scalarTypeInfo(input.type).shortName, input.from,
                                    scalarTypeInfo(type).shortName),
                        "FILE.npy:TYPE says how bits are to be read");
  }
  BufferData data{{}, input.type, input.shape};
  std::vector<double> values = input.sizes;
  const size_t axes = values.size();
  values.resize(axes + input.shape.size(), 0);
  if (input.values->isConstant(axes))
    if (const auto byte = byteOf(compare::bitsOf(input.values->evaluate(values), input.type), size)) {
      data.equal = {count * size, *byte};
      return data;
    }
  std::string &bytes = data.bytes;
  bytes.resize(count * size);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bits = compare::bitsOf(input.values->evaluate(values, i), input.type);
    std::memcpy(&bytes[i * size], &bits, size);
    for (size_t axis = input.shape.size(); axis-- > 0;) {
      if (++values[axes + axis] < double(input.shape[axis]))
        break;
      values[axes + axis] = 0;
    }
  }
  return data;
}

namespace {

// From a tensor's own elements to those of a side.
class Conversion {
public:
  Conversion(const Placement &place, ScalarType from)
      : place_(place), from_(from), plain_(asTheyAre(place, from, place.type)) {}
  bool isPlain() const { return plain_; }
  /// rounded   counts this element if the side's type cannot represent its value
  uint64_t operator()(uint64_t bits, uint64_t &rounded) const {
    if (plain_)
      return bits;
    const double value = replaced(place_, compare::valueOf(bits, from_) * place_.scale);
    const uint64_t made = compare::bitsOf(value, place_.type);
    rounded += !sameValue(compare::valueOf(made, place_.type), value);
    return made;
  }

private:
  const Placement &place_;
  const ScalarType from_;
  const bool plain_;
};

// Whether the elements of a tensor lie side by side, each in a place of its own, in any order of the axes.
bool liesSideBySide(const Placement &place) {
  std::vector<std::pair<uint64_t, uint64_t>> axes; // stride, extent
  for (size_t axis = 0; axis < place.shape.size(); ++axis)
    if (place.shape[axis] != 1)
      axes.emplace_back(place.strides[axis], place.shape[axis]);
  std::sort(axes.begin(), axes.end());
  uint64_t inside = 1;
  for (const auto &[stride, extent] : axes) {
    if (stride != inside)
      return false;
    inside *= extent;
  }
  return true;
}

ByteRange bytesOf(const Placement &place) {
  const uint64_t size = scalarTypeInfo(place.type).bytes;
  return {place.offset * size, place.end() * size};
}

struct Fill {
  std::string input;
  ByteRange range;
  uint8_t byte;
};

// The input with which a buffer is filled before the others are written. It shares no byte with another.
std::optional<Fill> fillOf(const Mapping &mapping, const SideMapping &side,
                           const std::map<std::string, BufferData> &inputs, uint32_t buffer,
                           uint64_t length) {
  std::optional<Fill> fill;
  for (const auto &[name, place] : side.inputs) {
    const ByteRange range = bytesOf(place);
    const Elements elements(inputs.at(name), mapping.input(name)->type);
    if (place.buffer != buffer || !elements.areEqual() || range.size() <= length / 2 ||
        !liesSideBySide(place))
      continue;
    uint64_t rounded = 0;
    const uint64_t bits = Conversion(place, mapping.input(name)->type)(elements.bits(0), rounded);
    if (const std::optional<uint8_t> byte = byteOf(bits, scalarTypeInfo(place.type).bytes))
      fill = {name, range, *byte};
  }
  if (fill)
    for (const auto &[name, place] : side.inputs)
      if (const ByteRange range = bytesOf(place); place.buffer == buffer && name != fill->input &&
                                                  range.begin < fill->range.end &&
                                                  fill->range.begin < range.end)
        return std::nullopt;
  return fill;
}

Image imageOf(uint64_t length, const std::optional<Fill> &fill) {
  if (!fill)
    return {PagedBytes(length, Buffer::kPoisonByte), PagedBytes(length, 0)};
  Image image{PagedBytes(length, fill->byte), PagedBytes(length, 1)};
  for (const ByteRange &around : {ByteRange{0, fill->range.begin}, ByteRange{fill->range.end, length}}) {
    std::memset(image.bytes.data() + around.begin, Buffer::kPoisonByte, around.size());
    std::memset(image.given.data() + around.begin, 0, around.size());
  }
  return image;
}

} // namespace

Result<LaidOut> layOut(const Mapping &mapping, const SideMapping &side,
                       const std::map<std::string, BufferData> &inputs) {
  LaidOut result;
  std::map<uint32_t, uint64_t> lengths;
  for (const auto *tensors : {&side.inputs, &side.outputs})
    for (const auto &[name, place] : *tensors) {
      if (place.texture)
        continue;
      uint64_t &length = lengths[place.buffer];
      length = std::max(length, bytesOf(place).end);
    }
  std::set<std::string> filled;
  for (const auto &[buffer, length] : lengths) {
    const std::optional<Fill> fill = fillOf(mapping, side, inputs, buffer, length);
    result.images[buffer] = imageOf(length, fill);
    if (fill)
      filled.insert(fill->input);
  }

  for (const auto &[name, place] : side.inputs) {
    const LogicalInput &input = *mapping.input(name);
    const Elements elements(inputs.at(name), input.type);
    const Conversion convert(place, input.type);
    const uint64_t count = countOf(place.shape);
    Rounding rounding{name, place.type};
    rounding.elements = convert.isPlain() ? 0 : count;
    if (filled.count(name)) {
      convert(elements.bits(0), rounding.rounded);
      rounding.rounded *= count;
    } else {
      Image &image = result.images[place.buffer];
      const size_t size = scalarTypeInfo(place.type).bytes;
      bool overlap = false;
      char *const bytes = image.bytes.data(), *const given = image.given.data();
      forEachElement(place, 0, count, [&](uint64_t index, uint64_t element) {
        const uint64_t bits = convert(elements.bits(index), rounding.rounded);
        const uint64_t at = element * size;
        overlap |= given[at] && std::memcmp(bytes + at, &bits, size) != 0;
        std::memcpy(bytes + at, &bits, size);
        std::memset(given + at, 1, size);
      });
      if (overlap)
        return Error::usage(
            "mapping",
            fmt::format("input '{}' lies where another value lies already, in buffer {}", name, place.buffer),
            "strides too small, or tensors that overlap?");
    }
    if (rounding.rounded)
      result.roundings.push_back(std::move(rounding));
  }
  return result;
}

ScalarType comparedAs(const LogicalOutput &output, ScalarType a, ScalarType b) {
  if (output.type)
    return *output.type;
  if (a == b)
    return a;
  // The type with fewer significant bits decides (bfloat before half), and a float before an integer.
  const auto precision = [](ScalarType type) {
    return type == ScalarType::BFloat  ? 8
           : type == ScalarType::Half  ? 11
           : type == ScalarType::Float ? 24
                                       : 99;
  };
  return precision(a) <= precision(b) ? a : b;
}

} // namespace assay::cli::diff
