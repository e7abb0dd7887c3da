#include "host/device.h"
#include "support/process/sanitizers.h"

#include <gtest/gtest.h>

#include <csignal>

namespace assay {

TEST(Buffer, IsZeroedAndPageAligned) {
  const Buffer buffer = Device::systemDefault().newBuffer(10000);
  EXPECT_EQ(buffer.length(), 10000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.contents()) % 4096, 0u);
  for (uint8_t byte : buffer.as<uint8_t>())
    ASSERT_EQ(byte, 0);
}

TEST(Buffer, HoldsACopyOfTheBytes) {
  int numbers[3] = {1, 2, 3};
  Buffer buffer = Device::systemDefault().newBuffer(numbers, sizeof numbers);
  numbers[1] = 0;
  EXPECT_EQ(buffer.as<int>()[1], 2);
}

TEST(Buffer, SharesItsMemoryWithItsCopies) {
  Buffer buffer = Device::systemDefault().newBuffer(4);
  Buffer copy = buffer;
  copy.as<int>()[0] = 7;
  EXPECT_EQ(buffer.as<int>()[0], 7);
}

TEST(Buffer, FillsAndPoisons) {
  Buffer buffer = Device::systemDefault().newBuffer(6);
  buffer.poison();
  EXPECT_EQ(buffer.as<uint8_t>()[5], 0xA5);
  buffer.fillElements<uint32_t>(1); // leaves the rest that is smaller than an element
  EXPECT_EQ(buffer.as<uint32_t>().size(), 1u);
  EXPECT_EQ(buffer.as<uint8_t>()[4], 0xA5);
  buffer.fill(3);
  EXPECT_EQ(buffer.as<uint8_t>()[5], 3);
}

TEST(Buffer, MayBeEmpty) {
  const Buffer buffer = Device::systemDefault().newBuffer(0);
  EXPECT_EQ(buffer.length(), 0u);
  EXPECT_TRUE(buffer.as<int>().empty());
  Buffer none;
  none.poison();
  EXPECT_EQ(none.contents(), nullptr);
}

// Sanitizers take the signal and say its name.
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
#define EXPECT_SEGMENTATION_FAULT(statement) EXPECT_DEATH(statement, "SEGV")
#else
#define EXPECT_SEGMENTATION_FAULT(statement) EXPECT_EXIT(statement, testing::KilledBySignal(SIGSEGV), "")
#endif

TEST(BufferDeathTest, LiesBetweenPagesThatCannotBeTouched) {
  Buffer buffer = Device::systemDefault().newBuffer(4096);
  volatile uint8_t *bytes = static_cast<uint8_t *>(buffer.contents());
  EXPECT_SEGMENTATION_FAULT(bytes[4096] = 1);
  EXPECT_SEGMENTATION_FAULT(bytes[-1] = 1);
}

} // namespace assay
