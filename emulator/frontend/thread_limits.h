// How many threads a kernel's threadgroups may have: [[max_total_threads_per_threadgroup(n)]] and
// [[required_threads_per_threadgroup(x, y, z)]], where y and z that are not given are 1.
//   source  MSL specification, sections 5.1.3 and 5.1.4
#pragma once

#include "support/abi/module_info.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace assay::frontend {

/// Fills in maxTotalThreads and requiredThreads. Numbers out of range, and more required threads than a
/// threadgroup may have, are errors of Clang's diagnostics at the attribute.
void readThreadLimits(clang::ASTContext &context, const clang::FunctionDecl &kernel, KernelInfo &info);

} // namespace assay::frontend
