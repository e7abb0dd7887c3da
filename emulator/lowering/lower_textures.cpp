#include "lower_textures.h"

#include "primitives.h"
#include "sites.h"
#include "source_place.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// A handle is the slot + 1; a computed one has no name at compile time.
void nameTexture(SiteInfo &site, const Value *handle, const KernelInfo &kernel) {
  const auto *constant = dyn_cast<ConstantInt>(handle);
  if (!constant)
    return;
  site.slot = uint32_t(constant->getZExtValue() - 1);
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Texture && site.slot - argument.index < argument.count)
      site.memoryName = argument.name;
}

uint32_t siteOf(Lowering &state, const CallBase &call, Primitive primitive) {
  if (!state.options.boundsChecks)
    return kUncheckedSite;
  SiteInfo site;
  site.kind = SiteKind::Access;
  site.where = placeOf(call);
  site.access = primitive == Primitive::TextureWrite    ? AccessKind::Write
                : primitive == Primitive::TextureAtomic ? AccessKind::Atomic
                                                        : AccessKind::Read;
  site.memory = MemoryKind::Texture;
  nameTexture(site, call.getArgOperand(0), state.kernel);
  return addSite(state, std::move(site));
}

StringRef runtimeName(Primitive primitive) {
  switch (primitive) {
  case Primitive::TextureRead: return "assay_rt_texture_read";
  case Primitive::TextureWrite: return "assay_rt_texture_write";
  case Primitive::TextureSample: return "assay_rt_texture_sample";
  case Primitive::TextureAtomic: return "assay_rt_texture_atomic";
  default: return "assay_rt_texture_query";
  }
}

} // namespace

void lowerTextures(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    const bool query = primitive == Primitive::TextureQuery;
    if (!query && primitive != Primitive::TextureRead && primitive != Primitive::TextureWrite &&
        primitive != Primitive::TextureSample && primitive != Primitive::TextureAtomic)
      continue;
    auto &call = cast<CallBase>(instruction);
    IRBuilder<> b(&call);
    SmallVector<Value *> arguments{state.lane()};
    if (!query)
      arguments.push_back(b.getInt32(siteOf(state, call, *primitive)));
    append_range(arguments, call.args());
    CallInst *lowered = b.CreateCall(runtimeFunction(*state.module, runtimeName(*primitive)), arguments);
    if (!query)
      lowered->addFnAttr(Attribute::NoMerge);
    call.replaceAllUsesWith(lowered);
    call.eraseFromParent();
  }
}

} // namespace assay::lowering
