// See sparse_pages.h.
#include "support/process/sparse_pages.h"

#include "support/files/hash.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr size_t kCopiedPage = 4096; // the unit of copies, whatever the system's pages are
constexpr size_t kBlockBytes = size_t(8) << 20;

size_t pageBytes() {
  static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t wholePages(size_t length) {
  return (length + pageBytes() - 1) / pageBytes() * pageBytes();
}

// Large memory that allocatePages has made, by its first byte.
struct Area {
  size_t length = 0;
  uint8_t fill = 0; ///< of pages that nobody has touched
};
struct Areas {
  std::mutex mutex;
  std::map<uintptr_t, Area> byBegin;
};
// Never destroyed: buffers may live longer than static objects. A fork waits for the lock, so that the child
// does not get it locked for ever.
Areas &areas() {
  static Areas *const all = [] {
    pthread_atfork([] { areas().mutex.lock(); }, [] { areas().mutex.unlock(); },
                   [] { areas().mutex.unlock(); });
    return new Areas;
  }();
  return *all;
}

// A file in memory that holds one block of a byte; -1 if there can be none.
int blockFile(uint8_t byte) {
  static std::mutex mutex;
  static std::array<std::optional<int>, 256> files;
  const std::lock_guard lock(mutex);
  if (files[byte])
    return *files[byte];
  files[byte] = -1;
  const int file = memfd_create("assay-fill", MFD_CLOEXEC);
  if (file < 0)
    return -1;
  const std::string bytes(kBlockBytes, static_cast<char>(byte));
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = write(file, bytes.data() + written, bytes.size() - written);
    if (n <= 0) {
      close(file);
      return -1;
    }
    written += size_t(n);
  }
  files[byte] = file;
  return file;
}

bool mapZeros(std::byte *begin, size_t bytes) {
  return mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
              -1, 0) != MAP_FAILED;
}

