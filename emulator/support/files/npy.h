// NumPy's .npy files: arrays in C order, in and out.
//
// The parser trusts nothing: it checks lengths against the bytes that are present before it reads or
// allocates anything. What it does not read (Fortran order, big-endian, objects, strings, complex and 64-bit
// floats) is an error that names what was found and says what to do in NumPy.
// source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", versions 1.0, 2.0 and 3.0
#pragma once

#include "../abi/scalar_type.h"
#include "../text/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

inline constexpr size_t kMaxNpyDimensions = 64; // NumPy's own limit since 2.0

struct NpyArray {
  ScalarType type = ScalarType::UChar;
  std::vector<uint64_t> shape; ///< empty: one value
  std::string data;            ///< elements in C order, little-endian

  uint64_t count() const;
};

/// name   what messages call it
/// errors Usage "npy": not an .npy file, truncated, of a shape that does not match its size, or unsupported
Result<NpyArray> parseNpy(std::string_view bytes, const std::string &name);
/// errors as above; Usage "no-such-file", "unreadable-file"
Result<NpyArray> readNpy(const std::string &path);

/// A version 1.0 file. bfloat has no NumPy type: its bit patterns are written as uint16.
///   shape  of at most kMaxNpyDimensions
///   data   as many bytes as shape and type say
std::string npyBytes(ScalarType type, const std::vector<uint64_t> &shape, std::string_view data);

/// The whole file. errors: Usage "no-such-file", "unreadable-file"
Result<std::string> readFile(const std::string &path);

/// A source that a user named: a file, a pipe, or `-`, which is the standard input.
struct SourceFile {
  std::string name; ///< for messages: "<stdin>" for `-`
  std::string text;
  bool once = false; ///< it cannot be read again
};
///   errors  as readFile
Result<SourceFile> readSource(const std::string &path);
/// Writes under a temporary name first, so that nobody ever sees a half-written file. errors: Usage
/// "unwritable-file"
Result<void> writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace assay
