// Turns logical tensors into the bytes of one side's buffers. placed_output.h does the reverse.
//
// Problem.  An input of 4 GB of zeros, of which a kernel reads a few pages, should cost those pages. A copy
//           of its elements and a mark for each byte that it gives cost 12 GB, for each side.
// Choice.   A tensor that has one value in all elements is kept as that value. If all bytes of the value are
//           the same on a side, and the tensor takes more than half of its buffer without gaps, the buffer
//           starts out filled with that byte, and only what lies around the tensor is written.
// Limit.    A tensor of one value in rows with gaps between them, or of a value such as 1.0, whose bytes
//           differ, is written element by element.
#pragma once

#include "mapping.h"

#include "../buffer_spec.h"

#include "../../compare/comparison.h"
#include "../../support/process/sparse_pages.h"
#include "../../support/text/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

/// The elements of a logical tensor in C order, in its own type.
///   errors  Usage: those of readBufferSpec; "mapping" if the data has another type or number of elements
Result<BufferData> makeInput(const LogicalInput &input);

/// A buffer before a run. Bytes that no input gives are poison.
struct Image {
  PagedBytes bytes;
  PagedBytes given; ///< for each byte: 1 if it comes from an input, 0 if it is poison
};

/// How many elements of an input were rounded, because the side's type cannot represent the tensor's value.
struct Rounding {
  std::string input;
  ScalarType type;
  uint64_t rounded = 0, elements = 0;
};

struct LaidOut {
  std::map<uint32_t, Image> images;
  std::vector<Rounding> roundings;
};

/// inputs   the tensors' elements, by name
/// errors   Usage "mapping": elements that share bytes have different values
Result<LaidOut> layOut(const Mapping &mapping, const SideMapping &side,
                       const std::map<std::string, BufferData> &inputs);

uint64_t countOf(const std::vector<uint64_t> &shape);

/// What the side has for a value: `replace` applied to it.
double replaced(const Placement &place, double value);

/// Equal, or both are NaN.
bool sameValue(double a, double b);

/// Whether the bits can be copied, because nothing is done to the values.
bool asTheyAre(const Placement &place, ScalarType from, ScalarType to);

/// The byte offset of a logical element in its buffer; if it is folded, of the first of its elements.
uint64_t byteOffset(const Placement &place, const std::vector<uint64_t> &logicalShape, uint64_t logicalIndex);

/// The type in which two sides are compared: the output's own if it has one, else the sides' coarser type.
ScalarType comparedAs(const LogicalOutput &output, ScalarType a, ScalarType b);

/// The indices of an element along each axis.
std::vector<uint64_t> coordinates(const std::vector<uint64_t> &shape, uint64_t index);

/// Calls f(index in C order, index in the buffer) for elements of a placed tensor, folded ones one by one.
template <class F> void forEachElement(const Placement &place, uint64_t first, uint64_t count, F &&f) {
  const std::vector<uint64_t> &shape = place.shape;
  std::vector<uint64_t> at = coordinates(shape, first);
  uint64_t element = place.offset;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    element += at[axis] * place.strides[axis];
  for (uint64_t i = 0; i < count; ++i) {
    f(first + i, element);
    for (size_t axis = shape.size(); axis-- > 0;) {
      element += place.strides[axis];
      if (++at[axis] < shape[axis])
        break;
      element -= place.strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

} // namespace assay::cli::diff
