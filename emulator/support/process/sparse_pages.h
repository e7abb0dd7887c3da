// Large memory that costs only the pages that are touched. It is allocated and filled here, and the pages
// that may hold something other than the fill can be found.
//
// Problem.  A kernel that touches 1 MB of a buffer of 4 GB needs 1 MB. But copying the buffer, comparing it,
//           hashing it or filling it touches all of it, so each of these needs 4 GB.
// Choice.   The operating system knows which pages were written: /proc/self/pagemap has a word for each page.
//           A page of anonymous memory that is neither present nor in swap was never touched, and reads as
//           zeros. For a fill other than zero, one block of a memory file is mapped privately, again and
//           again, over the whole length. A page of this mapping that has been written is a copy, and no
//           longer a page of the file. A copy of such memory (SparseCopy) holds only the pages that differ
//           from the fill. The answer is wrong only in one direction: a page that was only read, or of which
//           nothing is known, counts as touched, and its bytes are examined.
// Exact.    Each process tests this rule once, with pages whose state is known. If the test fails, for
//           example in a sandbox without pagemap, every page counts as touched. So does every page of memory
//           that was not allocated here, because an absent page may belong to a file.
// Rejected. mincore: for it, a page in swap is absent. SEEK_DATA on a memory file for each buffer: each needs
//           a descriptor, and a shared mapping changes the effect of fork. Pages that fault on the first
//           write (mprotect, userfaultfd): kernels would run at another speed, and Assay's own handler of
//           SIGSEGV has other work.
// Limit.    If the system uses huge pages everywhere, touched memory counts in units of 2 MiB.
// source: https://docs.kernel.org/admin-guide/mm/pagemap.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Memory of fewer bytes is filled, copied and compared as a whole.
inline constexpr size_t kSparseBytes = size_t(16) << 20;

/// Whole pages between two inaccessible ones; each byte is `fill`. Throws std::bad_alloc.
std::shared_ptr<std::byte> allocatePages(size_t length, uint8_t fill = 0);

/// Sets each byte to `byte`. If the memory is all of what allocatePages has made, its pages are given back.
void fillMemory(std::byte *begin, size_t length, uint8_t byte);

struct ByteRange {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange &) const = default;
};

/// The same bytes, in order and apart from each other.
std::vector<ByteRange> joined(std::vector<ByteRange> ranges);

/// Parts of a memory, by offsets: in order, apart from each other. Every byte outside of them is `fill`.
struct TouchedMemory {
  uint8_t fill = 0;
  std::vector<ByteRange> ranges;
  uint64_t bytes() const;
};
/// To be called while nobody writes to the memory.
TouchedMemory touchedMemory(const void *begin, uint64_t length);

/// Bytes of which only touched pages cost memory. Copies share them.
class PagedBytes {
public:
  PagedBytes() = default;
  /// Throws std::bad_alloc.
  PagedBytes(uint64_t length, uint8_t fill) : bytes_(allocatePages(length, fill)), length_(length) {}
  uint64_t size() const { return length_; }
  char *data() { return reinterpret_cast<char *>(bytes_.get()); }
  std::string_view text() const { return {reinterpret_cast<const char *>(bytes_.get()), length_}; }
  /// Copies into memory of this size. If allocatePages has made it, pages that are untouched here become so.
  void copyInto(void *memory) const;

private:
  std::shared_ptr<std::byte> bytes_;
  uint64_t length_ = 0;
};

/// hashBytes of the memory, without reading pages that nobody has touched.
std::string hashMemory(const void *begin, uint64_t length);

/// The contents of a memory at one time.
class SparseCopy {
public:
  SparseCopy() = default;
  SparseCopy(const void *begin, uint64_t length);

  uint64_t size() const { return length_; }
  uint64_t heldBytes() const;
  /// Pages that nobody has touched, now or then, stay so.
  ///   memory   of size() bytes
  void restore(void *memory) const;
  void read(uint64_t offset, void *to, uint64_t bytes) const;
  uint8_t at(uint64_t offset) const;
  /// In order, apart from each other; outside of them both copies have the same bytes. Ranges begin and end
  /// at multiples of 4096, or at the end. Both copies are of one size.
  std::vector<ByteRange> mayDiffer(const SparseCopy &other) const;
  /// The first byte that differs.
  std::optional<uint64_t> firstDifference(const SparseCopy &other) const;

private:
  struct Part {
    uint64_t begin;
    std::string bytes;
    uint64_t end() const { return begin + bytes.size(); }
  };
  uint64_t length_ = 0;
  uint8_t fill_ = 0;
  std::vector<Part> parts_; ///< in order
};

} // namespace assay
