// The reasons of a refusal share an argument with a count of simdgroups, so none of them may be one.
#include "support/abi/limits.h"
#include "support/abi/refusal.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {

TEST(Refusal, ReasonsDifferAndAreNoCountsOfSimdgroups) {
  std::set<uint32_t> numbers;
  for (const Refusal reason : {Refusal::AsyncCopy, Refusal::NoDepth, Refusal::AnotherLayout}) {
    const auto number = static_cast<uint32_t>(reason);
    EXPECT_TRUE(numbers.insert(number).second) << number;
    EXPECT_TRUE(number == 0 || number > kMaxThreadsPerThreadgroup) << number;
  }
}

} // namespace assay
