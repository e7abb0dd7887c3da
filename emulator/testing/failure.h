// Errors of the library as failures of the running test, at the line that made the call.
#pragma once

#include "../support/text/result.h"

#include <gtest/gtest.h>

#include <source_location>
#include <string>
#include <utility>

namespace assay::testing {

using Where = std::source_location;

/// Ends the test, as ASSERT_* does, but from any function.
[[noreturn]] inline void failTest(const std::string &message, const Where &where) {
  GTEST_MESSAGE_AT_(where.file_name(), static_cast<int>(where.line()), message.c_str(),
                    ::testing::TestPartResult::kFatalFailure);
  // GoogleTest ends a test silently at this exception: the failure has already been reported.
  throw ::testing::AssertionException(
      ::testing::TestPartResult(::testing::TestPartResult::kFatalFailure, where.file_name(),
                                static_cast<int>(where.line()), message.c_str()));
}

template <class T> T orFail(Result<T> result, const Where &where) {
  if (!result)
    failTest(renderDiagnostics(result.error().diagnostics), where);
  return *std::move(result);
}

} // namespace assay::testing
