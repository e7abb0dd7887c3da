// The text of the failure that a statement makes, so that a test can be about failing.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::testing {

/// Runs it; gives the message of its first failure, empty if it has none.
/// What ends a test ends only the statement.
template <class Statement> std::string failureOf(Statement statement) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    try {
      statement();
    } catch (const ::testing::AssertionException &) {
    }
  }
  return results.size() ? results.GetTestPartResult(0).message() : "";
}

} // namespace assay::testing
