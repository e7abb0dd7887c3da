// Inputs for attention tests. See attention_cases.h.
#include "attention_cases.h"

#include "f32.h"

#include "tests/support/kernel_data.h"

namespace assay::oracle {

namespace {

using testing_support::Random;

std::vector<uint16_t> uniformBfloats(Random &random, size_t count, float size) {
  std::vector<uint16_t> out(count);
  for (uint16_t &x : out)
    x = toBfloat(random.uniform(-size, size));
  return out;
}

std::vector<uint16_t> makeMask(Random &random, const AttentionShape &s, MaskKind kind) {
  std::vector<uint16_t> mask(s.maskCount());
  for (size_t i = 0; i < mask.size(); ++i) {
    const int query = int(i / s.keys % s.queries), key = int(i % s.keys);
    const bool deadRow = kind == MaskKind::DeadRows && query % 5 == 4;
    const bool masked = key != 0 && random.below(4) == 0; // the first key is causal for every query
    mask[i] = toBfloat(deadRow || masked ? -kInfinity : random.uniform(-2, 2));
  }
  return mask;
}

} // namespace

AttentionInputs makeAttentionCase(const AttentionShape &s, MaskKind mask, uint64_t seed, float size) {
  Random random(seed);
  AttentionInputs in;
  in.q = uniformBfloats(random, s.queryCount(), size);
  in.k = uniformBfloats(random, s.keyCount(), size);
  in.v = uniformBfloats(random, s.keyCount(), size);
  in.dO = uniformBfloats(random, s.queryCount(), size);
  if (mask != MaskKind::None)
    in.mask = makeMask(random, s, mask);
  const AttentionForward forward = attentionForwardReference(s, AttentionReals::from(in));
  in.logSumExp.assign(forward.logSumExp.begin(), forward.logSumExp.end());
  in.rowDot.assign(forward.rowDot.begin(), forward.rowDot.end());
  return in;
}

} // namespace assay::oracle
