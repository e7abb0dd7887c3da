// From logical tensors to the bytes of one side's buffers, and back.
#pragma once

#include "mapping.h"

#include "../../compare/comparison.h"
#include "../../support/text/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::diff {

/// The elements of a logical tensor in C order, in its own type.
///   errors  Usage: those of readBufferSpec; "mapping" if the data has another type or number of elements
Result<std::string> makeInput(const LogicalInput &input);

/// A buffer before a run. Bytes that no input gives are poison.
struct Image {
  std::string bytes;
  std::string given; ///< for each byte: 1 if it comes from an input, 0 if it is poison
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
                       const std::map<std::string, std::string> &inputs);

/// The byte offset of a logical element in its buffer; if it is folded, of the first of its elements.
uint64_t byteOffset(const Placement &place, const std::vector<uint64_t> &logicalShape, uint64_t logicalIndex);

/// A side's output in the shape and order of the logical tensor.
struct Gathered {
  std::string bytes;           ///< of `type`
  std::vector<bool> unwritten; ///< empty: not known, or none
};
/// contents  the buffer after the run
/// stale     for each byte of the buffer: 1 where nothing was written; empty if that is not known
/// errors    Usage "output-shape": the buffer ends before the tensor
Result<Gathered> gather(const LogicalOutput &output, const Placement &place, std::string_view contents,
                        std::string_view stale, ScalarType type);

/// The type in which two sides are compared: the output's own if it has one, else the sides' coarser type.
ScalarType comparedAs(const LogicalOutput &output, ScalarType a, ScalarType b);

/// The indices of an element along each axis.
std::vector<uint64_t> coordinates(const std::vector<uint64_t> &shape, uint64_t index);

} // namespace assay::cli::diff
