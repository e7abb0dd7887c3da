// Simd operations that move values or vote: broadcasts, shuffles, ballots. See simd_eval.h for the rules.
#include "runtime/simd_eval.h"

#include <cstring>

namespace assay::runtime {
namespace {

constexpr uint32_t kAbsent = 1u << 9; // this flag: the lane below takes no part

// How many values a lane passes, whether the operation is one of a simdgroup or of a quad.
template <SimdOp kOp> constexpr uint32_t kInputs = simdOpInfo(kOp).inputs;

template <SimdOp kOp, uint32_t kWidth, class Word> void permute(const SimdCall &call) {
  uint32_t source[32];
  forEachLane(call.active, [&](uint32_t lane) {
    const uint32_t base = lane & ~(kWidth - 1);
    const uint32_t inBlock = kWidth == 32 ? call.active : call.active >> base & 15;
    const uint32_t from = sourceLane(kOp, kWidth, lane - base, call.operand[lane], inBlock);
    const bool absent = from != kOwnLane && !(inBlock >> (from & (kWidth - 1)) & 1);
    source[lane] = from == kOwnLane ? lane : (from + base) | (absent ? kAbsent : 0);
  });
  // What the reader gets for an element of an absent lane: null means its own.
  const auto published = [&](uint32_t from, uint32_t place) -> const void * {
    static constexpr uint64_t kPoison = ~0ull;
    if (call.numerics->inactiveLanes == InactiveLanes::Poison)
      return &kPoison;
    if (!call.published || call.numerics->inactiveLanes != InactiveLanes::Register)
      return nullptr;
    const uint8_t *operand = call.published + size_t(from) * call.publishedStride;
    const uint8_t *computed = operand + size_t(kInputs<kOp>) * call.count * sizeof(Word);
    return computed[place] ? operand + place * sizeof(Word) : nullptr;
  };
  for (uint32_t element = 0; element < call.count; ++element) {
    Word value[32];
    forEachLane(call.active, [&](uint32_t lane) {
      const uint32_t from = source[lane] & 31,
                     place = source[lane] & kFillLane ? call.count + element : element;
      const void *word =
          source[lane] & kAbsent ? published(from, place) : static_cast<const Word *>(call.in[from]) + place;
      if (!word)
        word = static_cast<const Word *>(call.in[lane]) + element;
      std::memcpy(&value[lane], word, sizeof(Word));
    });
    forEachLane(call.active, [&](uint32_t lane) {
      std::memcpy(static_cast<Word *>(call.out[lane]) + element, &value[lane], sizeof(Word));
    });
  }
}

void writeMasks(const SimdCall &call, uint32_t mask, uint32_t width) {
  forEachLane(call.active, [&](uint32_t lane) {
    const uint32_t base = lane & ~(width - 1);
    const uint64_t word = width == 32 ? mask : mask >> base & 15;
    std::memcpy(call.out[lane], &word, sizeof word);
  });
}

template <uint32_t kWidth> void ballot(const SimdCall &call) {
  uint32_t mask = 0;
  forEachLane(call.active, [&](uint32_t lane) { mask |= uint32_t(call.operand[lane] != 0) << lane; });
  writeMasks(call, mask, kWidth);
}

template <uint32_t kWidth> void activeMask(const SimdCall &call) {
  writeMasks(call, call.active, kWidth);
}

void barrier(const SimdCall &) {}

template <SimdOp kOp, uint32_t kWidth> SimdFunction bySize(uint8_t bytes) {
  switch (bytes) {
  case 1: return permute<kOp, kWidth, uint8_t>;
  case 2: return permute<kOp, kWidth, uint16_t>;
  case 4: return permute<kOp, kWidth, uint32_t>;
  default: return permute<kOp, kWidth, uint64_t>;
  }
}

template <uint32_t kWidth> SimdFunction byOp(SimdOp op, uint8_t bytes) {
  switch (op) {
  case SimdOp::Broadcast: return bySize<SimdOp::Broadcast, kWidth>(bytes);
  case SimdOp::BroadcastFirst: return bySize<SimdOp::BroadcastFirst, kWidth>(bytes);
  case SimdOp::Shuffle: return bySize<SimdOp::Shuffle, kWidth>(bytes);
  case SimdOp::ShuffleXor: return bySize<SimdOp::ShuffleXor, kWidth>(bytes);
  case SimdOp::ShuffleUp: return bySize<SimdOp::ShuffleUp, kWidth>(bytes);
  case SimdOp::ShuffleDown: return bySize<SimdOp::ShuffleDown, kWidth>(bytes);
  case SimdOp::ShuffleRotateUp: return bySize<SimdOp::ShuffleRotateUp, kWidth>(bytes);
  case SimdOp::ShuffleRotateDown: return bySize<SimdOp::ShuffleRotateDown, kWidth>(bytes);
  case SimdOp::ShuffleAndFillUp: return bySize<SimdOp::ShuffleAndFillUp, kWidth>(bytes);
  case SimdOp::ShuffleAndFillDown: return bySize<SimdOp::ShuffleAndFillDown, kWidth>(bytes);
  case SimdOp::Ballot: return ballot<kWidth>;
  case SimdOp::ActiveMask: return activeMask<kWidth>;
  default: return nullptr;
  }
}

} // namespace

SimdFunction simdPermutation(SimdOp op, ScalarType type) {
  if (onlyMeets(op))
    return barrier;
  const SimdForm form = simdForm(op);
  const uint8_t bytes = scalarTypeInfo(type).bytes;
  return form.width == 32 ? byOp<32>(form.op, bytes) : byOp<4>(form.op, bytes);
}

SimdFunction simdFunction(SimdOp op, ScalarType type) {
  if (const SimdFunction matrix = simdMatrix(op, type))
    return matrix;
  if (const SimdFunction fragments = simdFragments(op, type))
    return fragments;
  const SimdFunction permutation = simdPermutation(op, type);
  return permutation ? permutation : simdReduction(op, type);
}

} // namespace assay::runtime
