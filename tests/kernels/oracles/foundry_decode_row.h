// One row of a decode as the mathematics has it: the set of keys that count, and q_d, k_jd, v_jd and mask_j.
// Both oracles are written over it (foundry_decode.cpp, foundry_decode_reference.cpp).
#pragma once

#include "f32.h"
#include "foundry_decode.h"
#include "matrix.h"

#include <vector>

namespace assay::oracle {

inline constexpr int kKeysOfScale = 32;

/// An element of a cache is a product: a number times 1, or a byte times the scale of its group.
struct CacheElement {
  float number, scale;
  template <class Profile> float rounded() const { return F32<Profile>::mul(number, scale); }
  double exact() const { return double(number) * scale; }
};

struct DecodeRow {
  const DecodeShape &shape;
  const DecodeInputs &in;
  size_t batch, head;

  DecodeRow(const DecodeShape &s, const DecodeInputs &inputs, size_t row)
      : shape(s), in(inputs), batch(row / s.heads), head(row % s.heads) {}

  size_t index() const { return batch * shape.heads + head; }
  int length() const { return int(in.lengths[batch]); }
  float number(uint16_t bits) const { return shape.bfloat ? fromBfloat(bits) : fromHalf(bits); }
  float mask(int key) const {
    return in.mask.empty() ? 0.0f : in.mask[index() * shape.capacity + size_t(key)];
  }
  CacheElement k(int key, int d) const { return element(in.k, key, d); }
  CacheElement v(int key, int d) const { return element(in.v, key, d); }

  /// The keys that count, ascending.
  std::vector<int> keys() const {
    std::vector<int> all;
    for (int key = 0; key < length(); ++key)
      if ((in.padding.empty() || in.padding[batch * shape.capacity + key]) && mask(key) != -kInfinity)
        all.push_back(key);
    return all;
  }

  /// Each pair of elements that the rotation turns, and its angle as cosine and sine.
  template <class Visit> void forEachPair(Visit visit) const {
    if (!in.rope)
      return;
    const DecodeRope &rope = *in.rope;
    for (int i = 0; i < rope.pairs; ++i) {
      const size_t angle = size_t(rope.positions[batch]) * rope.pairs + i;
      const int first = rope.neighbours ? 2 * i : i, second = rope.neighbours ? 2 * i + 1 : i + rope.pairs;
      visit(first, second, rope.cosines[angle], rope.sines[angle]);
    }
  }

private:
  CacheElement element(const DecodeCache &cache, int key, int d) const {
    const size_t keyHead = batch * shape.kvHeads + head / (shape.heads / shape.kvHeads),
                 place = (keyHead * shape.capacity + key) * shape.headDim + d;
    if (cache.bytes.empty())
      return {number(cache.bits[place]), 1};
    const size_t blocks = (shape.capacity + kKeysOfScale - 1) / kKeysOfScale,
                 chunks = (shape.headDim + cache.chunk - 1) / cache.chunk,
                 block = keyHead * blocks + key / kKeysOfScale;
    return {float(cache.bytes[place]), cache.scales[block * chunks + d / cache.chunk]};
  }
};

} // namespace assay::oracle
