// Updates the records of a word for the most common accesses, without finding out for each record which
// accesses happened before.
//
// Problem.  Most accesses are to a word that no thread has touched since the last barrier, or that others
//           have touched from the same place, or that many simdgroups read. Comparing each record with what
//           the thread knows takes most of the checker's time.
// Choice.   The fields of the records show these cases. One step may handle several lanes of a simdgroup that
//           have come equally far and read the same bytes.
// Exact.    A step leaves the records that RaceChecker::touch() would leave if the lanes came one after the
//           other, except for records that can no longer race with anything. If it cannot decide, it changes
//           nothing and says so. Taking the same step again changes nothing.
#pragma once

#include "shadow_memory.h"

namespace assay::validation {

/// An access of one word at hand.
struct CellAccess {
  AccessRecord record;     ///< with several lanes only for plain reads, of lanes that have come equally far
  MemorySpace space;       ///< of the word
  uint32_t settledBefore;  ///< HappensBefore::settledBefore
  bool usesFences = false; ///< the kernel has fences
};

class CellShortcuts {
public:
  CellShortcuts(ShadowMemory &shadow, ShadowCell &cell, const CellAccess &access)
      : shadow_(shadow), cell_(cell), record_(access.record), access_(access) {}

  /// Returns true if the access races with nothing; then the cell has recorded it.
  [[gnu::always_inline]] bool take() {
    if (!cell_.more)
      return takeFirst() || (record_.touch == Touch::Read && read());
    if (ofThreadgroup() && isPast(cell_.first) && allArePast()) {
      shadow_.clear(cell_);
      cell_.first = record_;
      return true;
    }
    return record_.touch == Touch::Write ? replaceOwn() : record_.touch == Touch::Read && read();
  }

private:
  bool ofThreadgroup() const { return access_.space == MemorySpace::Threadgroup; }
  bool isSettled(const AccessRecord &record) const {
    return record.group == record_.group && record.barrier < access_.settledBefore;
  }
  // Threadgroup memory of another threadgroup was other memory, and what is settled is settled for all.
  bool isPast(const AccessRecord &record) const { return record.group != record_.group || isSettled(record); }
  bool allArePast() {
    bool past = true;
    shadow_.forEach(cell_, [&](const AccessRecord &record) { past &= isPast(record); });
    return past;
  }
  bool isSameTurn(const AccessRecord &record) const {
    return record.barrier == record_.barrier && record.time == record_.time;
  }
  /// Of the same simdgroup and turn: it says of these lanes all that the access would.
  bool says(const AccessRecord &record) const {
    return (record.lanes & record_.lanes) == record_.lanes && covers(record.touch, record_.touch) &&
           !(record_.bytes & ~record.bytes);
  }

  // There is at most one record.
  [[gnu::always_inline]] bool takeFirst() {
    AccessRecord &first = cell_.first;
    if (!first.bytes || (ofThreadgroup() && isPast(first))) {
      first = record_;
      return true;
    }
    if (ofThreadgroup() && !(first.bytes & record_.bytes)) {
      shadow_.add(cell_, record_);
      return true;
    }
    if (first.group != record_.group || first.simdgroup != record_.simdgroup)
      return false;
    const bool sameTurn = isSameTurn(first);
    if (sameTurn && says(first))
      return true;
    const bool byOne = !(record_.lanes & (record_.lanes - 1));
    if (byOne && first.lanes == record_.lanes) { // it knows its own past
      if (!covers(record_.touch, first.touch)) {
        if (isSettled(first)) // there may be something to thin
          return false;
        shadow_.add(cell_, record_);
        return true;
      }
      if (first.bytes & ~record_.bytes)
        return false;
      first = record_;
      return true;
    }
    if (!sameTurn || first.bytes != record_.bytes || first.touch != record_.touch ||
        first.site != record_.site || record_.touch == Touch::Write)
      return false;
    first.lanes |= record_.lanes;
    return true;
  }

  // A write where only this thread has been, which says more than all of it.
  bool replaceOwn() {
    bool own = true;
    shadow_.forEach(cell_, [&](const AccessRecord &earlier) {
      own &= earlier.group == record_.group && earlier.simdgroup == record_.simdgroup &&
             earlier.lanes == record_.lanes && !(earlier.bytes & ~record_.bytes) &&
             !(isSameTurn(earlier) && says(earlier));
    });
    if (!own)
      return false;
    shadow_.clear(cell_);
    cell_.first = record_;
    return true;
  }

  // Where nothing in the cell races with a read, and the read replaces nothing.
  [[gnu::always_inline]] bool read() {
    if (access_.usesFences || (ofThreadgroup() && cell_.first.group != record_.group))
      return false;
    bool races = false, replaces = false, said = false;
    bool adds = true; // it may be one record more
    AccessRecord *own = nullptr;
    uint32_t others = 0; // simdgroups that did as much in this turn
    shadow_.forEach(cell_, [&](AccessRecord &earlier) __attribute__((always_inline)) {
      const bool stands = earlier.group == record_.group && !isSettled(earlier);
      adds &= stands || ofThreadgroup();
      if (!(earlier.bytes & record_.bytes))
        return;
      if (isWrite(earlier.touch)) {
        races |= !isSettled(earlier);
        return;
      }
      if (!stands) {
        replaces |= earlier.group == record_.group && !ofThreadgroup();
        return;
      }
      if (earlier.simdgroup != record_.simdgroup) {
        const bool asMuch = covers(earlier.touch, record_.touch) && !(record_.bytes & ~earlier.bytes);
        others |= uint32_t(asMuch && earlier.barrier == record_.barrier) << earlier.simdgroup;
        return;
      }
      const bool sameTurn = isSameTurn(earlier);
      if (sameTurn && earlier.site == record_.site && earlier.touch == record_.touch &&
          earlier.bytes == record_.bytes)
        own = &earlier;
      else if (sameTurn && says(earlier))
        said = true;
      else
        replaces |= !sameTurn || (earlier.lanes & record_.lanes);
    });
    if (races || replaces)
      return false;
    if (own)
      own->lanes |= record_.lanes;
    if (own || said || __builtin_popcount(others) >= 2) // as RaceChecker::insert() has it
      return true;
    if (adds)
      shadow_.add(cell_, record_);
    return adds;
  }

  ShadowMemory &shadow_;
  ShadowCell &cell_;
  const AccessRecord &record_;
  const CellAccess &access_;
};

} // namespace assay::validation
