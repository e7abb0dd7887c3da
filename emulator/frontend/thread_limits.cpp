#include "frontend/thread_limits.h"

#include "frontend/annotations.h"
#include "support/abi/limits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

constexpr const char *kMost = "max_total_threads_per_threadgroup",
                     *kRequired = "required_threads_per_threadgroup";

void error(ASTContext &context, const AnnotateAttr *attr, const std::string &text) {
  DiagnosticsEngine &diagnostics = context.getDiagnostics();
  diagnostics.Report(attr->getLocation(), diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
      << text;
}

// Reports another number of arguments.
bool hasArguments(ASTContext &context, const AnnotateAttr *attr, const char *name, unsigned most) {
  const unsigned given = attr->args_size();
  if (given >= 1 && given <= most)
    return true;
  error(context, attr,
        fmt::format("{} has {} arguments, must have {}", name, given,
                    most == 1 ? std::string("1") : fmt::format("1 to {}", most)));
  return false;
}

bool isInRange(int64_t threads) {
  return threads >= 1 && threads <= kMaxThreadsPerThreadgroup;
}

void readRequired(ASTContext &context, const AnnotateAttr *attr, KernelInfo &info) {
  if (!hasArguments(context, attr, kRequired, 3))
    return;
  uint64_t threads = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const bool given = annotationArgument(attr, i);
    const auto n = given ? annotationInteger(context, attr, i) : std::optional<int64_t>(1);
    if (!n)
      return; // of a template that is not instantiated
    if (!isInRange(*n))
      return error(context, attr,
                   fmt::format("{} is {} along {}, must be 1 to {}", kRequired, *n, "xyz"[i],
                               kMaxThreadsPerThreadgroup));
    threads *= uint64_t(*n);
    info.requiredThreads.push_back(uint32_t(*n));
  }
  const uint64_t most = info.maxTotalThreads ? info.maxTotalThreads : kMaxThreadsPerThreadgroup;
  if (threads > most)
    error(context, attr,
          fmt::format("{} asks for {} threads, a threadgroup has at most {}", kRequired, threads, most));
}

} // namespace

void readThreadLimits(ASTContext &context, const FunctionDecl &kernel, KernelInfo &info) {
  if (const AnnotateAttr *attr = annotation(&kernel, kMost); attr && hasArguments(context, attr, kMost, 1))
    if (const auto n = annotationInteger(context, attr, 0)) {
      if (!isInRange(*n))
        error(context, attr, fmt::format("{} is {}, must be 1 to {}", kMost, *n, kMaxThreadsPerThreadgroup));
      info.maxTotalThreads = uint32_t(*n);
    }
  if (const AnnotateAttr *attr = annotation(&kernel, kRequired))
    readRequired(context, attr, info);
}

} // namespace assay::frontend
