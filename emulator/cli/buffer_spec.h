// The SPEC of `assay run --buffer INDEX=SPEC` and the FILE of `--out`: from text to bytes with a type and a
// shape.
#pragma once

#include "../support/abi/limits.h"
#include "../support/abi/scalar_type.h"
#include "../support/text/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Eight bytes of a buffer that will hold the address of another.
struct BufferAddress {
  uint64_t offset = 0; ///< of the eight bytes
  std::string buffer;  ///< the NAME or INDEX of its --buffer
  uint64_t plus = 0;   ///< bytes added to the address
};

/// zeros:, poison:. Such a buffer may be far larger than the memory that a run of it needs.
struct EqualBytes {
  uint64_t count = 0;
  uint8_t byte = 0;
};

/// A buffer before the run.
struct BufferData {
  std::string bytes;                         ///< none if all are equal
  std::optional<ScalarType> type;            ///< none for raw bytes and for literals of several types
  std::vector<uint64_t> shape;               ///< in elements of `type`, or in bytes
  std::vector<BufferAddress> addresses = {}; ///< their bytes are still zero
  bool poisoned = false;                     ///< nobody has written it
  std::optional<EqualBytes> equal = {};

  uint64_t size() const { return equal ? equal->count : bytes.size(); }
  std::string allBytes() const { return equal ? std::string(equal->count, char(equal->byte)) : bytes; }
};

/// errors   Usage "bad-spec", "bad-value", "npy", "no-such-file", ...: the text and what it may be. `null` is
///          not accepted here: see run_buffers.h
Result<BufferData> readBufferSpec(std::string_view spec);

/// spec     for the message
/// text     NAME or NAME+BYTES
/// errors   Usage "bad-spec"
Result<BufferAddress> parseAddress(std::string_view spec, std::string_view text, uint64_t offset);

/// FILE.npy[:TYPE[d0,..]] or FILE.bin
struct OutputSpec {
  std::string path;
  bool raw = false;
  std::optional<ScalarType> type;
  std::vector<uint64_t> shape; ///< empty: the input's
};
Result<OutputSpec> parseOutputSpec(std::string_view spec);

/// errors   as outputBytes; `bytes` is the number of bytes that the contents will have
Result<void> checkOutputShape(const OutputSpec &spec, uint64_t bytes, ScalarType type);
/// The file's contents: the buffer in the shape asked for, or else in its input's shape.
///   type   of the elements if nothing else says it
/// errors   Usage "output-shape": the buffer is shorter than the shape, or is not a whole number of elements
Result<std::string> outputBytes(const OutputSpec &spec, const BufferData &input, std::string_view contents,
                                ScalarType type);

/// "INDEX=REST"; index less than `slots`.
struct IndexedText {
  uint32_t index;
  std::string rest;
};
/// option   for the message: "--buffer"
/// form     likewise: "INDEX=SPEC"
/// what     "buffer", "texture" or "sampler"
Result<IndexedText> parseIndexed(std::string_view text, std::string_view option, std::string_view form,
                                 std::string_view what = "buffer", uint32_t slots = kBufferSlots);

/// texts    of --threadgroup-memory: INDEX=BYTES
/// errors   Usage "bad-option", "buffer-index"
Result<std::map<uint32_t, uint64_t>> parseThreadgroupMemory(const std::vector<std::string> &texts);

/// Element i of `rand:TYPE[..]:SEED` comes from the i-th number z of SplitMix64 started at SEED. Integers are
/// the top bits of z. Floats are uniform in [-1, 1): k * 2^-23 - 1 for f32 with the 24 top bits k of z (f16:
/// 11 bits, 2^-10; bf16: 8 bits, 2^-7), so that every value is exact in its type.
std::string randomElements(ScalarType type, uint64_t count, uint64_t seed);

} // namespace assay::cli
