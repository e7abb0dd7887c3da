// Tests whether the module after a pass obeys LLVM's rules. Debian's LLVM is built without assertions, so
// without this test an invalid module is found late or never, by a crash somewhere else.
//
// lowering/pipeline.cpp tests only in builds with ASSAY_VERIFY_IR, because a test costs about as much as the
// passes. Sanitizer builds set it.
#pragma once

#include "support/text/result.h"

#include <llvm/IR/Module.h>

#include <optional>

namespace assay::lowering {

/// errors: Kernel "internal" with the pass and the first thing that is wrong
std::optional<Error> verifyAfter(llvm::StringRef pass, const llvm::Module &module);

} // namespace assay::lowering
