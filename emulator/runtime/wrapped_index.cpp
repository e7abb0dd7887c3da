// See wrapped_index.h.
#include "runtime/wrapped_index.h"

#include <fmt/format.h>
#include <vector>

namespace assay::runtime {
namespace {

struct Number {
  uint64_t pattern = 0; ///< what the kernel has, the bits above its width are 0
  uint32_t bits = 0;
  __int128 asSigned = 0, asUnsigned = 0; ///< without a limit, from operands read in one of two ways
};

uint64_t lowBits(uint64_t value, uint32_t bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

int64_t signedValue(uint64_t pattern, uint32_t bits) {
  const uint32_t rest = 64 - bits;
  return int64_t(pattern << rest) >> rest;
}

// False if 128 bits are too few.
bool apply(IndexOp op, __int128 a, __int128 b, __int128 &result) {
  switch (op) {
  case IndexOp::Add: return !__builtin_add_overflow(a, b, &result);
  case IndexOp::Subtract: return !__builtin_sub_overflow(a, b, &result);
  default: return !__builtin_mul_overflow(a, b, &result);
  }
}

uint64_t applyWrapping(IndexOp op, uint64_t a, uint64_t b) {
  return op == IndexOp::Add ? a + b : op == IndexOp::Subtract ? a - b : a * b;
}

} // namespace

std::optional<WrappedIndex> wrappedIndex(std::span<const IndexStep> steps,
                                         std::span<const uint64_t> operands) {
  std::vector<Number> stack;
  size_t next = 0;
  for (const IndexStep &step : steps) {
    switch (step.op) {
    case IndexOp::Operand: {
      if (next == operands.size())
        return std::nullopt;
      const uint64_t pattern = lowBits(operands[next++], step.bits);
      stack.push_back({pattern, step.bits, signedValue(pattern, step.bits), pattern});
      break;
    }
    case IndexOp::Constant:
      stack.push_back({lowBits(uint64_t(step.value), step.bits), step.bits, step.value, step.value});
      break;
    case IndexOp::Add:
    case IndexOp::Subtract:
    case IndexOp::Multiply: {
      if (stack.size() < 2)
        return std::nullopt;
      const Number b = stack.back();
      stack.pop_back();
      Number &a = stack.back();
      if (!apply(step.op, a.asSigned, b.asSigned, a.asSigned) ||
          !apply(step.op, a.asUnsigned, b.asUnsigned, a.asUnsigned))
        return std::nullopt;
      a.pattern = lowBits(applyWrapping(step.op, a.pattern, b.pattern), step.bits);
      break;
    }
    case IndexOp::Truncate:
      if (stack.empty())
        return std::nullopt;
      stack.back().pattern = lowBits(stack.back().pattern, step.bits);
      stack.back().bits = step.bits;
      break;
    case IndexOp::ZeroExtend:
    case IndexOp::SignExtend: {
      if (stack.empty())
        return std::nullopt;
      Number &top = stack.back();
      const bool isSigned = step.op == IndexOp::SignExtend;
      const __int128 used = isSigned ? __int128(signedValue(top.pattern, top.bits)) : __int128(top.pattern);
      if (top.asSigned != used && top.asUnsigned != used)
        return WrappedIndex{top.bits, isSigned ? top.asSigned : top.asUnsigned, used};
      top = {lowBits(uint64_t(used), step.bits), step.bits, used, used};
      break;
    }
    }
  }
  return std::nullopt;
}

std::string WrappedIndex::text() const {
  return fmt::format("its index wrapped in {} bits, from {} to {}", bits, whole, used);
}

std::string WrappedIndex::remedy() const {
  if (whole < 0 && used >= 0)
    return fmt::format("the index would be negative: check for that before the access");
  return fmt::format("compute the index in 64 bits: make its first operand ulong, long or size_t");
}

} // namespace assay::runtime
