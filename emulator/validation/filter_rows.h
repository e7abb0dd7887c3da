// Keeps, for each row of memory, which bytes were accessed and by which threads. This is just enough to tell
// that there is no race.
//
// Problem.  To find the two places of a race, a checker keeps records of each access (shadow_memory.h).
//           Almost every run has no race, and finding out only that takes less.
// Choice.   A row is 128 bytes, the 32 words that a simdgroup accesses. Its state is sets of bytes, kept as
//           numbers of 128 bits: the bytes that were written or read since the last barrier (in this
//           *epoch*), and the bytes that were written or read at any time. One formula for the row gives the
//           thread of each byte (Owners). So an access by a simdgroup is a few operations on sets, and a
//           barrier begins another epoch. Bytes that are accessed atomically are sets without owners. If one
//           formula is not enough, because threads have accessed the row in two ways, the row keeps the owner
//           of each byte until its epoch ends.
// Exact.    If several threads have read a byte in an epoch, no thread may write it in that epoch, because at
//           least one of the readers is not the writer. So `several` needs no list of threads.
#pragma once

#include "row_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace assay::validation {

/// Says which thread of the threadgroup accesses which byte. Either each `stride` bytes from an origin on
/// belong to one thread, beginning with thread 0, or all bytes belong to one thread.
class Owners {
public:
  Owners() = default;
  static Owners one(uint32_t thread) { return Owners(thread); }
  /// The owners if a thread accesses `bytes` at the address, and its neighbours do the same at theirs.
  static Owners spaced(uint32_t thread, uint64_t address, uint64_t bytes, uint64_t stride) {
    uint64_t origin = address - thread * stride;
    // Parts of a structure have one formula, if structures lie at multiples of their size.
    if (bytes != stride && origin % stride + bytes <= stride)
      origin -= origin % stride;
    return Owners(stride << kOriginBits | (origin & kOriginMask));
  }
  uint32_t of(uint64_t address) const {
    const uint64_t stride = key_ >> kOriginBits;
    return uint32_t(stride ? ((address - key_) & kOriginMask) / stride : key_);
  }
  bool operator==(const Owners &) const = default;

  static constexpr uint64_t kMostStride = 64;

private:
  static constexpr unsigned kOriginBits = 48; // of addresses of programs
  static constexpr uint64_t kOriginMask = (uint64_t(1) << kOriginBits) - 1;
  explicit Owners(uint64_t key) : key_(key) {}
  uint64_t key_ = 0;
};

class FilterRows {
public:
  struct Row {
    RowBytes written = 0;     ///< in this epoch, by `writers`
    RowBytes read = 0;        ///< by `readers`, each byte by one thread
    RowBytes several = 0;     ///< read by several threads
    RowBytes everWritten = 0; ///< by this threadgroup, now or before
    RowBytes everRead = 0;    ///< likewise
    Owners writers, readers;
    uint32_t epoch = 0, group = 0; ///< of the last access
    uint32_t others = 0;           ///< in others_: of other threadgroups; 0: none
    uint32_t each = 0;             ///< in each_: instead of written, read and several; 0: none
    uint32_t atomics = 0;          ///< in atomics_; 0: none
  };

  /// Epochs and threadgroups so far.
  struct Times {
    uint32_t epoch = 0, group = 0;
    /// Whether the numbers may be used up soon.
    bool areLate() const { return (epoch | group) >> 30; }
  };
  /// isShared   threadgroups share the memory, and have no order there; else each has memory of its own
  /// before     rows that were used before these times may be used again, unless the times are late
  FilterRows(bool isShared, Times before) : isShared_(isShared), first_(before.areLate() ? Times() : before) {
    epoch_ = first_.epoch;
    group_ = first_.group;
  }
  Times now() const { return {epoch_, group_}; }

  /// Threads are ordered from here on.
  void beginEpoch() { ++epoch_; }
  void beginGroup() {
    ++epoch_;
    ++group_;
  }

