// Rows of lanes (lane_runs.h): their bounds checks, and accesses without gathers. See vectorize.h.
#include "vectorizer.h"

#include "lane_runs.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <numeric>

namespace assay::lowering::vector {

using namespace llvm;

// Whether no lane of a run has wrapped; null if it is not known how to compute it with scalars.
Value *Vectorizer::runsExtendEvenly(const RunExtension &extension, unsigned length) {
  Value *all = b_.getTrue();
  for (unsigned first = 0; first < kLanes && extension.instruction; first += length) {
    const auto [low, high] =
        std::minmax_element(&extension.distances[first], &extension.distances[first] + length);
    Value *start = values_.at(*extension.instruction->getOperand(0), first);
    if (!start)
      return nullptr;
    all = b_.CreateAnd(all, values_.extendsEvenly(*extension.instruction, start, *low, *high));
  }
  return all;
}

// With all lanes: for each run of them (lane_runs.h), as quickCheck does it for all.
Vectorizer::QuickCheck Vectorizer::quickCheckOfRuns(const Value &offset, const Value &limit) {
  std::optional<RunDistances> runs;
  for (const unsigned length : kRunLengths)
    if (together_ && !runs)
      runs = distancesInRuns(shapes_, offset, length);
  if (!runs)
    return {};
  Value *even = runsExtendEvenly(runs->extension, runs->length);
  if (!even)
    return {};
  Value *hold = b_.CreateAnd(b_.CreateAndReduce(mask_), even), *fine = hold;
  for (unsigned first = 0; first < kLanes; first += runs->length) {
    const auto [low, high] =
        std::minmax_element(&runs->distances[first], &runs->distances[first] + runs->length);
    Value *start = values_.at(offset, first);
    if (!start)
      return {};
    Value *lowest = b_.CreateAdd(start, b_.getInt64(uint64_t(*low)));
    const uint64_t span = uint64_t(*high) - uint64_t(*low);
    fine = b_.CreateAnd(
        fine, b_.CreateICmpULT(lowest, b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, values_.scalar(limit),
                                                                b_.getInt64(span))));
  }
  return {fine, hold, runs->extension.instruction, runs->length};
}

// Where each run of lanes begins, and whether all lanes are in the mask and lie in their runs.
Vectorizer::RunPlaces Vectorizer::runPlaces(const Value &pointer, int64_t offset, const LaneRuns &runs) {
  const auto placeAt = [&](unsigned lane) {
    Value *place = values_.at(pointer, lane);
    return farther(place ? place : b_.CreateExtractElement(values_.lane(pointer), lane), offset);
  };
  RunPlaces made{runsHold(runs)};
  for (unsigned first = 0; first < kLanes; first += runs.length)
    made.firsts.push_back(placeAt(first));
  return made;
}

// What the check before has found is not asked again.
Value *Vectorizer::runsHold(const LaneRuns &runs) {
  const RunExtension &extension = runs.extension;
  if (const auto checked = checkedRuns_[isFull_].find(blocks_[index_]);
      extension.instruction && checked != checkedRuns_[isFull_].end() &&
      checked->second.extension == extension.instruction && checked->second.length == runs.length)
    return b_.CreateLoad(b_.getInt1Ty(), checked->second.hold);
  Value *even = runsExtendEvenly(extension, runs.length);
  return even ? b_.CreateAnd(b_.CreateAndReduce(mask_), even) : b_.getFalse();
}

// With all lanes, one access for each run of them.
Components Vectorizer::loadRuns(const Value &pointer, int64_t offset, const LaneRuns &runs, Type *type) {
  const RunPlaces places = runPlaces(pointer, offset, runs);
  const auto inPieces = [&]() -> Components {
    SmallVector<Value *> loaded;
    for (Value *first : places.firsts)
      loaded.push_back(runs.same
                           ? b_.CreateVectorSplat(runs.length, b_.CreateAlignedLoad(type, first, kAnyAlign))
                           : b_.CreateAlignedLoad(FixedVectorType::get(type, runs.length), first, kAnyAlign));
    return {concatenateVectors(b_, loaded)};
  };
  return eitherWay(places.hold, inPieces,
                   [&] { return gathered(farther(values_.lane(pointer), offset), 1, type); });
}

// The same. Runs may lie over one another: the last lane wins.
void Vectorizer::storeRuns(const Value &pointer, const LaneRuns &runs, Value *value) {
  const RunPlaces places = runPlaces(pointer, 0, runs);
  const auto inPieces = [&] {
    for (unsigned i = 0; i < places.firsts.size(); ++i) {
      SmallVector<int, kLanes> lanes(runs.length);
      std::iota(lanes.begin(), lanes.end(), int(i * runs.length));
      b_.CreateAlignedStore(b_.CreateShuffleVector(value, lanes), places.firsts[i], kAnyAlign);
    }
    return Components();
  };
  eitherWay(places.hold, inPieces, [&] {
    scattered(values_.lane(pointer), value);
    return Components();
  });
}

} // namespace assay::lowering::vector
