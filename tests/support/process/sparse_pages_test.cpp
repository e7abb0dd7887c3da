// Large memory: what is touched is found, and what is not is what it was filled with. Each answer is compared
// with the bytes themselves.
#include "support/files/hash.h"
#include "support/process/sparse_pages.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kLength = kSparseBytes + 5000; // no whole number of pages
constexpr uint64_t kPage = 4096;

std::string bytesOf(const std::shared_ptr<std::byte> &memory, size_t length) {
  return {reinterpret_cast<const char *>(memory.get()), length};
}

void put(const std::shared_ptr<std::byte> &memory, size_t at, uint8_t byte) {
  memory.get()[at] = std::byte(byte);
}

// A sandbox may have no pagemap: then everything counts as touched, and the other tests hold all the same.
bool pagesAreKnown() {
  return touchedMemory(allocatePages(kLength).get(), kLength).ranges.empty();
}

class SparsePages : public testing::TestWithParam<int> {
protected:
  uint8_t fill() const { return uint8_t(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Fills, SparsePages, testing::Values(0, 0xa5, 0xff));

TEST_P(SparsePages, AreFilled) {
  for (const size_t length : {size_t(0), size_t(10), kLength})
    EXPECT_EQ(bytesOf(allocatePages(length, fill()), length), std::string(length, char(fill()))) << length;
}

TEST_P(SparsePages, AreTouchedWhereTheyAreWritten) {
  if (!pagesAreKnown())
    GTEST_SKIP() << "this system does not tell which pages are touched";
  const auto memory = allocatePages(kLength, fill());
  put(memory, 3 * kPage + 17, 1);
  put(memory, 4 * kPage, 2);
  put(memory, 9 * kPage - 1, 3);
  const TouchedMemory touched = touchedMemory(memory.get(), kLength);
  EXPECT_EQ(touched.fill, fill());
  ASSERT_GE(touched.ranges.size(), 2u);
  EXPECT_EQ(touched.ranges[0], (ByteRange{3 * kPage, 5 * kPage}));
  EXPECT_EQ(touched.ranges[1], (ByteRange{8 * kPage, 9 * kPage}));
  // The last page is filled by hand if it is no whole one of the memory.
  EXPECT_LE(touched.bytes(), 4 * kPage);
}

// Every byte outside of the ranges is the fill, whatever was written, read and filled again.
TEST_P(SparsePages, AreTheirFillOutsideOfWhatIsTouched) {
  std::mt19937 random(fill());
  const auto memory = allocatePages(kLength, fill());
  for (int round = 0; round < 20; ++round) {
    if (round % 7 == 6)
      fillMemory(memory.get(), kLength, round % 2 ? fill() : uint8_t(round));
    for (int i = 0; i < 5; ++i)
      put(memory, random() % kLength, uint8_t(random()));
    volatile std::byte read = memory.get()[random() % kLength];
    (void)read;
    TouchedMemory touched = touchedMemory(memory.get(), kLength);
    touched.ranges.push_back({kLength, kLength});
    uint64_t at = 0;
    const std::string bytes = bytesOf(memory, kLength);
    for (const ByteRange &range : touched.ranges) {
      ASSERT_LE(at, range.begin);
      EXPECT_EQ(bytes.substr(at, range.begin - at), std::string(range.begin - at, char(touched.fill)));
      at = range.end;
    }
  }
}

TEST_P(SparsePages, HaveTheHashOfTheirBytes) {
  const auto memory = allocatePages(kLength, fill());
  EXPECT_EQ(hashMemory(memory.get(), kLength), hashBytes(bytesOf(memory, kLength)));
  put(memory, 100 * kPage + 1, 7);
  put(memory, kLength - 1, 8);
  EXPECT_EQ(hashMemory(memory.get(), kLength), hashBytes(bytesOf(memory, kLength)));
  EXPECT_EQ(hashMemory(memory.get(), 0), hashBytes(""));
}

TEST_P(SparsePages, AreFilledAgain) {
  const auto memory = allocatePages(kLength, fill());
  put(memory, 5, 77);
  for (const int byte : {0xa5, 0, 1, 1}) {
    fillMemory(memory.get(), kLength, uint8_t(byte));
    ASSERT_EQ(bytesOf(memory, kLength), std::string(kLength, char(byte)));
    put(memory, kLength / 2, 99);
  }
  // A part of it is filled as any memory is.
  std::string expected = bytesOf(memory, kLength);
  fillMemory(memory.get() + kPage, kSparseBytes, 3);
  std::memset(expected.data() + kPage, 3, kSparseBytes);
  EXPECT_EQ(bytesOf(memory, kLength), expected);
}

// Copies against strings: after each round the memory goes back to one of them.
TEST_P(SparsePages, CopiesAreTheMemoryOfTheirTime) {
  std::mt19937 random(fill() + 1u);
  const auto memory = allocatePages(kLength, fill());
  std::vector<std::pair<SparseCopy, std::string>> times;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 3; ++i)
      put(memory, random() % kLength, random() % 3 ? uint8_t(random()) : fill());
    if (round == 8)
      fillMemory(memory.get(), kLength, uint8_t(fill() + 1));
    times.emplace_back(SparseCopy(memory.get(), kLength), bytesOf(memory, kLength));
    const auto &[copy, bytes] = times[random() % times.size()];
    const auto &[other, otherBytes] = times.back();
    const auto differs = std::mismatch(bytes.begin(), bytes.end(), otherBytes.begin()).first;
    const std::optional<uint64_t> first = copy.firstDifference(other);
    ASSERT_EQ(first.has_value(), differs != bytes.end());
    if (first) {
      ASSERT_EQ(*first, uint64_t(differs - bytes.begin()));
      ASSERT_EQ(copy.at(*first), uint8_t(bytes[*first]));
    }
    std::string part(10000, '?');
    const size_t at = random() % (kLength - part.size());
    copy.read(at, part.data(), part.size());
    ASSERT_EQ(part, bytes.substr(at, part.size()));
    copy.restore(memory.get());
    ASSERT_EQ(bytesOf(memory, kLength), bytes);
  }
  if (pagesAreKnown()) {
    EXPECT_LT(times.front().first.heldBytes(), 6 * kPage);
  }
}

