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
  std::map<uint32_t, uint64_t> lengths;
  for (const auto *tensors : {&side.inputs, &side.outputs})
    for (const auto &[name, place] : *tensors) {
      if (place.texture)
        continue;
      uint64_t &length = lengths[place.buffer];
      length = std::max(length, place.end() * scalarTypeInfo(place.type).bytes);
    }
  for (const auto &[buffer, length] : lengths)
    result.images[buffer] = {PagedBytes(length, Buffer::kPoisonByte), PagedBytes(length, 0)};

  for (const auto &[name, place] : side.inputs) {
    const LogicalInput &input = *mapping.input(name);
    const std::string &values = inputs.at(name);
    Image &image = result.images[place.buffer];
    const size_t size = scalarTypeInfo(place.type).bytes;
    const bool plain = asTheyAre(place, input.type, place.type);
    Rounding rounding{name, place.type};
    bool overlap = false;
    char *const bytes = image.bytes.data(), *const given = image.given.data();
    forEachElement(place, 0, countOf(place.shape), [&](uint64_t index, uint64_t element) {
      uint64_t bits = compare::elementBits(values, index, input.type);
      if (!plain) {
        const double value = replaced(place, compare::valueOf(bits, input.type) * place.scale);
        bits = compare::bitsOf(value, place.type);
        ++rounding.elements;
        rounding.rounded += !sameValue(compare::valueOf(bits, place.type), value);
      }
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
