// Alias analysis by Metal address space.
#include "address_space_aa.h"

#include "support/abi/module_info.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {
namespace {

enum class Memory { Any, Lane, Threadgroup, Device, Constant };

Memory memoryOf(const llvm::Value *pointer) {
  const llvm::Value *object = pointer;
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == kIrThread) {
    object = llvm::getUnderlyingObject(pointer);
    space = object->getType()->getPointerAddressSpace();
  }
  switch (space) {
  case kIrThreadgroup: return Memory::Threadgroup;
  case kIrDevice: return Memory::Device;
  case kIrConstant: return Memory::Constant;
  default:
    // The one argument of a kernel's entry is the lane's own state.
    return llvm::isa<llvm::AllocaInst>(object) ? Memory::Lane : Memory::Any;
  }
}

} // namespace

llvm::AnalysisKey AddressSpaceAA::Key;

llvm::AliasResult AddressSpaceAAResult::alias(const llvm::MemoryLocation &a, const llvm::MemoryLocation &b,
                                              llvm::AAQueryInfo &query, const llvm::Instruction *context) {
  const Memory first = memoryOf(a.Ptr), second = memoryOf(b.Ptr);
  if (first != second && first != Memory::Any && second != Memory::Any)
    return llvm::AliasResult::NoAlias;
  return AAResultBase::alias(a, b, query, context);
}

llvm::ModRefInfo AddressSpaceAAResult::getModRefInfoMask(const llvm::MemoryLocation &location,
                                                         llvm::AAQueryInfo &query, bool ignoreLocals) {
  if (memoryOf(location.Ptr) == Memory::Constant)
    return llvm::ModRefInfo::NoModRef;
  return AAResultBase::getModRefInfoMask(location, query, ignoreLocals);
}

} // namespace assay::lowering
