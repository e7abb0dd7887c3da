// See filter_rows.h.
#include "validation/filter_rows.h"

#include <algorithm>

namespace assay::validation {
namespace {

// Calls visit(first byte, whether it is a whole word, the thread and 1) for each word of which all bytes are
// one thread's, and else for each byte.
template <class Visit> void forEachOwned(uint64_t address, RowBytes bytes, Owners owners, Visit visit) {
  constexpr unsigned kWord = 4;
  for (unsigned word = 0; word < kRowBytes; word += kWord) {
    const auto some = unsigned(bytes >> word) & 0xf;
    if (!some)
      continue;
    const uint32_t thread = owners.of(address + word);
    if (some == 0xf && owners.of(address + word + kWord - 1) == thread) {
      visit(word, true, uint16_t(thread + 1));
      continue;
    }
    for (unsigned at = word; at < word + kWord; ++at)
      if (some >> (at - word) & 1)
        visit(at, false, uint16_t(owners.of(address + at) + 1));
  }
}

uint64_t wordAt(const std::array<uint16_t, kRowBytes> &owners, unsigned byte) {
  uint64_t word;
  std::memcpy(&word, &owners[byte], sizeof word);
  return word;
}

// Whether `owner` alone has written the four bytes of a word, all of them or none, and read them likewise.
bool isFreeFor(uint16_t owner, const std::array<uint16_t, kRowBytes> &writers,
               const std::array<uint16_t, kRowBytes> &readers, unsigned byte) {
  const uint64_t own = owner * uint64_t(0x0001'0001'0001'0001);
  const uint64_t writer = wordAt(writers, byte), reader = wordAt(readers, byte);
  return (!writer || writer == own) && (!reader || reader == own);
}

} // namespace

void FilterRows::renew(Row &row) {
  if (row.group <= first_.group)
    row = {};
  if (row.group != group_) {
    if (isShared_ && (row.everWritten || row.everRead)) {
      if (!row.others) {
        row.others = uint32_t(others_.size());
        others_.emplace_back();
      }
      others_[row.others].written |= row.everWritten;
      others_[row.others].read |= row.everRead;
    }
    row.everWritten = row.everRead = 0;
    if (row.atomics) {
      Atomics &atomics = atomics_[row.atomics];
      if (isShared_)
        atomics.others |= atomics.ever;
      atomics.ever = 0;
    }
    row.group = group_;
  }
  if (row.atomics)
    atomics_[row.atomics].now = 0;
  row.written = row.read = row.several = 0;
  row.epoch = epoch_;
  if (row.each) {
    freeEach_.push_back(row.each);
    row.each = 0;
  }
}

FilterRows::Each &FilterRows::eachOf(Row &row, uint64_t address) {
  if (row.each)
    return *each_[row.each];
  if (freeEach_.empty()) {
    row.each = uint32_t(each_.size());
    each_.push_back(std::make_unique<Each>());
  } else {
    row.each = freeEach_.back();
    freeEach_.pop_back();
    *each_[row.each] = {};
  }
  Each &each = *each_[row.each];
  const auto fill = [&](std::array<uint16_t, kRowBytes> &owners, RowBytes bytes, Owners who) {
    forEachOwned(address, bytes, who, [&](unsigned at, bool word, uint16_t owner) {
      for (unsigned i = at; i < at + (word ? 4u : 1u); ++i)
        owners[i] = owner;
    });
  };
  fill(each.writer, row.written, row.writers);
  fill(each.reader, row.read, row.readers);
  forEachByte(row.several, [&](unsigned at) { each.reader[at] = kSeveral; });
  return each;
}

void FilterRows::addOthers(Row &row, RowBytes bytes, bool writes) {
  sync(row);
  if (!row.others) {
    row.others = uint32_t(others_.size());
    others_.emplace_back();
  }
  (writes ? others_[row.others].written : others_[row.others].read) |= bytes;
}

bool FilterRows::touchAtomically(Row &row, RowBytes bytes, bool writes) {
  if (!row.atomics) {
    row.atomics = uint32_t(atomics_.size());
    atomics_.emplace_back();
  }
  Atomics &atomics = atomics_[row.atomics];
  atomics.now |= bytes;
  atomics.ever |= bytes;
  atomics.written |= writes ? bytes : 0;
  const Others &others = others_[row.others];
  return !((row.written | readBy(row) | others.written | others.read) & bytes);
}

RowBytes FilterRows::readBy(const Row &row) const {
  if (!row.each)
    return row.read | row.several;
  RowBytes bytes = 0;
  for (unsigned i = 0; i < kRowBytes; ++i)
    bytes |= RowBytes(each_[row.each]->reader[i] != 0) << i;
  return bytes;
}

bool FilterRows::readEach(Row &row, uint64_t address, RowBytes bytes, Owners owners) {
  Each &each = eachOf(row, address);
  bool races = false;
  forEachOwned(address, bytes, owners, [&](unsigned at, bool word, uint16_t owner) {
    if (word && isFreeFor(owner, each.writer, each.reader, at)) {
      std::fill_n(&each.reader[at], 4, owner);
      return;
    }
    for (unsigned i = at; i < at + (word ? 4u : 1u); ++i) {
      races |= each.writer[i] && each.writer[i] != owner;
      each.reader[i] = !each.reader[i] || each.reader[i] == owner ? owner : kSeveral;
    }
  });
  return !races;
}

bool FilterRows::readEachBySeveral(Row &row, RowBytes bytes) {
  Each &each = *each_[row.each];
  bool races = false;
  forEachByte(bytes, [&](unsigned at) {
    races |= each.writer[at] != 0;
    each.reader[at] = kSeveral;
  });
  return !races;
}

bool FilterRows::writeEach(Row &row, uint64_t address, RowBytes bytes, Owners owners) {
  Each &each = eachOf(row, address);
  bool races = false;
  forEachOwned(address, bytes, owners, [&](unsigned at, bool word, uint16_t owner) {
    if (word && isFreeFor(owner, each.writer, each.reader, at)) {
      std::fill_n(&each.writer[at], 4, owner);
      return;
    }
    for (unsigned i = at; i < at + (word ? 4u : 1u); ++i) {
      races |= (each.writer[i] && each.writer[i] != owner) || (each.reader[i] && each.reader[i] != owner);
      each.writer[i] = owner;
    }
  });
  // For readBySeveral.
  row.written |= bytes;
  return !races;
}

} // namespace assay::validation
