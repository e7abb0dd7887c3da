// Inputs for tests of the chunk pipeline: those of the recurrence, rounded to bfloats,
// with log gates below zero.
#pragma once

#include "delta_chunk.h"
#include "delta_net_cases.h"

#include <algorithm>

namespace assay::oracle {

/// How much a state keeps: e^-0.1 a token on average, or nearly all of it.
enum class Memory { Short, Long };

inline DeltaNetShape recurrenceShape(const DeltaChunkShape &s) {
  return {s.keySize, s.valueSize, s.keyHeads, s.heads, s.tokens, s.batches};
}

inline DeltaChunkInputs makeDeltaChunkCase(const DeltaChunkShape &s, uint64_t seed,
                                           Memory memory = Memory::Short) {
  DeltaNetInputs in = makeDeltaNetCase(recurrenceShape(s), seed);
  for (float &g : in.g)
    g *= memory == Memory::Long ? -1 / 256.0f : -1.0f;
  return {toBfloats(in.q), toBfloats(in.k), toBfloats(in.v), in.g, in.beta, in.state};
}

/// What the recurrence must be given for the same result: gates with the other sign, and a key head for each
/// value head in blocks, where the recurrence itself would tile.
inline DeltaNetInputs asRecurrence(const DeltaChunkShape &s, const DeltaChunkInputs &in) {
  const auto expand = [&](const Bfloats &x) {
    Floats out;
    for (size_t token = 0; token < s.rows(); ++token)
      for (uint32_t head = 0; head < s.heads; ++head)
        for (uint32_t n = 0; n < s.keySize; ++n)
          out.push_back(toFloats({x[s.keyAt(token, head) + n]})[0]);
    return out;
  };
  Floats gates = in.logGates;
  for (float &g : gates)
    g = -g;
  return {expand(in.q), expand(in.k), toFloats(in.v), gates, in.beta, in.h0};
}

inline DeltaNetShape expandedShape(const DeltaChunkShape &s) {
  return {s.keySize, s.valueSize, s.heads, s.heads, s.tokens, s.batches};
}

} // namespace assay::oracle
