// Whether a pass left a module that obeys LLVM's rules. Debian's LLVM is built without assertions, so an
// invalid module is found late or never, as a crash somewhere else.
//
// lowering/pipeline.cpp asks only in builds with ASSAY_VERIFY_IR, which sanitizer builds set: it costs about
// as much as the passes.
#pragma once

#include "support/text/result.h"

#include <llvm/IR/Module.h>

#include <optional>

namespace assay::lowering {

/// errors: Kernel "internal" with the pass and the first thing that is wrong
std::optional<Error> verifyAfter(llvm::StringRef pass, const llvm::Module &module);

} // namespace assay::lowering