// Replaces whole pages by pages of the byte. A failure may leave some of them replaced.
bool mapFilled(std::byte *begin, size_t bytes, uint8_t byte) {
  if (byte == 0)
    return mapZeros(begin, bytes);
  const int file = blockFile(byte);
  if (file < 0)
    return false;
  for (size_t at = 0; at < bytes; at += kBlockBytes)
    if (mmap(begin + at, std::min(kBlockBytes, bytes - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED)
      return false;
  return true;
}

// A whole area. What it is filled with from now on is in `area`.
void fillArea(std::byte *begin, Area &area, uint8_t byte) {
  const size_t inner = area.length / pageBytes() * pageBytes(), rest = area.length - inner;
  if (mapFilled(begin, inner, byte)) {
    area.fill = byte;
    std::memset(begin + inner, byte, rest);
    return;
  }
  if (mapZeros(begin, inner))
    area.fill = 0;
  std::memset(begin, byte, area.length);
}

// Of /proc/self/pagemap.
constexpr uint64_t kPresent = uint64_t(1) << 63, kSwapped = uint64_t(1) << 62, kOfFile = uint64_t(1) << 61;

bool isTouched(uint64_t entry, uint8_t fill) {
  if (entry & kSwapped)
    return true;
  return (entry & kPresent) && (fill == 0 || !(entry & kOfFile));
}

// False if pagemap cannot be read. Opened for each look: after a fork an open one is still the parent's.
bool readTouched(const std::byte *begin, uint64_t length, uint8_t fill, std::vector<ByteRange> &ranges) {
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const uint64_t page = pageBytes(), first = reinterpret_cast<uintptr_t>(begin) / page,
                 skipped = reinterpret_cast<uintptr_t>(begin) % page,
                 pages = (skipped + length + page - 1) / page;
  std::vector<uint64_t> entries(std::min<uint64_t>(pages, 1 << 16));
  bool whole = true;
  for (uint64_t at = 0; at < pages && whole; at += entries.size()) {
    const uint64_t count = std::min<uint64_t>(entries.size(), pages - at);
    const size_t bytes = count * sizeof(uint64_t);
    whole = pread(file, entries.data(), bytes, off_t((first + at) * sizeof(uint64_t))) == ssize_t(bytes);
    for (uint64_t i = 0; i < count && whole; ++i) {
      if (!isTouched(entries[i], fill))
        continue;
      const uint64_t from = (at + i) * page, begins = from > skipped ? from - skipped : 0,
                     ends = std::min(from + page - skipped, length);
      if (!ranges.empty() && ranges.back().end == begins)
        ranges.back().end = ends;
      else
        ranges.push_back({begins, ends});
    }
  }
  close(file);
  return whole;
}

// Whether a few pages of each kind are seen as what they are.
bool pagemapIsExact() {
  constexpr uint8_t kByte = 0xa5;
  const size_t page = pageBytes(), length = 32 * page;
  for (const uint8_t fill : {uint8_t(0), kByte}) {
    void *memory = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    auto *begin = static_cast<std::byte *>(memory);
    bool exact = mapFilled(begin, length, fill);
    if (!exact && fill) { // then no fill is ever mapped, and there is nothing to ask about one
      munmap(memory, length);
      continue;
    }
    std::vector<ByteRange> ranges;
    const volatile std::byte read = begin[20 * page];
    (void)read;
    begin[3 * page] = std::byte(1);
    begin[4 * page] = std::byte(2);
    exact = exact && readTouched(begin, length, fill, ranges) && !ranges.empty() &&
            ranges.front() == ByteRange{3 * page, 5 * page} &&
            (ranges.size() == 1 || (ranges.size() == 2 && ranges[1] == ByteRange{20 * page, 21 * page}));
    munmap(memory, length);
    if (!exact)
      return false;
  }
  return true;
}

bool isFilledWith(const std::byte *bytes, size_t count, uint8_t fill) {
  return count == 0 || (uint8_t(bytes[0]) == fill && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

} // namespace

std::shared_ptr<std::byte> allocatePages(size_t length, uint8_t fill) {
  if (length > SIZE_MAX / 2)
    throw std::bad_alloc();
  const size_t page = pageBytes(), inner = wholePages(length), whole = inner + 2 * page;
  void *base = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    throw std::bad_alloc();
  std::byte *data = static_cast<std::byte *>(base) + page;
  if (inner && mprotect(data, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, whole);
    throw std::bad_alloc();
  }
  const bool large = length >= kSparseBytes;
  if (large) {
    Area area{length, 0};
    if (fill)
      fillArea(data, area, fill);
    const std::lock_guard lock(areas().mutex);
    areas().byBegin.insert_or_assign(reinterpret_cast<uintptr_t>(data), area);
  } else if (fill) {
    std::memset(data, fill, length);
  }
  return {data, [base, whole, large](std::byte *memory) {
            if (large) {
              const std::lock_guard lock(areas().mutex);
              areas().byBegin.erase(reinterpret_cast<uintptr_t>(memory));
            }
            munmap(base, whole);
          }};
}

void fillMemory(std::byte *begin, size_t length, uint8_t byte) {
  if (length >= kSparseBytes) {
    const std::lock_guard lock(areas().mutex);
    const auto area = areas().byBegin.find(reinterpret_cast<uintptr_t>(begin));
    if (area != areas().byBegin.end() && area->second.length == length)
      return fillArea(begin, area->second, byte);
  }
  if (length)
    std::memset(begin, byte, length);
}

std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> result;
  for (const ByteRange &range : ranges)
    if (!result.empty() && range.begin <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  return result;
}

void PagedBytes::copyInto(void *memory) const {
  const char *const bytes = text().data();
  const TouchedMemory touched = touchedMemory(bytes, length_);
  if (touched.bytes() < length_)
    fillMemory(static_cast<std::byte *>(memory), length_, touched.fill);
  for (const ByteRange &range : touched.ranges)
    std::memcpy(static_cast<char *>(memory) + range.begin, bytes + range.begin, range.size());
}

uint64_t TouchedMemory::bytes() const {
  uint64_t sum = 0;
  for (const ByteRange &range : ranges)
    sum += range.size();
  return sum;
}

TouchedMemory touchedMemory(const void *begin, uint64_t length) {
  static const bool exact = pagemapIsExact();
  TouchedMemory touched;
  if (exact && length >= kSparseBytes) {
    const auto at = reinterpret_cast<uintptr_t>(begin);
    const std::lock_guard lock(areas().mutex);
    auto area = areas().byBegin.upper_bound(at);
    if (area != areas().byBegin.begin() && (--area, at + length <= area->first + area->second.length)) {
      touched.fill = area->second.fill;
      if (readTouched(static_cast<const std::byte *>(begin), length, touched.fill, touched.ranges))
        return touched;
    }
  }
  touched.ranges.clear();
  if (length)
    touched.ranges.push_back({0, length});
  return touched;
}

std::string hashMemory(const void *begin, uint64_t length) {
  const auto *bytes = static_cast<const char *>(begin);
  const TouchedMemory touched = touchedMemory(begin, length);
  BytesHash hash;
  uint64_t at = 0;
  for (const ByteRange &range : touched.ranges) {
    hash.addRepeated(touched.fill, range.begin - at);
    hash.add({bytes + range.begin, range.size()});
    at = range.end;
  }
  hash.addRepeated(touched.fill, length - at);
  return hash.text();
}

SparseCopy::SparseCopy(const void *begin, uint64_t length) : length_(length) {
  const auto *memory = static_cast<const std::byte *>(begin);
  const TouchedMemory touched = touchedMemory(begin, length);
  fill_ = touched.fill;
  // Pages in a row are copied at once.
  for (const ByteRange &range : touched.ranges)
    for (uint64_t at = range.begin / kCopiedPage * kCopiedPage; at < range.end;) {
      uint64_t to = at;
      while (to < range.end) {
        const uint64_t bytes = std::min<uint64_t>(kCopiedPage, length - to);
        if (isFilledWith(memory + to, bytes, fill_) || (!parts_.empty() && parts_.back().end() > to))
          break;
        to += bytes;
      }
      if (to == at) {
        at += kCopiedPage;
        continue;
      }
      if (parts_.empty() || parts_.back().end() != at)
        parts_.push_back({at, {}});
      parts_.back().bytes.append(reinterpret_cast<const char *>(memory + at), to - at);
      at = to;
    }
}

uint64_t SparseCopy::heldBytes() const {
  uint64_t sum = 0;
  for (const Part &part : parts_)
    sum += part.bytes.size();
  return sum;
}

void SparseCopy::restore(void *memory) const {
  auto *bytes = static_cast<char *>(memory);
  for (const ByteRange &range : mayDiffer(SparseCopy(memory, length_))) {
    uint64_t at = range.begin;
    auto part = std::lower_bound(parts_.begin(), parts_.end(), at,
                                 [](const Part &one, uint64_t offset) { return one.end() <= offset; });
    while (at < range.end) {
      const bool held = part != parts_.end() && part->begin <= at;
      const uint64_t end = std::min(range.end, held                   ? part->end()
                                               : part != parts_.end() ? part->begin
                                                                      : range.end);
      if (held)
        std::memcpy(bytes + at, &part->bytes[at - part->begin], end - at);
      else
        std::memset(bytes + at, fill_, end - at);
      if (held && end == part->end())
        ++part;
      at = end;
    }
  }
}

void SparseCopy::read(uint64_t offset, void *to, uint64_t bytes) const {
  std::memset(to, fill_, bytes);
  auto part = std::lower_bound(parts_.begin(), parts_.end(), offset,
                               [](const Part &one, uint64_t at) { return one.end() <= at; });
  for (; part != parts_.end() && part->begin < offset + bytes; ++part) {
    const uint64_t begin = std::max(offset, part->begin), end = std::min(offset + bytes, part->end());
    std::memcpy(static_cast<char *>(to) + (begin - offset), &part->bytes[begin - part->begin], end - begin);
  }
}

uint8_t SparseCopy::at(uint64_t offset) const {
  uint8_t byte = 0;
  read(offset, &byte, 1);
  return byte;
}

std::vector<ByteRange> SparseCopy::mayDiffer(const SparseCopy &other) const {
  if (fill_ != other.fill_)
    return length_ ? std::vector<ByteRange>{{0, length_}} : std::vector<ByteRange>();
  std::vector<ByteRange> all;
  for (const SparseCopy *copy : {this, &other})
    for (const Part &part : copy->parts_)
      all.push_back({part.begin, part.end()});
  return joined(std::move(all));
}

std::optional<uint64_t> SparseCopy::firstDifference(const SparseCopy &other) const {
  std::array<char, kCopiedPage> mine, theirs;
  for (const ByteRange &range : mayDiffer(other))
    for (uint64_t at = range.begin; at < range.end; at += kCopiedPage) {
      const uint64_t bytes = std::min<uint64_t>(kCopiedPage, range.end - at);
      read(at, mine.data(), bytes);
      other.read(at, theirs.data(), bytes);
      if (std::memcmp(mine.data(), theirs.data(), bytes) != 0)
        return at +
               uint64_t(std::mismatch(mine.begin(), mine.begin() + ptrdiff_t(bytes), theirs.begin()).first -
                        mine.begin());
    }
  return std::nullopt;
}

} // namespace assay