TEST(SparseCopies, TakeAnyMemory) {
  std::string bytes(3 * kPage + 10, 'x');
  std::memset(bytes.data() + kPage, 0, kPage);
  const SparseCopy before(bytes.data(), bytes.size());
  const std::string then = bytes;
  EXPECT_EQ(before.heldBytes(), bytes.size() - kPage);
  EXPECT_THAT(before.mayDiffer(SparseCopy(bytes.data(), bytes.size())),
              ElementsAre(ByteRange{0, kPage}, ByteRange{2 * kPage, 3 * kPage + 10}));
  bytes[2 * kPage] = 'y';
  bytes[kPage] = 'z';
  EXPECT_EQ(before.firstDifference(SparseCopy(bytes.data(), bytes.size())), kPage);
  before.restore(bytes.data());
  EXPECT_EQ(bytes, then);
  EXPECT_EQ(SparseCopy(nullptr, 0).size(), 0u);
  EXPECT_THAT(SparseCopy(nullptr, 0).mayDiffer(SparseCopy()), IsEmpty());
}

// A part of the memory that begins in the middle of a page.
TEST(SparseCopies, TakeAPartOfLargeMemory) {
  const auto memory = allocatePages(2 * kLength);
  put(memory, kPage + 100, 1);
  put(memory, kPage + 99, 2);
  put(memory, kLength + kPage + 99, 3);
  const SparseCopy copy(memory.get() + kPage + 100, kLength);
  std::string read(kLength, '?');
  copy.read(0, read.data(), read.size());
  EXPECT_EQ(read, bytesOf(memory, 2 * kLength).substr(kPage + 100, kLength));
  EXPECT_EQ(read[0], 1);
}

TEST(ByteRanges, AreJoinedWhereTheyMeetOrOverlap) {
  const std::vector<ByteRange> ranges{{30, 40}, {0, 10}, {10, 12}, {35, 37}, {5, 11}, {50, 60}, {39, 45}};
  EXPECT_EQ(joined(ranges), (std::vector<ByteRange>{{0, 12}, {30, 45}, {50, 60}}));
  EXPECT_EQ(joined({}), std::vector<ByteRange>());
}

TEST(PagedBytes, AreCopiedIntoMemoryOfAnyFill) {
  for (const uint64_t length : {uint64_t(1), uint64_t(5000), uint64_t(kSparseBytes) + 12345})
    for (const uint8_t fill : {uint8_t(0), uint8_t(0xa5)})
      for (const uint8_t of : {uint8_t(0), uint8_t(0xa5)}) {
        PagedBytes bytes(length, fill);
        ASSERT_EQ(bytes.text(), std::string(length, char(fill)));
        for (uint64_t at = 0; at < length; at += 1000003)
          bytes.data()[at] = char(at + 1);
        std::string copy(length, char(of));
        bytes.copyInto(copy.data());
        EXPECT_EQ(copy, bytes.text()) << length;
      }
}

TEST(PagedBytes, AreCopiedIntoPagesWithoutTouchingThem) {
  if (!pagesAreKnown())
    GTEST_SKIP() << "this system does not tell which pages are touched";
  for (const uint8_t fill : {uint8_t(0), uint8_t(0xa5)})
    for (const uint8_t of : {uint8_t(0), uint8_t(0xa5)}) {
      PagedBytes from(kLength, fill), to(kLength, of);
      from.data()[3 * kPage] = 17;
      std::memset(to.data(), 1, kLength / 2);
      from.copyInto(to.data());
      EXPECT_LE(touchedMemory(to.data(), kLength).bytes(), 3 * kPage);
      EXPECT_EQ(to.text(), from.text());
    }
}

} // namespace
} // namespace assay
