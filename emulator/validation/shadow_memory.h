// Keeps, for each word of memory, the accesses with which a later access may race.
//
// Problem.  A race is between two accesses of one byte. Keeping all accesses of a run is impossible. Keeping
//           only the last one misses readers: there may be many, and each of them may race with a write.
// Choice.   A cell for each aligned word of four bytes holds a few records. A record has the thread, the
//           bytes, the kind, the time and the place of an access. Lanes of a simdgroup that do the same at
//           one time share a record. Cells are in pages, which are made at the first access to 1 KiB, so the
//           shadow grows with the memory that is touched and not with the memory that is bound.
// Rows.     Mostly, neighbouring lanes do the same to neighbouring words. Eight words, a *row*, share the
//           cell of the first word as long as nothing else has happened to them. The records of the other
//           words are the same, for lanes that are farther on by the number that RowForm gives. Any other
//           access turns the row into eight cells.
// Rejected. A fixed number of records for each word, as ThreadSanitizer has: it forgets.
#pragma once

#include "happens_before.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::validation {

/// How a thread touched memory. Two plain accesses race only if one of them is a write. Two atomic accesses
/// never race.
enum class Touch : uint8_t { AtomicRead, Read, AtomicWrite, Write };
constexpr bool isAtomic(Touch touch) {
  return touch == Touch::AtomicRead || touch == Touch::AtomicWrite;
}
constexpr bool isWrite(Touch touch) {
  return touch == Touch::AtomicWrite || touch == Touch::Write;
}
constexpr bool conflict(Touch a, Touch b) {
  return (isWrite(a) || isWrite(b)) && !(isAtomic(a) && isAtomic(b));
}
/// Whatever conflicts with `weaker` conflicts with `stronger`.
constexpr bool covers(Touch stronger, Touch weaker) {
  return stronger == Touch::Write || stronger == weaker || weaker == Touch::AtomicRead;
}
static_assert(covers(Touch::Read, Touch::AtomicRead) && covers(Touch::AtomicWrite, Touch::AtomicRead));
static_assert(!covers(Touch::AtomicWrite, Touch::Read) && !covers(Touch::Read, Touch::AtomicWrite));

struct AccessRecord {
  uint32_t group = 0;
  uint32_t barrier = 0, time = 0; ///< of Moment
  uint32_t site = 0;              ///< in KernelCodeInfo::sites
  uint32_t lanes = 0;
  uint8_t simdgroup = 0; ///< in its threadgroup
  uint8_t bytes = 0;     ///< of the word: bit i is byte i; 0 is no record
  Touch touch = Touch::Read;

  Moment moment() const { return {group, barrier, time}; }
  /// Makes it the same access by other lanes to other bytes. This is one store, because records are copied
  /// right afterwards, and a processor waits if a load needs the data of several stores.
  void become(uint32_t newLanes, uint8_t newBytes) {
    const uint64_t rest =
        newLanes | uint64_t(simdgroup) << 32 | uint64_t(newBytes) << 40 | uint64_t(touch) << 48;
    std::memcpy(&lanes, &rest, sizeof rest);
  }
};
static_assert(offsetof(AccessRecord, simdgroup) == offsetof(AccessRecord, lanes) + 4 &&
              offsetof(AccessRecord, bytes) == offsetof(AccessRecord, lanes) + 5 &&
              offsetof(AccessRecord, touch) == offsetof(AccessRecord, lanes) + 6 &&
              sizeof(AccessRecord) == offsetof(AccessRecord, lanes) + 8);

/// The records of a word. The first one is part of the cell, since most words need no second; the others are
/// a list in ShadowMemory's pool.
struct ShadowCell {
  AccessRecord first;
  uint32_t more = 0; ///< 0: none
};

/// How lanes lie in a row: each accesses 4 << form bytes, and the next lane accesses the bytes after these.
struct RowForm {
  int8_t form = 0;
  /// The lanes that access the word with this index as `lanes` access the first word.
  uint32_t at(uint32_t lanes, uint32_t word) const {
    return lanes << (form >= 0 ? word >> form : word << -form);
  }
  bool operator==(const RowForm &) const = default;
};

class ShadowMemory {
public:
  static constexpr uint64_t kWordBytes = 4, kRowWords = 8, kRowBytes = kRowWords * kWordBytes;

