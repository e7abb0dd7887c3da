// The mapping file of `assay diff`. It describes the intended differences of two kernels, so that the
// comparison shows only the others.
//
// Problem.  A port computes the same as its original, but its data are stored differently. Buffers are in
//           another order, rows are padded, heads come before tokens, masks are half with -65504 instead of
//           bfloat with -inf, parameters are in another struct, a tile is 32 x 16 instead of 8 x 64.
//           Comparing files of raw buffers would need a script for each pair of kernels and each shape. That
//           script would hide the very conventions that a port gets wrong.
// Choice.   *Logical tensors* belong to neither side. Each has a shape, values, and a type to which the
//           values are rounded ("K: [heads, keys, dim], bf16"). Each side says where a tensor is stored in
//           its buffers (a *placement*):
//             buffer, type     values are converted once, to nearest even; the report counts changed ones
//             order            the axes of a dense tensor, from outermost to innermost
//             strides, offset  or else the distance of neighbours along each axis, in elements
//             scale, replace   for a side with other values: a gate with the other sign, -65504 for -inf
//           A placement also says how an output is read back: elements are gathered in the logical order,
//           replaced, scaled, and folded if a side has finer tiles. Then two arrays of one type are compared
//           (compare/comparison.h). If the file gives no type and the sides differ, the less precise type is
//           taken. Every number is an expression over [sizes] (expression.h), so that one file serves many
//           shapes: `--set qL=100`. Bytes of a buffer that belong to no input are poison (0xA5), including
//           outputs before the run. SPECs are as in `assay run`, with {expression} replaced by its value.
// Rejected. A program in the file: a mapping should be understood at a glance. Guessing layouts from extents:
//           in a test where heads and tokens are both 16, this would prove nothing.
#pragma once

#include "expression.h"

#include "../../compare/comparison.h"
#include "../../host/size.h"
#include "../../support/abi/scalar_type.h"
#include "../../support/text/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::cli::diff {

enum class FoldRule : uint8_t {
  Same, ///< the value if all are equal, else `mixed`
  Max,
  Min,
};

/// Where a logical tensor lies on one side. Shapes and strides are by logical axis, in elements.
struct Placement {
  uint32_t buffer = 0;  ///< or the texture's index
  bool texture = false; ///< in outputs: texels in C order, with an axis for channels if there are several
  ScalarType type = ScalarType::Float;
  std::vector<uint64_t> shape; ///< the logical one, times `fold`
  std::vector<uint64_t> strides;
  uint64_t offset = 0;
  double scale = 1;
  std::vector<std::pair<double, double>> replace; ///< values, from and to
  std::vector<uint64_t> fold;                     ///< in outputs: elements here for one logical element
  FoldRule rule = FoldRule::Same;
  double mixed = 0;

  uint64_t end() const; ///< elements from the buffer's first to this tensor's last
};

struct LogicalInput {
  std::string name;
  std::vector<std::string> axes;
  std::vector<uint64_t> shape;
  ScalarType type = ScalarType::Float;
  std::optional<Expression> values; ///< over the sizes, then the axes' indices
  std::vector<double> sizes;
  std::string from; ///< a SPEC instead of `values`
};

struct LogicalOutput {
  std::string name;
  std::vector<std::string> axes;
  std::vector<uint64_t> shape;
  std::optional<ScalarType> type; ///< in which it is compared
  compare::Tolerance tolerance;
};

/// One dispatch.
struct StepMapping {
  std::string file, kernel;
  std::vector<std::string> constants; ///< INDEX|NAME=VALUE
  DispatchSize size{{0, 0, 0}, {0, 0, 0}};
  std::map<uint32_t, uint64_t> threadgroupMemory;
  std::vector<std::pair<std::string, std::string>> buffers; ///< INDEX or NAME, SPEC
  std::map<uint32_t, std::string> structs;                  ///< bytes
  std::map<uint32_t, std::string> namedStructs;             ///< SPECs, as --struct takes them
  std::map<uint32_t, uint32_t> bind;                        ///< the kernel's index, the side's
};

/// One kernel's call, several over the same buffers, or recorded outputs.
struct SideMapping : StepMapping {
  std::string languageVersion, numerics, mathMode;
  std::vector<std::string> includePaths;
  std::vector<std::string> linkedFiles;
  std::vector<std::string> defines;                 ///< NAME=VALUE
  std::vector<std::string> textures, samplers;      ///< INDEX=SPEC
  std::vector<StepMapping> steps;                   ///< none: the side itself is the step
  std::map<std::string, Placement> inputs, outputs; ///< by the tensor's name
  std::map<std::string, std::string> recorded;      ///< an output's .npy file
};

struct Mapping {
  std::vector<std::pair<std::string, double>> sizes;
  std::vector<LogicalInput> inputs;
  std::vector<LogicalOutput> outputs;
  SideMapping sides[2];
  std::vector<Expression> traceThread; ///< over the sizes, then x, y and z
  std::vector<std::pair<uint32_t, uint32_t>> traceLines;

  const LogicalInput *input(std::string_view name) const;
  const LogicalOutput *output(std::string_view name) const;
};

/// text     TOML
/// file     its name in messages; paths in it are relative to the file's folder
/// sets     NAME=VALUE of --set, instead of values in [sizes]
/// errors   Usage "mapping" with the place in the file, "unknown-key", "unknown-size", "unknown-tensor" (name
///          the nearest), "expression", "bad-option" for a set
Result<Mapping> parseMapping(std::string_view text, const std::string &file,
                             const std::vector<std::string> &sets);

} // namespace assay::cli::diff