  /// The row as it is in this epoch.
  void sync(Row &row) {
    if (row.epoch != epoch_)
      renew(row);
  }
  /// Whether the row already says that the owners have read the bytes in this epoch, so that it need not
  /// change.
  ///   owners   nullopt: several threads
  bool knowsRead(const Row &row, RowBytes bytes, const std::optional<Owners> &owners) const {
    return row.epoch == epoch_ && !row.each &&
           (owners ? !(bytes & ~row.read) && row.readers == *owners : !(bytes & ~row.several));
  }
  /// read() and write() return false if the access races or may race. The row must be of this epoch.
  ///   address   of the row
  [[gnu::always_inline]] bool read(Row &row, uint64_t address, RowBytes bytes, Owners owners) {
    if (row.others && others_[row.others].written & bytes)
      return false;
    row.everRead |= bytes;
    if (!row.each) {
      const bool mine = !(row.written & bytes) || row.writers == owners;
      const RowBytes more = bytes & ~row.several;
      if (mine && (!row.read || row.readers == owners)) {
        row.read |= more;
        row.readers = owners;
        return true;
      }
      if (mine && !more)
        return true;
    }
    return readEach(row, address, bytes, owners);
  }
  /// The same if several threads read each of the bytes.
  [[gnu::always_inline]] bool readBySeveral(Row &row, RowBytes bytes) {
    if ((row.written & bytes) || (row.others && others_[row.others].written & bytes))
      return false;
    row.everRead |= bytes;
    if (row.each)
      return readEachBySeveral(row, bytes);
    row.several |= bytes;
    row.read &= ~bytes;
    return true;
  }
  /// The caller adds to everWritten.
  [[gnu::always_inline]] bool write(Row &row, uint64_t address, RowBytes bytes, Owners owners) {
    if (row.others && (others_[row.others].written | others_[row.others].read) & bytes)
      return false;
    if (!row.each && !(row.several & bytes) && (!(row.read & bytes) || row.readers == owners) &&
        (!row.written || row.writers == owners)) {
      row.written |= bytes;
      row.writers = owners;
      return true;
    }
    return writeEach(row, address, bytes, owners);
  }

  /// Other threadgroups have accessed the bytes. This one has not touched the row.
  void addOthers(Row &row, RowBytes bytes, bool writes);
  /// Whether a thread accesses one of the bytes atomically, and nothing orders it with this threadgroup's
  /// threads. The row must be of this epoch.
  bool isTouchedAtomically(const Row &row, RowBytes bytes) const {
    return row.atomics && (atomics_[row.atomics].now | atomics_[row.atomics].others) & bytes;
  }
  /// Returns false if a thread accesses one of the bytes, but not atomically. The row must be of this epoch.
  bool touchAtomically(Row &row, RowBytes bytes, bool writes);
  bool isOfThisEpoch(const Row &row) const { return row.epoch == epoch_; }
  /// The bytes that any thread has read in the row's epoch.
  RowBytes readBy(const Row &row) const;
  RowBytes writtenByAnybody(const Row &row) const {
    if (row.group <= first_.group)
      return 0; // of another dispatch, or of none
    return row.everWritten | others_[row.others].written | atomics_[row.atomics].written;
  }

private:
  struct Others {
    RowBytes written = 0, read = 0;
  };
  static constexpr uint16_t kSeveral = 0xffff;
  struct Each { ///< by byte: nobody, a thread and 1, or several
    std::array<uint16_t, kRowBytes> writer, reader;
  };
  struct Atomics {
    RowBytes now = 0, ever = 0; ///< in this epoch, and by this threadgroup
    RowBytes others = 0;        ///< by other threadgroups
    RowBytes written = 0;       ///< by anybody
  };
  void renew(Row &row);
  Each &eachOf(Row &row, uint64_t address);
  bool readEach(Row &row, uint64_t address, RowBytes bytes, Owners owners);
  bool readEachBySeveral(Row &row, RowBytes bytes);
  bool writeEach(Row &row, uint64_t address, RowBytes bytes, Owners owners);

  const bool isShared_;
  const Times first_;
  uint32_t epoch_, group_;
  std::vector<Others> others_ = std::vector<Others>(1);
  std::vector<std::unique_ptr<Each>> each_ = std::vector<std::unique_ptr<Each>>(1);
  std::vector<uint32_t> freeEach_;
  std::vector<Atomics> atomics_ = std::vector<Atomics>(1);
};

} // namespace assay::validation
