// One decode, made once in the oracle's words and once as the tensors of a dispatch.
//
// Whatever must not be read holds NaN (keys that do not count, keys past the length), and what must not be written
// stays poisoned, which check() looks at.
#pragma once

#include "kernels_msl/foundry/decode_step.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/foundry_decode.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace assay::kernels::foundry {

enum class MaskType { None, OfQ, Float };

struct DecodeCase {
  std::string name;
  oracle::DecodeShape shape;
  std::vector<uint32_t> lengths; ///< of each batch; one number serves all
  DecodeVariant variant;
  bool padding = false;
  MaskType mask = MaskType::None;
  std::optional<RopePairs> rope;
  int ropeSize = 0; ///< 0: all of the head
  std::optional<KvFormat> kFormat, vFormat;
  int qRows = 1;       ///< capacity of q and out
  bool spread = false; ///< caches with gaps between rows, heads and batches
  float amplitude = 2; ///< of q and k

  int longest() const;
};
void PrintTo(const DecodeCase &c, std::ostream *out);

oracle::DecodeShape decodeShape(int batches, int heads, int kvHeads, int headDim, int capacity,
                                bool bfloat = false);
oracle::DecodeOrder orderOf(const DecodeVariant &v);

/// Kernels of the project under a profile; kept for the whole program.
KernelSet &kernelSet(const NumericsProfile &profile = kAppleNumerics);

/// Numbers as bits of the type.
std::vector<uint16_t> bitsOf(const std::vector<float> &values, bool bfloat);
std::vector<float> valuesOf(const std::vector<uint16_t> &bits, bool bfloat);

/// A decode's data in both forms.
class DecodeRun {
public:
  /// Random data by the case.
  explicit DecodeRun(const DecodeCase &c, uint64_t seed = 7);

  const DecodeCase &description() const { return case_; }
  oracle::DecodeInputs &inputs() { return in_; }
  FlashDecodeArguments &arguments() { return arguments_; }
  /// Copies inputs() into the tensors; call it after changing them.
  void upload();

  /// Poisons the output and dispatches the case's variant, or another.
  ::testing::AssertionResult dispatch(KernelSet &kernels, std::optional<DecodeVariant> variant = {});
  /// Row 0 of every batch, [batch][head][headDim].
  std::vector<uint16_t> output() const;
  /// That all of the output but row 0 is as it was poisoned.
  ::testing::AssertionResult restUntouched() const;

  template <class Profile> std::vector<uint16_t> exact(std::optional<DecodeVariant> variant = {}) const {
    return oracle::flashDecodeExact<Profile>(case_.shape, in_, orderOf(variant.value_or(case_.variant)));
  }
  oracle::DecodeReference reference(std::optional<DecodeVariant> variant = {}) const {
    return oracle::flashDecodeReference(case_.shape, in_, orderOf(variant.value_or(case_.variant)));
  }

private:
  TensorView cacheTensor(DataType type) const;
  void uploadCache(const oracle::DecodeCache &from, const std::optional<KvFormat> &format,
                   KvTensor &to) const;

  DecodeCase case_;
  oracle::DecodeInputs in_;
  FlashDecodeArguments arguments_;
};

/// Every output within its bound of the reference; the message has the worst.
::testing::AssertionResult withinBound(const std::vector<uint16_t> &bits, bool bfloat,
                                       const oracle::DecodeReference &reference);

/// Puts the largest |value - reference| and the largest bound into the test's record: the numbers of docs.
void recordError(const std::vector<uint16_t> &bits, bool bfloat, const oracle::DecodeReference &reference);

} // namespace assay::kernels::foundry
