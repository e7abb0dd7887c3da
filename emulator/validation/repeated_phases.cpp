// See repeated_phases.h.
#include "validation/repeated_phases.h"

#include <algorithm>

namespace assay::validation {
namespace {

uint64_t hashOf(const KeptOperation &entry) {
  constexpr uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  return ((entry.base * kOdd ^ entry.mask) * kOdd ^ (uint64_t(entry.site) << 32 | entry.simdgroup)) * kOdd ^
         entry.bytes;
}

} // namespace

void RepeatedPhases::start(const KeptOperation &first) {
  const auto found = byFirst_.find(hashOf(first));
  matched_ = 0;
  recorded_.clear();
  if (found != byFirst_.end() && !found->second.empty()) {
    phase_ = found->second.front();
    state_ = State::Matching;
  } else {
    state_ = mayRecord() ? State::Recording : State::Plain;
  }
}

void RepeatedPhases::record(const KeptOperation *from, const KeptOperation *to) {
  if (entries_ + recorded_.size() > kMostEntries)
    state_ = State::Plain;
  else
    recorded_.insert(recorded_.end(), from, to);
}

// Another phase that is like this one so far and goes on with `next`.
bool RepeatedPhases::matchAnother(const KeptOperation &next) {
  const Entries &known = phases_[phase_].entries;
  if (known.empty())
    return false;
  const size_t length = size_t(KeptAccesses::next(&next) - &next);
  for (const uint32_t other : byFirst_[hashOf(matched_ ? known.front() : next)]) {
    const Entries &entries = phases_[other].entries;
    if (other == phase_ || entries.size() < matched_ + length ||
        std::memcmp(&entries[matched_], &next, length * sizeof next) != 0 ||
        std::memcmp(entries.data(), known.data(), matched_ * sizeof next) != 0)
      continue;
    phase_ = other;
    return true;
  }
  return false;
}

void RepeatedPhases::keep(std::vector<RowUse> rows) {
  if (recorded_.empty())
    return;
  ++kept_;
  std::vector<uint32_t> &alike = byFirst_[hashOf(recorded_.front())];
  uint32_t number = uint32_t(phases_.size());
  if (alike.size() < kMostAlike) {
    phases_.emplace_back();
    alike.push_back(number);
  } else {
    number = alike[kept_ % kMostAlike];
    entries_ -= phases_[number].entries.size();
  }
  entries_ += recorded_.size();
  const bool hasWords = std::any_of(recorded_.begin(), recorded_.end(),
                                    [](const KeptOperation &entry) { return !entry.distances; });
  phases_[number] = {recorded_, hasWords, std::move(rows)};
}

} // namespace assay::validation
