// The entries that compiled code writes and the runtime reads.
#include "support/abi/access_log_abi.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace assay {
namespace {

// The event log compares two entries by their second words.
TEST(AccessLogAbi, AnEntryIsItsAddressAndAWordOfTheRest) {
  EXPECT_EQ(sizeof(KeptAccess), 16u);
  EXPECT_EQ(offsetof(KeptAccess, address), 0u);
  EXPECT_EQ(offsetof(KeptAccess, site), 8u);
}

TEST(AccessLogAbi, AnEntryHasRoomForEveryThread) {
  KeptAccess entry{};
  entry.thread = kMaxThreadsPerThreadgroup - 1;
  EXPECT_EQ(entry.thread, kMaxThreadsPerThreadgroup - 1);
}

} // namespace
} // namespace assay
