// Kernels that wait for nobody: one call runs the simdgroups of a threadgroup, then threadgroups after it.
//
// Problem.  A call for each 32 threads costs more than they do in a kernel like saxpy, and so do the
//           built-ins that the runtime fills in for it.
// Choice.   Two loops around the program of a simdgroup. What the runtime has filled in is of the first
//           simdgroup; places of the others follow from it by adding 32 threads. The outer loop asks the
//           runtime for each threadgroup (RuntimeCall::NextThreadgroup), which knows whether there is one.
// Rejected. Positions by division in each simdgroup (three divisions of 32 bits cost as much as saxpy's
//           memory); a last simdgroup of its own, with another mask (the code twice).
#include "vectorizer.h"

#include "lowering/lane_loads.h"
#include "lowering/primitives.h"
#include "lowering/runtime_functions.h"

#include "support/abi/lane_abi.h"

#include <llvm/IR/Constants.h>

namespace assay::lowering::vector {

using namespace llvm;

// What comes before the first block of a simdgroup's program. The builder is left at its end.
void Vectorizer::emitLoops(BasicBlock *entry) {
  WholeGroups &w = whole_.emplace();
  LaneLoads loads{b_, laneArgument()};
  Type *i32 = b_.getInt32Ty();
  w.group = newBlock("threadgroup");
  w.simdgroup = newBlock("simdgroup");

  b_.SetInsertPoint(entry);
  w.call = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), laneArgument(), offsetof(LaneAbi, thread));
  w.first = b_.CreateLoad(i32, w.call, "first");
  w.end = laneField(i32, offsetof(LaneAbi, endThread));
  w.threads = laneField(i32, offsetof(LaneAbi, threadsInGroup));
  // 32 threads farther on, as a place: so many columns, rows and layers.
  Value *start[kAxes], *asked[kAxes], *origin[kAxes];
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    start[axis] = loads.builtin(Builtin::ThreadPositionInThreadgroup, axis);
    w.size[axis] = loads.builtin(Builtin::ThreadsPerThreadgroup, axis);
    asked[axis] = loads.builtin(Builtin::DispatchThreadsPerThreadgroup, axis);
  }
  const GroupShape &shape = state_.options.group;
  Value *width = b_.getInt32(kLanes);
  if (!shape.known()) {
    Value *rows = b_.CreateUDiv(width, w.size[0]);
    w.step[0] = b_.CreateURem(width, w.size[0]);
    w.step[1] = b_.CreateURem(rows, w.size[1]);
    w.step[2] = b_.CreateUDiv(rows, w.size[1]);
  }
  b_.CreateBr(w.group);

  b_.SetInsertPoint(w.group);
  Value *group = loads.group();
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    const uint64_t place =
        offsetof(GroupAbi, builtin) + (uint64_t(Builtin::ThreadgroupPositionInGrid) * 3 + axis) * 4;
    // Not one of LaneLoads': the runtime changes it.
    w.position[axis] = b_.CreateLoad(i32, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), group, place));
    origin[axis] = b_.CreateMul(w.position[axis], asked[axis]);
  }
  b_.CreateBr(w.simdgroup);

  b_.SetInsertPoint(w.simdgroup);
  w.number = b_.CreatePHI(i32, 2, "simdgroup");
  w.number->addIncoming(w.first, w.group);
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    w.local[axis] = b_.CreatePHI(i32, 2, "place");
    w.local[axis]->addIncoming(start[axis], w.group);
  }
  for (unsigned axis = 0; axis < kAxes; ++axis)
    w.inGrid[axis] = b_.CreateAdd(origin[axis], w.local[axis]);
  w.index = b_.CreateMul(w.number, width);
  if (state_.info.publishedBytes)
    b_.CreateMemSet(laneField(b_.getPtrTy(), offsetof(LaneAbi, published)), b_.getInt8(0),
                    uint64_t(kLanes) * state_.info.publishedBytes, Align(1));
}

// Threads of the simdgroup.
Value *Vectorizer::livingThreads() {
  if (!whole_)
    return laneField(b_.getInt32Ty(), offsetof(LaneAbi, lanes));
  return b_.CreateBinaryIntrinsic(Intrinsic::umin, b_.CreateSub(whole_->threads, whole_->index),
                                  b_.getInt32(kLanes));
}

