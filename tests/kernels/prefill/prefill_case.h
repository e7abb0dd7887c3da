// One case of prefill attention: its inputs as the oracle takes them,
// and as tensors that the dispatcher takes.
#pragma once

#include "kernels_msl/attention/prefill.h"
#include "tests/kernels/oracles/tiled_attention.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace assay::testing_support {

using oracle::TiledAttentionInputs;
using oracle::TiledAttentionShape;
using oracle::TileElement;
using oracle::TileMask;

/// What is masked, and how.
enum class MaskPattern {
  None,
  Tiles,    ///< each tile is masked, attended or mixed
  DeadRows, ///< as Tiles, and every fifth query attends to nothing
};

/// Where the tensors lie. All but the first have an offset, and NaNs between rows.
enum class Layout {
  Contiguous,
  HeadsInside, ///< [B, L, H, D] in memory
  Capacity,    ///< heads and rows with room after them, as in a cache
};

struct PrefillCase {
  std::string name;
  TiledAttentionShape shape;
  MaskPattern pattern = MaskPattern::None;
  Layout layout = Layout::Contiguous;
};
void PrintTo(const PrefillCase &c, std::ostream *out);

/// A case for the kernels of `size`, whose tiles it sets.
PrefillCase prefillCase(std::string name, TileElement element, int size, int heads, int gqa, int queries,
                        int keys);

/// The same for kernels whose simdgroups share eight queries: D = 512, steps of 64 keys.
PrefillCase sharedCase(std::string name, TileElement element, int heads, int gqa, int queries, int keys);

/// Uniform q, k, v in [-range, range] and the pattern's mask: one seed, one case.
TiledAttentionInputs makePrefillInputs(const PrefillCase &c, uint64_t seed, float range = 1);

/// The inputs of a case in memory, and an output of NaNs.
class PrefillTensors {
public:
  PrefillTensors(const Device &device, const PrefillCase &c, const TiledAttentionInputs &in);

  kernels::PrefillArguments arguments;
  void poisonOutput();
  /// The elements of O, without what lies between.
  std::vector<uint16_t> output() const;
  /// Success if nothing was written between them.
  ::testing::AssertionResult onlyOutputWritten() const;

private:
  TiledAttentionShape shape_;
};

/// The bytes of `classes`, row after row.
std::vector<int8_t> bytesOf(const kernels::TensorView &classes);

/// A tensor of its own with these elements (16 bits, or bools) and strides; all else is NaN.
kernels::TensorView placed(const Device &device, DataType type, const std::vector<uint16_t> &values,
                           std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset);

/// The result, or a failure of the test with the error's text.
template <class T>::testing::AssertionResult succeeded(const Result<T> &result) {
  if (result)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().message() << " [" << result.error().rule() << "]";
}

} // namespace assay::testing_support
