// See lane_runs.h.
#include "lane_runs.h"

#include <llvm/IR/Constants.h>

#include <algorithm>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

constexpr unsigned kDeepest = 12, kMostSteps = 64;

bool allZero(const Distances &distances) {
  return all_of(distances, [](int64_t d) { return d == 0; });
}

// One search, for runs of one length.
class Search {
public:
  Search(const LaneShapes &shapes, unsigned length) : shapes_(shapes), length_(length) {}

  // From the first lane of each run, in the arithmetic of the value's type.
  std::optional<Distances> of(const Value &value, unsigned depth = 0) {
    const Shape &shape = shapes_.of(value);
    if (shape.kind == ShapeKind::Uniform)
      return Distances{};
    if (shape.kind == ShapeKind::Affine) {
      if (shape.conditional)
        return std::nullopt;
      const unsigned bits = value.getType()->isPointerTy() ? 64 : value.getType()->getIntegerBitWidth();
      return made([&](unsigned lane) {
        return SignExtend64(uint64_t(shape.distances[lane] - shape.distances[lane / length_ * length_]),
                            bits);
      });
    }
    const auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction || depth == kDeepest || between.size() == kMostSteps || value.getType()->isVectorTy())
      return std::nullopt;
    between.push_back(instruction);
    if (const auto *address = dyn_cast<GetElementPtrInst>(instruction))
      return ofAddress(*address, depth + 1);
    if (isa<ZExtInst, SExtInst>(instruction))
      return ofExtension(*instruction, depth + 1);
    if (isa<PtrToIntInst>(instruction) && instruction->getType()->isIntegerTy(64) &&
        !shapes_.variableOf(*instruction->getOperand(0)))
      return of(*instruction->getOperand(0), depth + 1);
    const auto *operation = dyn_cast<BinaryOperator>(instruction);
    if (!operation || !operation->getType()->isIntegerTy() || operation->isIntDivRem())
      return std::nullopt;
    const auto left = of(*operation->getOperand(0), depth + 1),
               right = of(*operation->getOperand(1), depth + 1);
    if (!left || !right)
      return std::nullopt;
    const unsigned bits = operation->getType()->getIntegerBitWidth();
    const auto *number = dyn_cast<ConstantInt>(operation->getOperand(1));
    const auto each = [&](auto change) {
      return made([&](unsigned lane) { return SignExtend64(uint64_t(change(lane)), std::min(bits, 64u)); });
    };
    if (bits <= 64 && (operation->getOpcode() == Instruction::Add || isDisjointOr(*operation)))
      return each([&](unsigned lane) { return (*left)[lane] + (*right)[lane]; });
    if (bits <= 64 && operation->getOpcode() == Instruction::Sub)
      return each([&](unsigned lane) { return (*left)[lane] - (*right)[lane]; });
    if (bits <= 32 && number && operation->getOpcode() == Instruction::Mul)
      return each([&](unsigned lane) { return (*left)[lane] * number->getSExtValue(); });
    if (bits <= 32 && number && operation->getOpcode() == Instruction::Shl && number->getZExtValue() < bits)
      return each([&](unsigned lane) { return int64_t(uint64_t((*left)[lane]) << number->getZExtValue()); });
    // Of operands that are the same in a run the result is the same.
    return allZero(*left) && allZero(*right) ? std::optional(Distances{}) : std::nullopt;
  }

  RunExtension extension;
  SmallVector<const Instruction *> between;

private:
  template <class F> Distances made(F change) {
    Distances distances;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      distances[lane] = change(lane);
    return distances;
  }

  std::optional<Distances> ofAddress(const GetElementPtrInst &address, unsigned depth) {
    const std::optional<AddressTerms> terms = termsOf(address);
    std::optional<Distances> sum = terms ? of(*address.getPointerOperand(), depth) : std::nullopt;
    if (!sum)
      return std::nullopt;
    for (const auto &[index, scale] : terms->scaled) {
      const std::optional<Distances> distances = of(*index, depth);
      if (!distances ||
          (!allZero(*distances) && (!index->getType()->isIntegerTy(64) || scale.getActiveBits() > 31)))
        return std::nullopt;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        (*sum)[lane] += (*distances)[lane] * int64_t(scale.getZExtValue());
    }
    return sum;
  }

  std::optional<Distances> ofExtension(const Instruction &instruction, unsigned depth) {
    const std::optional<Distances> distances = of(*instruction.getOperand(0), depth);
    if (!distances || allZero(*distances))
      return distances;
    const unsigned bits = instruction.getOperand(0)->getType()->getIntegerBitWidth();
    if (bits < 32 || bits > 64 || (extension.instruction && extension.instruction != &instruction))
      return std::nullopt;
    extension = {&instruction, *distances};
    return distances;
  }

  const LaneShapes &shapes_;
  const unsigned length_;
};

} // namespace

std::optional<RunDistances> distancesInRuns(const LaneShapes &shapes, const Value &value, unsigned length) {
  if (!shapes.isVarying(value))
    return std::nullopt;
  Search search(shapes, length);
  const std::optional<Distances> distances = search.of(value);
  if (!distances)
    return std::nullopt;
  return RunDistances{length, *distances, search.extension, std::move(search.between)};
}

std::optional<LaneRuns> runsOf(const LaneShapes &shapes, const Value &pointer, unsigned bytes) {
  for (const unsigned length : kRunLengths) {
    const std::optional<RunDistances> found = distancesInRuns(shapes, pointer, length);
    if (!found)
      continue;
    if (allZero(found->distances))
      return LaneRuns{length, true};
    bool consecutive = true;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      consecutive &= found->distances[lane] == int64_t(lane % length * bytes);
    if (consecutive)
      return LaneRuns{length, false, found->extension};
  }
  return std::nullopt;
}

} // namespace assay::lowering::vector