// What a call of the runtime would have found in LaneAbi and GroupAbi if the simdgroup had one of its own.
Value *Vectorizer::ofWhole(Builtin which, uint32_t component) {
  if (!whole_)
    return nullptr;
  switch (which) {
  case Builtin::ThreadPositionInGrid: return whole_->inGrid[component];
  case Builtin::ThreadPositionInThreadgroup: return whole_->local[component];
  case Builtin::ThreadgroupPositionInGrid: return whole_->position[component];
  case Builtin::ThreadIndexInThreadgroup: return whole_->index;
  case Builtin::SimdgroupIndexInThreadgroup: return whole_->number;
  case Builtin::QuadgroupIndexInThreadgroup:
    return b_.CreateMul(whole_->number, b_.getInt32(kLanes / kQuadWidth));
  default: return nullptr; // the same for all of them
  }
}

// The places of the lanes in the threadgroup. The runtime gives those of the call's first simdgroup.
Value *Vectorizer::positionTable() {
  Value *table = laneField(b_.getPtrTy(), offsetof(LaneAbi, positions));
  if (!whole_)
    return table;
  Value *further = b_.CreateZExt(b_.CreateSub(whole_->number, whole_->first), b_.getInt64Ty());
  return b_.CreatePtrAdd(table, b_.CreateMul(further, b_.getInt64(kAxes * kLanes * sizeof(uint32_t))));
}

// The place of the next simdgroup: the axis that grows, and what it carries into the next one.
void Vectorizer::emitPlace(BasicBlock *from) {
  WholeGroups &w = *whole_;
  const GroupShape &shape = state_.options.group;
  Value *next[kAxes] = {w.local[0], w.local[1], w.local[2]};
  if (shape.known()) {
    // Simdgroups are rows, or tiles as wide as the threadgroup, or as wide and high: the steps divide.
    const unsigned rows = kLanes / shape.columns;
    unsigned axis = shape.columns == kLanes ? 0 : shape.rows == rows ? 1 : 2;
    Value *grown = b_.getInt32(axis == 0 ? kLanes : axis == 1 ? rows : rows / shape.rows);
    for (; axis < kAxes; ++axis) {
      Value *sum = b_.CreateAdd(w.local[axis], grown);
      Value *over = b_.CreateICmpUGE(sum, w.size[axis]);
      next[axis] = b_.CreateSelect(over, b_.getInt32(0), sum);
      grown = b_.CreateZExt(over, b_.getInt32Ty());
    }
  } else {
    Value *carry = b_.getInt32(0);
    for (unsigned axis = 0; axis < kAxes; ++axis) {
      Value *sum = b_.CreateAdd(b_.CreateAdd(w.local[axis], w.step[axis]), carry);
      Value *over = b_.CreateICmpUGE(sum, w.size[axis]);
      next[axis] = b_.CreateSelect(over, b_.CreateSub(sum, w.size[axis]), sum);
      carry = b_.CreateZExt(over, b_.getInt32Ty());
    }
  }
  for (unsigned axis = 0; axis < kAxes; ++axis)
    w.local[axis]->addIncoming(next[axis], from);
}

// At the end of a simdgroup.
void Vectorizer::emitNext() {
  WholeGroups &w = *whole_;
  BasicBlock *last = newBlock("threadgroup.end"), *done = newBlock("done");
  Value *following = b_.CreateAdd(w.number, b_.getInt32(1));
  w.number->addIncoming(following, return_);
  emitPlace(return_);
  Value *again = b_.CreateICmpULT(following, w.end);
  // For signals, which come at any time. At the end and not at the beginning: what is the same for all
  // simdgroups is then moved out of the loops, bounds checks of parameters included.
  b_.CreateStore(b_.CreateSelect(again, following, w.first), w.call, /*isVolatile=*/true);
  b_.CreateCondBr(again, w.simdgroup, last);
  b_.SetInsertPoint(last);
  Value *more =
      b_.CreateCall(runtimeFunction(*to_.getParent(), RuntimeCall::NextThreadgroup), {laneArgument()});
  b_.CreateCondBr(b_.CreateICmpNE(more, b_.getInt32(0)), w.group, done);
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
}

} // namespace assay::lowering::vector
