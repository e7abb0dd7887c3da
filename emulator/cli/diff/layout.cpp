#include "layout.h"

#include "../buffer_spec.h"
#include "../output.h"

#include "../../host/buffer.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace assay::cli::diff {
namespace {

uint64_t countOf(const std::vector<uint64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t(1), std::multiplies<>());
}

/// Calls f(index in C order, index in the buffer) for every element of a placed tensor.
template <class F> void forEachElement(const Placement &place, F &&f) {
  const std::vector<uint64_t> &shape = place.shape;
  std::vector<uint64_t> at(shape.size(), 0);
  const uint64_t count = countOf(shape);
  uint64_t element = place.offset;
  for (uint64_t i = 0; i < count; ++i) {
    f(i, element);
    for (size_t axis = shape.size(); axis-- > 0;) {
      element += place.strides[axis];
      if (++at[axis] < shape[axis])
        break;
      element -= place.strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
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

/// Whether the bits can be copied, because nothing is done to the values.
bool asTheyAre(const Placement &place, ScalarType from, ScalarType to) {
  return from == to && place.scale == 1 && place.replace.empty();
}

/// The elements lie side by side, in the order of their indices.
bool isDense(const Placement &place) {
  uint64_t stride = 1;
  for (size_t axis = place.shape.size(); axis-- > 0; stride *= place.shape[axis])
    if (place.shape[axis] != 1 && place.strides[axis] != stride)
      return false;
  return true;
}

} // namespace

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

Result<std::string> makeInput(const LogicalInput &input) {
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
      return data->allBytes();
    // NumPy has no bfloat: its bits are saved as unsigned integers, and the SPEC's :TYPE says what they are.
    return Error::usage("mapping",
                        fmt::format("input '{}' is {}, '{}' gives {}", input.name,
                                    scalarTypeInfo(input.type).shortName, input.from,
                                    scalarTypeInfo(type).shortName),
                        "FILE.npy:TYPE says how bits are to be read");
  }
  std::string bytes(count * size, '\0');
  std::vector<double> values = input.sizes;
  const size_t axes = values.size();
  values.resize(axes + input.shape.size(), 0);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bits = compare::bitsOf(input.values->evaluate(values, i), input.type);
    std::memcpy(&bytes[i * size], &bits, size);
    for (size_t axis = input.shape.size(); axis-- > 0;) {
      if (++values[axes + axis] < double(input.shape[axis]))
        break;
      values[axes + axis] = 0;
    }
  }
  return bytes;
}

Result<LaidOut> layOut(const Mapping &mapping, const SideMapping &side,
                       const std::map<std::string, std::string> &inputs) {
  LaidOut result;
  for (const auto *tensors : {&side.inputs, &side.outputs})
    for (const auto &[name, place] : *tensors) {
      if (place.texture)
        continue;
      std::string &bytes = result.images[place.buffer].bytes;
      const uint64_t end = place.end() * scalarTypeInfo(place.type).bytes;
      if (bytes.size() < end)
        bytes.resize(end, static_cast<char>(Buffer::kPoisonByte));
    }
  for (auto &[index, image] : result.images)
    image.given.assign(image.bytes.size(), 0);

  for (const auto &[name, place] : side.inputs) {
    const LogicalInput &input = *mapping.input(name);
    const std::string &values = inputs.at(name);
    Image &image = result.images[place.buffer];
    const size_t size = scalarTypeInfo(place.type).bytes;
    const bool plain = asTheyAre(place, input.type, place.type);
    Rounding rounding{name, place.type};
    bool overlap = false;
    forEachElement(place, [&](uint64_t index, uint64_t element) {
      uint64_t bits = compare::elementBits(values, index, input.type);
      if (!plain) {
        const double value = replaced(place, compare::valueOf(bits, input.type) * place.scale);
        bits = compare::bitsOf(value, place.type);
        ++rounding.elements;
        rounding.rounded += !sameValue(compare::valueOf(bits, place.type), value);
      }
      const uint64_t at = element * size;
      overlap |= image.given[at] && std::memcmp(&image.bytes[at], &bits, size) != 0;
      std::memcpy(&image.bytes[at], &bits, size);
      std::memset(&image.given[at], 1, size);
    });
    if (overlap)
      return Error::usage(
          "mapping",
          fmt::format("input '{}' lies where another value lies already, in buffer {}", name, place.buffer),
          "strides too small, or tensors that overlap?");
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

namespace {

/// Folds a block of a side's elements into one value.
class Folded {
public:
  void add(double value, FoldRule rule, double mixed) {
    if (!any_)
      value_ = value;
    else if (rule == FoldRule::Max)
      value_ = std::max(value_, value);
    else if (rule == FoldRule::Min)
      value_ = std::min(value_, value);
    else if (!sameValue(value_, value))
      value_ = mixed, mixed_ = true;
    if (mixed_)
      value_ = mixed;
    any_ = true;
  }
  double value() const { return value_; }

private:
  double value_ = 0;
  bool any_ = false, mixed_ = false;
};

} // namespace

Result<Gathered> gather(const LogicalOutput &output, const Placement &place, std::string_view contents,
                        std::string_view stale, ScalarType type) {
  const size_t size = scalarTypeInfo(place.type).bytes, outSize = scalarTypeInfo(type).bytes;
  if (place.end() * size > contents.size())
    return Error::usage("output-shape", fmt::format("output '{}' ends at byte {}, {} {} has {}", output.name,
                                                    place.end() * size, place.texture ? "texture" : "buffer",
                                                    place.buffer, contents.size()));
  const uint64_t count = countOf(output.shape);
  Gathered result;
  const bool folds = countOf(place.fold) != 1, plain = asTheyAre(place, place.type, type) && !folds;
  if (plain && stale.empty() && isDense(place)) {
    result.bytes = contents.substr(place.offset * size, count * size);
    return result;
  }
  result.bytes.resize(count * outSize);
  if (!stale.empty())
    result.unwritten.assign(count, false);
  std::vector<Folded> folded(folds ? count : 0);

  std::vector<uint64_t> pitch(output.shape.size(), 1); // of logical elements
  for (size_t axis = output.shape.size() - 1; axis-- > 0;)
    pitch[axis] = pitch[axis + 1] * output.shape[axis + 1];
  const auto logicalIndex = [&](uint64_t index) {
    if (!folds)
      return index;
    const std::vector<uint64_t> at = coordinates(place.shape, index);
    uint64_t logical = 0;
    for (size_t axis = 0; axis < at.size(); ++axis)
      logical += at[axis] / place.fold[axis] * pitch[axis];
    return logical;
  };
  forEachElement(place, [&](uint64_t index, uint64_t element) {
    const uint64_t at = logicalIndex(index);
    uint64_t bits = compare::elementBits(contents, element, place.type);
    if (!plain) {
      double value = replaced(place, compare::valueOf(bits, place.type)) * place.scale;
      if (folds) {
        folded[at].add(value, place.rule, place.mixed);
        value = folded[at].value();
      }
      bits = compare::bitsOf(value, type);
    }
    std::memcpy(&result.bytes[at * outSize], &bits, outSize);
    if (!stale.empty() && stale.substr(element * size, size).find('\0') == stale.npos)
      result.unwritten[at] = true;
  });
  return result;
}

} // namespace assay::cli::diff
