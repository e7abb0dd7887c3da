// See simd_shadows.h.
#include "validation/simd_shadows.h"

#include "../support/abi/matrix_layout.h"
#include "../support/abi/source_lane.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace assay::validation {
namespace {

constexpr size_t kMostBytes = 512; // of an operand of one lane

/// What a lane brings or gets.
struct Operand {
  std::array<uint8_t, kMostBytes> bits{};
  std::array<uint64_t, kMostBytes / 4> origins{};

  void copy(size_t to, const Operand &from, size_t begin, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      bits[to + i] = from.bits[begin + i];
      if (bits[to + i])
        origins[(to + i) / 4] = from.origins[(begin + i) / 4];
    }
  }
  bool has(size_t begin, size_t bytes) const {
    return std::any_of(bits.begin() + std::ptrdiff_t(begin), bits.begin() + std::ptrdiff_t(begin + bytes),
                       [](uint8_t byte) { return byte != 0; });
  }
  /// Every bit of the element becomes undefined if one of the other's is.
  void spread(size_t to, const Operand &from, size_t begin, size_t bytes) {
    if (!from.has(begin, bytes))
      return;
    size_t first = begin;
    while (!from.bits[first])
      ++first;
    for (size_t i = 0; i < bytes; ++i) {
      bits[to + i] = 0xff;
      origins[(to + i) / 4] = from.origins[first / 4];
    }
  }
};

class Mover {
public:
  Mover(const SimdEvent &event, LaneShadow *lanes)
      : event_(event), lanes_(lanes), form_(simdForm(event.site->op)),
        element_(scalarTypeInfo(event.site->type).bytes), bytes_(element_ * event.site->count) {}

  void run() {
    const SimdOpInfo &op = simdOpInfo(event_.site->op);
    const size_t inBytes = op.inputs * bytes_;
    const size_t outBytes = op.result == SimdResult::Mask ? sizeof(uint64_t) : bytes_;
    if (op.result == SimdResult::None)
      return;
    bool any = false;
    forEachActive([&](uint32_t lane) { any |= bringsUndefined(lanes_[lane], inBytes); });
    if (!any) { // no origins: they mean something only where a bit is undefined
      forEachActive([&](uint32_t lane) {
        if (lanes_[lane].out)
          std::memset(lanes_[lane].out, 0, outBytes);
        lanes_[lane] = {};
      });
      return;
    }
    std::vector<Operand> in(inBytes <= kMostBytes ? kSimdWidth : 0);
    if (!in.empty() && op.inputs)
      forEachActive([&](uint32_t lane) { read(lane, inBytes, in[lane]); });
    forEachActive([&](uint32_t lane) {
      Operand out;
      if (!in.empty() && outBytes <= kMostBytes)
        compute(lane, in, out);
      write(lane, outBytes, out);
    });
    forEachActive([&](uint32_t lane) { lanes_[lane] = {}; });
  }

private:
  template <class Visit> void forEachActive(Visit visit) const {
    for (uint32_t rest = event_.activeMask; rest; rest &= rest - 1)
      visit(uint32_t(__builtin_ctz(rest)));
  }
  template <class Visit> void forEachInBlock(uint32_t lane, Visit visit) const {
    const uint32_t base = lane & ~(form_.width - 1);
    forEachActive([&](uint32_t other) {
      if ((other & ~(form_.width - 1)) == base)
        visit(other);
    });
  }

  static bool bringsUndefined(const LaneShadow &lane, size_t bytes) {
    return lane.operand ||
           (lane.in && std::any_of(lane.in, lane.in + bytes, [](uint8_t bits) { return bits; }));
  }
  void read(uint32_t lane, size_t bytes, Operand &operand) const {
    const LaneShadow &shadow = lanes_[lane];
    if (!shadow.in)
      return;
    std::memcpy(operand.bits.data(), shadow.in, bytes);
    std::memcpy(operand.origins.data(), shadow.inOrigins, (bytes + 3) / 4 * sizeof(uint64_t));
  }
  void write(uint32_t lane, size_t bytes, const Operand &operand) const {
    LaneShadow &shadow = lanes_[lane];
    if (!shadow.out)
      return;
    const size_t known = std::min(bytes, kMostBytes);
    std::memcpy(shadow.out, operand.bits.data(), known);
    std::memset(shadow.out + known, 0, bytes - known);
    std::memcpy(shadow.outOrigins, operand.origins.data(), (known + 3) / 4 * sizeof(uint64_t));
  }

