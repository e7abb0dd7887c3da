// The table of the places where the entry calls the runtime, as it is built.
#include "sites.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DerivedTypes.h>

namespace assay::lowering {

uint32_t addSite(Lowering &state, SiteInfo site) {
  state.info.sites.push_back(std::move(site));
  return static_cast<uint32_t>(state.info.sites.size() - 1);
}

llvm::FunctionCallee runtimeFunction(llvm::Module &module, llvm::StringRef name) {
  using namespace llvm;
  LLVMContext &context = module.getContext();
  Type *none = Type::getVoidTy(context), *pointer = PointerType::get(context, 0),
       *word = Type::getInt32Ty(context), *address = Type::getInt64Ty(context);
  FunctionType *type =
      StringSwitch<FunctionType *>(name)
          .Case("assay_rt_threadgroup_barrier", FunctionType::get(none, {pointer, word, word}, false))
          .Case("assay_rt_simd_op", FunctionType::get(none, {pointer, word, pointer, pointer, word}, false))
          .Case("assay_rt_spin", FunctionType::get(none, {pointer, word}, false))
          .Cases("assay_rt_log", "assay_rt_assertion_failed", "assay_rt_probe",
                 FunctionType::get(none, {pointer, word, pointer}, false))
          .Cases("assay_rt_texture_read", "assay_rt_texture_write", "assay_rt_texture_atomic",
                 FunctionType::get(none, {pointer, word, address, pointer, pointer}, false))
          .Case("assay_rt_texture_sample",
                FunctionType::get(none, {pointer, word, address, address, pointer, pointer}, false))
          .Case("assay_rt_texture_query", FunctionType::get(word, {pointer, address, word, word}, false))
          .Default(FunctionType::get(none, {pointer, word, address, address}, false));
  FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (name == "assay_rt_out_of_bounds") {
    function->setDoesNotReturn();
    function->addFnAttr(Attribute::Cold);
  }
  // A check accesses no memory of the kernel; it may end the kernel, so it stays where it is.
  if (name == "assay_rt_check_access" || name == "assay_rt_no_function")
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  if (name == "assay_rt_log" || name == "assay_rt_assertion_failed")
    function->setMemoryEffects(MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly());
  if (name == "assay_rt_probe") { // see primitives.cpp
    function->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref) |
                               MemoryEffects::inaccessibleMemOnly());
    function->addFnAttr(Attribute::WillReturn);
    function->addParamAttr(2, Attribute::NoCapture);
  }
  if (name == "assay_rt_texture_query") { // what is bound stays so while a lane runs
    function->setDoesNotAccessMemory();
    function->addFnAttr(Attribute::WillReturn);
  } else if (name.starts_with("assay_rt_texture_")) {
    function->setMemoryEffects(MemoryEffects::argMemOnly() | MemoryEffects::inaccessibleMemOnly());
  }
  return callee;
}

} // namespace assay::lowering
