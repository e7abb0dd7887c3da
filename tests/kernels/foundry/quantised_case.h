// Attention over a quantised cache: one random cache as the oracles see it, its elements dequantised by the
// format's definition, and as the tensors of prefill, decode and the materialised step.
//
// What must not be read is NaN where the format has a number for it: scales of groups past the keys, outliers
// of keys that are past the end or padded.
#pragma once

#include "decode_case.h"
#include "prefill_case.h"

#include "kernels_msl/foundry/decode_compare.h"
#include "tests/kernels/oracles/kv_cache.h"

namespace assay::kernels::foundry {

struct QuantisedTest {
  std::string name = {};
  std::optional<KvFormat> k = {}, v = {}; ///< typed if not given
  int batches = 1, heads = 2, kvHeads = 1, queries = 1, keys = 45, size = 64;
  int capacity = 0; ///< 0: keys
  bool bfloat = false, causal = true, padding = false;
  bool spread = false;        ///< rows, heads and batches with gaps
  bool representable = false; ///< scales are powers of two, zero points whole, so that elements are also T
  float range = 1;            ///< of queries, and about that of keys
};
void PrintTo(const QuantisedTest &t, std::ostream *out);

/// One of keys and values.
struct QuantisedSide {
  std::optional<KvFormat> format;
  oracle::KvCache cache;       ///< with a format
  std::vector<uint16_t> typed; ///< without, [batch, head, capacity, d]
  TensorView view;             ///< without, of typed
  KvTensor tensor;             ///< in either case
};

class QuantisedCase {
public:
  explicit QuantisedCase(const QuantisedTest &t, uint64_t seed = 3);

  QuantisedTest test;
  oracle::PrefillShape shape;
  std::vector<float> q;                        ///< [batch, head, query, d], values of T
  std::optional<std::vector<uint8_t>> padding; ///< [batch, keys]
  QuantisedSide k, v;
  PrefillArguments prefill;
  FlashDecodeArguments decode; ///< of one query; its causality is that it sees all keys
  /// Puts a cache that quantizeKv has made of typed rows [batch, head, capacity, d] in the place of keys or
  /// values, and binds.
  void quantise(QuantisedSide &side, const std::vector<float> &rows, const KvFormat &format);
  /// Typed rows in the place of keys or values; then bind().
  void setTyped(QuantisedSide &side, const std::vector<float> &rows);
  /// Tensors of the data again, after a test has changed it, and a poisoned output.
  void bind();

  /// What the oracles of prefill and of the materialised step take: elements of the keys that there are.
  template <class Profile> oracle::PrefillInputs inputs() const {
    return {q, elements<Profile>(k), elements<Profile>(v), {}, padding};
  }
  std::vector<uint16_t> out() const;
  template <class Profile> std::vector<uint16_t> prefillExact(const PrefillPlan &plan) const;
  template <class Profile> std::vector<uint16_t> materialisedExact() const {
    return oracle::materializedExact<Profile>(shape, inputs<Profile>());
  }
  /// The decode's oracle knows fewer formats: those of oracle::asDecodeCache, which a test here must be.
  oracle::DecodeShape decodeShape() const;
  oracle::DecodeInputs decodeInputs() const;

  /// All of out() within the bound of float64 attention over the dequantised elements.
  ::testing::AssertionResult withinBound(int splits = 0) const;
  oracle::PrefillReference reference(int splits = 0) const {
    return oracle::prefillReference(shape, inputs<oracle::Apple>(), splits);
  }
  float value(uint16_t bits) const { return valuesOf({bits}, test.bfloat)[0]; }

private:
  QuantisedSide makeSide(const std::optional<KvFormat> &format, float range);
  void bindSide(QuantisedSide &side);
  template <class Profile> std::vector<float> elements(const QuantisedSide &side) const;
  DataType type() const { return test.bfloat ? DataType::BFloat : DataType::Half; }

  testing_support::Random random_;
};

/// What a quantiser has made, read by the definition of its format.
///   bfloat   the type of outliers
oracle::KvCache cacheOf(const KvTensor &tensor, bool bfloat);

/// Formats by what is different from the default of 8 or 4 bits.
template <class Change> KvFormat int8With(Change change) {
  KvFormat format;
  change(format);
  return format;
}
template <class Change> KvFormat tilesWith(Change change) {
  KvFormat format = kvTilesFormat();
  change(format);
  return format;
}
template <class Change> KvFormat int4With(Change change) {
  KvFormat format = kvInt4Format();
  change(format);
  return format;
}

} // namespace assay::kernels::foundry
