// See sites.h.
#include "sites.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>

namespace assay::lowering {

using namespace llvm;

static constexpr StringLiteral kSite = "assay.site";

uint32_t addSite(Lowering &state, SiteInfo site) {
  state.info.sites.push_back(std::move(site));
  return static_cast<uint32_t>(state.info.sites.size() - 1);
}

void setSite(Instruction &call, uint32_t site) {
  LLVMContext &context = call.getContext();
  auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), site));
  call.setMetadata(kSite, MDNode::get(context, {number}));
}

uint32_t siteOf(const Instruction &call) {
  const MDNode *node = call.getMetadata(kSite);
  return node ? uint32_t(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue()) : kUncheckedSite;
}

} // namespace assay::lowering
