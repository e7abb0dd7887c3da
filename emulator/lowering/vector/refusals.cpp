// See refusals.h.
#include "refusals.h"

#include "values.h"

#include "lowering/atomic_order.h"
#include "lowering/fiber_entry.h"
#include "lowering/primitives.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <fmt/format.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

class Refusals {
public:
  Refusals(const LaneShapes &shapes, bool observed) : shapes_(shapes), observed_(observed) {}

  std::string of(const Instruction &instruction) const {
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      return ofCall(*call);
    if (isAtomicOperation(instruction))
      return ofAtomic(instruction);
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      return load->isVolatile() ? "volatile loads" : ofType(*load->getType());
    if (observed_ && isCounterStore(instruction) && !shapes_.isUniform(*instruction.getOperand(0)))
      return "a loop whose iterations are not counted for all lanes, under an observer";
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
      return store->isVolatile() ? "volatile stores" : ofType(*store->getValueOperand()->getType());
    if (isa<SwitchInst, IndirectBrInst, InvokeInst>(instruction))
      return "a jump with many targets";
    if (isa<PHINode>(instruction))
      return ofType(*instruction.getType());
    if (isa<GetElementPtrInst>(instruction))
      return ofAddress(cast<GetElementPtrInst>(instruction));
    if (const auto *part = dyn_cast<ExtractValueInst>(&instruction)) {
      const auto *whole = dyn_cast<WithOverflowInst>(part->getAggregateOperand());
      const bool here = whole && whole->getParent() == part->getParent();
      return shapes_.isUniform(instruction) || here || isa<AtomicCmpXchgInst>(part->getAggregateOperand())
                 ? ""
                 : "values of several types in one";
    }
    if (isa<InsertValueInst>(instruction))
      return shapes_.isUniform(instruction) ? "" : "values of several types in one";
    if (isa<IntToPtrInst>(instruction) && shapes_.of(instruction).kind != ShapeKind::Uniform)
      return ""; // pointers in memory
    return isa<FenceInst>(instruction) || instruction.isTerminator() ? "" : ofType(*instruction.getType());
  }

private:
  static std::string ofType(const Type &type) {
    return type.isAggregateType() || type.isX86_MMXTy() || isa<ScalableVectorType>(type)
               ? "values of several types in one"
               : "";
  }

  static std::string ofAddress(const GetElementPtrInst &address) {
    return address.getType()->isVectorTy() || !termsOf(address) ? "an address of an unusual form" : "";
  }

  std::string ofAtomic(const Instruction &operation) const {
    const bool store = isa<StoreInst>(operation);
    if (shapes_.variableOf(*operation.getOperand(store ? 1 : 0)))
      return "atomic operations on private memory";
    if (isa<AtomicCmpXchgInst>(operation))
      return all_of(operation.users(), [](const User *user) { return isa<ExtractValueInst>(user); })
                 ? ""
                 : "values of several types in one";
    return componentsOf(operation.getOperand(0)->getType()) == 1 && !operation.getType()->isVectorTy()
               ? ""
               : "atomic operations on vectors";
  }

  // Private variables are copied and filled element by element.
  static bool isShort(const MemIntrinsic &whole) {
    constexpr uint64_t kMostBytes = 4096;
    const auto *length = dyn_cast<ConstantInt>(whole.getLength());
    return length && length->getZExtValue() <= kMostBytes;
  }

  std::string ofCall(const CallBase &call) const {
    if (const std::optional<Primitive> primitive = primitiveOf(call))
      switch (*primitive) {
      case Primitive::BufferDevice:
      case Primitive::BufferConstant:
      case Primitive::ThreadgroupSlot:
      case Primitive::TensorRecord:
      case Primitive::Builtin:
        return all_of(call.args(), [](const Use &use) { return isa<ConstantInt>(use); })
                   ? ""
                   : "a look-up of an argument whose number varies";
      case Primitive::Publish: return "";
      default: return fmt::format("calls of {}", call.getCalledFunction()->getName().str());
      }
    if (const std::optional<RuntimeCall> runtime = runtimeCallOf(call))
      return ofRuntimeCall(call, *runtime);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
    if (!intrinsic)
      return "calls of functions";
    if (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic, AssumeInst>(intrinsic) ||
        intrinsic->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl)
      return "";
    if (const auto *set = dyn_cast<MemSetInst>(intrinsic))
      return !set->isVolatile() && (!shapes_.variableOf(*set->getDest()) || isShort(*set))
                 ? ""
                 : "filling of memory";
    if (const auto *copy = dyn_cast<MemTransferInst>(intrinsic)) {
      const bool isPrivate = shapes_.variableOf(*copy->getDest()) || shapes_.variableOf(*copy->getSource());
      return !copy->isVolatile() && (!isPrivate || isShort(*copy)) ? "" : "copying of memory";
    }
    if (!intrinsic->doesNotAccessMemory())
      return fmt::format("calls of {}", call.getCalledFunction()->getName().str());
    if (shapes_.isUniform(call) || isa<WithOverflowInst>(call))
      return "";
    const Intrinsic::ID id = intrinsic->getIntrinsicID();
    if (foldOfComponents(id))
      return "";
    if (!isTriviallyVectorizable(id) || call.getType()->isAggregateType())
      return fmt::format("calls of {}", call.getCalledFunction()->getName().str());
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (isVectorIntrinsicWithScalarOpAtArg(id, i) && !shapes_.isUniform(*call.getArgOperand(i)))
        return fmt::format("calls of {} with varying choices", call.getCalledFunction()->getName().str());
    return "";
  }

  std::string ofRuntimeCall(const CallBase &call, RuntimeCall runtime) const {
    switch (runtime) {
    case RuntimeCall::CheckAccess:
    case RuntimeCall::Refuse:
    case RuntimeCall::UnwrittenRead:
    case RuntimeCall::SimdOp:
    case RuntimeCall::ThreadgroupBarrier: return "";
    case RuntimeCall::ObserveAccess:
    case RuntimeCall::ObserveFence: return refusalOfReport(call, runtime, shapes_);
    case RuntimeCall::PointsTo: return "the question which memory a pointer in memory points to";
    default: return fmt::format("calls of {}", call.getCalledFunction()->getName().str());
    }
  }

  const LaneShapes &shapes_;
  const bool observed_;
};

} // namespace

constexpr size_t kMostInstructions = 8000; // compile time grows faster than the function

bool isFarTooLong(const Function &function) {
  return function.getInstructionCount() > 4 * kMostInstructions;
}

std::string refusalOf(const Lowering &state, Function &function, const LaneShapes &shapes) {
  if (function.getInstructionCount() > kMostInstructions)
    return kTooLong;
  if (state.polls)
    return "a loop that waits for another lane";
  const Refusals refusals(shapes, state.options.observeMemory);
  for (const Instruction &instruction : instructions(function))
    if (!shapes.doomed(*instruction.getParent()))
      if (std::string why = refusals.of(instruction); !why.empty())
        return why;
  return "";
}

} // namespace assay::lowering::vector