  void compute(uint32_t lane, const std::vector<Operand> &in, Operand &out) const {
    const SimdOp op = form_.op;
    const uint32_t base = lane & ~(form_.width - 1);
    if (event_.site->op == SimdOp::MatrixMultiply || event_.site->op == SimdOp::MatrixMultiplyAccumulate)
      return multiply(lane, in, out, event_.site->op == SimdOp::MatrixMultiplyAccumulate);
    if (event_.site->op == SimdOp::MultiplyFragments)
      return;
    if (op == SimdOp::Ballot)
      return vote(lane, out);
    if (op >= SimdOp::Broadcast && op <= SimdOp::ShuffleAndFillDown) {
      const uint32_t inBlock = form_.width == kSimdWidth
                                   ? event_.activeMask
                                   : event_.activeMask >> base & ((1u << form_.width) - 1);
      const uint32_t from = sourceLane(op, form_.width, lane - base, event_.operand[lane], inBlock);
      const bool fills = from != kOwnLane && from & kFillLane;
      const uint32_t source = from == kOwnLane ? lane : base + (from & (form_.width - 1));
      if (event_.activeMask >> source & 1)
        out.copy(0, in[source], fills ? bytes_ : 0, bytes_);
      return;
    }
    const bool before = op >= SimdOp::PrefixInclusiveSum && op <= SimdOp::PrefixExclusiveProduct;
    const bool exclusive = op == SimdOp::PrefixExclusiveSum || op == SimdOp::PrefixExclusiveProduct;
    for (size_t element = 0; element < bytes_; element += element_)
      if (op == SimdOp::And || op == SimdOp::Or || op == SimdOp::Xor)
        combine(lane, in, element, out);
      else if (op != SimdOp::ActiveMask)
        forEachInBlock(lane, [&](uint32_t other) {
          if (!before || other < lane || (other == lane && !exclusive))
            out.spread(element, in[other], element, element_);
        });
  }

  // A bit is defined if no lane's is undefined, or if a lane decides it: a 0 for `and`, a 1 for `or`.
  void combine(uint32_t lane, const std::vector<Operand> &in, size_t element, Operand &out) const {
    for (size_t byte = element; byte < element + element_; ++byte) {
      uint8_t undefined = 0, decided = 0;
      forEachInBlock(lane, [&](uint32_t other) {
        const uint8_t shadow = in[other].bits[byte];
        const uint8_t value = static_cast<const uint8_t *>(event_.in[other])[byte];
        undefined |= shadow;
        if (form_.op != SimdOp::Xor)
          decided |= uint8_t((form_.op == SimdOp::And ? ~value : value) & ~shadow);
        if (shadow)
          out.origins[byte / 4] = in[other].origins[byte / 4];
      });
      out.bits[byte] = uint8_t(undefined & ~decided);
    }
  }

  void vote(uint32_t lane, Operand &out) const {
    uint64_t mask = 0;
    forEachInBlock(lane, [&](uint32_t other) {
      if (!lanes_[other].operand)
        return;
      mask |= uint64_t(1) << (other & (form_.width - 1));
      out.origins.fill(lanes_[other].operandOrigin);
    });
    std::memcpy(out.bits.data(), &mask, sizeof mask);
  }

  void multiply(uint32_t lane, const std::vector<Operand> &in, Operand &out, bool adds) const {
    const size_t side = bytes_; // one operand of a lane: two elements
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t row = laneRow(lane), column = laneColumn(lane) + i;
      const size_t to = i * element_;
      forEachActive([&](uint32_t other) {
        for (uint32_t j = 0; j < 2; ++j) {
          if (laneRow(other) == row)
            out.spread(to, in[other], j * element_, element_);
          if (laneColumn(other) + j == column)
            out.spread(to, in[other], side + j * element_, element_);
        }
      });
      if (adds)
        out.spread(to, in[lane], 2 * side + to, element_);
    }
  }

  const SimdEvent &event_;
  LaneShadow *const lanes_;
  const SimdForm form_;
  const size_t element_, bytes_;
};

} // namespace

void moveShadows(const SimdEvent &event, LaneShadow *lanes) {
  bool any = false;
  for (uint32_t rest = event.activeMask; rest && !any; rest &= rest - 1)
    any = lanes[__builtin_ctz(rest)].out;
  if (any)
    Mover(event, lanes).run();
}

} // namespace assay::validation
