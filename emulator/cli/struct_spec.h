// The SPEC of `--struct INDEX=SPEC`: a parameter block by the names of its fields, as the kernel declares
// them.
//
//   --struct 4=AttnParams:B=1,H=2,qL=40,kL=33,scale=0.125,Q_strides=5120,2560,64,...=0
//
// Problem.  A block of 160 bytes as literals is a list of numbers that only their places explain. An extra
//           field shifts the rest, padding is easily forgotten, and the kernel still runs.
// Choice.   The text names the type, as a check that the right block is meant, and each field. What follows a
//           comma and has no '=' is the next value of the same field: arrays, vectors and matrices (by
//           columns) are given in C's order, or an element at a time (`Q_strides[1]=64`, `inner.at[0]=7`).
//           ';' begins the next element of an array of blocks. Every field must be given, but `...=0` sets
//           the remaining ones to 0.
// Rejected. Zero for missing fields by default: a forgotten stride is the very mistake that this should
//           prevent. Brackets around lists: shells take them for patterns. Expressions: mapping files of
//           `assay diff` have them (`{ struct = "AttnParams:qL={rows},.." }`).
// Limit.    Bytes that no field has are 0. Textures, samplers and function tables in a block are given as
//           before, by --texture, --sampler and --table with ARGUMENT.MEMBER; addresses are `addr:NAME`.
#pragma once

#include "buffer_spec.h"

#include "../support/abi/module_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The text, taken apart. Which fields there are is not known yet.
struct StructSpec {
  struct Given {
    std::string field;
    std::vector<std::string> values;
  };
  struct Element {
    std::vector<Given> fields;
    bool restZero = false; ///< ...=0
  };
  std::string type;
  std::vector<Element> elements;
};

/// text     without INDEX=
///   errors   Usage "struct": not TYPE:FIELD=VALUE,..
Result<StructSpec> parseStructSpec(std::string_view text);

/// The addresses in it; their offsets are not known yet.
///   errors   those of parseAddress
Result<std::vector<BufferAddress>> addressesIn(const StructSpec &spec);

/// "Params<float, 4>" and "Params<float,4>" are one name; a namespace may be left out.
bool namesStruct(std::string_view given, std::string_view declared);

/// The bytes of the elements, one after the other.
///   errors   Usage "struct": another type, a field that is given twice, that shares its bytes with another
///            or has another number of values, an index that does not exist, more than kMostStructBytes;
///            "unknown-field" (names the nearest), "missing-field" (names what is left out), "bad-value";
///            "unsupported": a declaration that fields cannot express
Result<BufferData> layStruct(const StructSpec &spec, const StructInfo &info);
inline constexpr uint64_t kMostStructBytes = uint64_t(64) << 20;

} // namespace assay::cli