  ShadowCell &at(uint64_t word) {
    Row &row = rowAt(word / kRowWords);
    if (!row.isApart)
      takeApart(row);
    return (*row.cells)[word % kRowWords];
  }
  /// The cell of a whole row for accesses of this form. Null if its words have cells of their own.
  ///   forget   whether a record is of no more use; asked only if the words have cells of their own
  template <class Forget> ShadowCell *ofRow(uint64_t number, RowForm form, Forget forget) {
    Row &row = rowAt(number);
    if (row.isApart ? !isForgotten(*row.cells, forget) : row.one.first.bytes && !(row.form == form))
      return nullptr;
    if (row.isApart)
      for (ShadowCell &cell : *row.cells)
        clear(cell);
    row.isApart = false;
    row.form = form;
    return &row.one;
  }

  template <class Visit> void forEach(ShadowCell &cell, Visit visit) {
    AccessRecord *record = &cell.first;
    for (uint32_t next = cell.more;; next = nodes_[next].next) {
      if (record->bytes)
        visit(*record);
      if (!next)
        return;
      record = &nodes_[next].record;
    }
  }
  void add(ShadowCell &cell, const AccessRecord &record) {
    if (!cell.first.bytes) {
      cell.first = record;
      return;
    }
    uint32_t at = free_;
    if (at) {
      free_ = nodes_[at].next;
    } else {
      at = uint32_t(nodes_.size());
      nodes_.emplace_back();
    }
    nodes_[at] = {record, cell.more};
    cell.more = at;
  }
  /// Drops records without bytes.
  void compact(ShadowCell &cell) {
    for (uint32_t *link = &cell.more; *link;) {
      const uint32_t at = *link;
      if (!cell.first.bytes)
        cell.first = std::exchange(nodes_[at].record, {});
      if (nodes_[at].record.bytes) {
        link = &nodes_[at].next;
      } else {
        *link = nodes_[at].next;
        nodes_[at].next = free_;
        free_ = at;
      }
    }
  }
  void clear(ShadowCell &cell) {
    forEach(cell, [](AccessRecord &record) { record.bytes = 0; });
    compact(cell);
  }

  void clear() {
    pages_.clear();
    known_ = {};
    nodes_.resize(1);
    free_ = 0;
  }
  size_t pages() const { return pages_.size(); }
  /// The number of records outside of cells, used or free.
  size_t poolSize() const { return nodes_.size() - 1; }

private:
  static constexpr uint64_t kPageRows = 32;
  using Cells = std::array<ShadowCell, kRowWords>;
  struct Row {
    ShadowCell one;
    RowForm form;
    bool isApart = false; ///< each word has a cell, and `one` has no records
    std::unique_ptr<Cells> cells;
  };
  using Page = std::array<Row, kPageRows>;
  struct Known {
    uint64_t number = 0;
    Page *page = nullptr;
  };
  struct Node {
    AccessRecord record;
    uint32_t next = 0;
  };
  Row &rowAt(uint64_t row) {
    const uint64_t number = row / kPageRows;
    Known &known = known_[number % known_.size()];
    if (known.number != number || !known.page)
      known = {number, &pageOf(number)};
    return (*known.page)[row % kPageRows];
  }
  void takeApart(Row &row) {
    if (!row.cells)
      row.cells = std::make_unique<Cells>();
    forEach(row.one, [&](AccessRecord own) { // a copy, since add() moves the pool
      const uint32_t lanes = own.lanes;
      for (uint32_t word = 0; word < kRowWords; ++word) {
        own.lanes = row.form.at(lanes, word);
        add((*row.cells)[word], own);
      }
    });
    clear(row.one);
    row.isApart = true;
  }
  template <class Forget> bool isForgotten(Cells &cells, Forget forget) {
    for (ShadowCell &cell : cells) {
      bool all = true;
      forEach(cell, [&](const AccessRecord &record) { all &= forget(record); });
      if (!all)
        return false;
    }
    return true;
  }
  Page &pageOf(uint64_t number) {
    std::unique_ptr<Page> &page = pages_[number];
    if (!page)
      page = std::make_unique<Page>();
    return *page;
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Known, 256> known_{};
  std::vector<Node> nodes_ = std::vector<Node>(1); ///< index 0 is no node
  uint32_t free_ = 0;
};

} // namespace assay::validation
