// See verify_ir.h.
#include "verify_ir.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>

namespace assay::lowering {

std::optional<Error> verifyAfter(llvm::StringRef pass, const llvm::Module &module) {
  std::string what;
  llvm::raw_string_ostream out(what);
  if (llvm::verifyModule(module, &out))
    return Error::kernel("internal", fmt::format("pass {} left a broken module: {}", pass.str(), out.str()),
                         {}, "this is a defect of Assay: please report it with the kernel");
  return std::nullopt;
}

} // namespace assay::lowering
