// The options between the host's API and lowering: what holds if nobody says anything.
#include "support/abi/code_options.h"

#include <gtest/gtest.h>

namespace assay {

TEST(CodeOptions, AreThoseOfAnOrdinaryPipelineAtFirst) {
  // By name, so that a new option needs a line here.
  const auto &[numerics, debug, boundsChecks, observeMemory, trackUndefined, countWork, zeroMissingConstants,
               lockstep, threadSlack, engine] = CodeOptions();
  EXPECT_EQ(engine, Engine::Auto);
  EXPECT_EQ(numerics, kAppleNumerics);
  EXPECT_FALSE(debug);
  EXPECT_TRUE(boundsChecks) << "a kernel cannot harm the process";
  EXPECT_FALSE(observeMemory);
  EXPECT_EQ(trackUndefined, TrackUndefined::No);
  EXPECT_FALSE(countWork);
  EXPECT_FALSE(zeroMissingConstants) << "a missing constant is an error unless a host wants it";
  EXPECT_FALSE(lockstep) << "Metal does not promise it";
  EXPECT_EQ(threadSlack, 0u) << "an array ends where it says";
}

} // namespace assay
