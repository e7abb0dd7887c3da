// See group_ranges.h.
#include "validation/group_ranges.h"

#include <algorithm>

namespace assay::validation {
namespace {

using Spans = std::vector<GroupRanges::Span>;

// The first one that ends at or after `begin`.
template <class Some> auto firstFrom(Some &spans, uint64_t begin) {
  if (!spans.empty() && spans.back().end <= begin) // most often: the next one in order
    return spans.end() - (spans.back().end == begin);
  return std::lower_bound(spans.begin(), spans.end(), begin,
                          [](const GroupRanges::Span &span, uint64_t at) { return span.end < at; });
}

bool overlap(const Spans &spans, const GroupRanges::Range &range) {
  for (auto at = firstFrom(spans, range.begin); at != spans.end() && at->begin < range.end; ++at)
    if (at->end > range.begin)
      return true;
  return false;
}

void insert(Spans &spans, GroupRanges::Span span) {
  const auto first = firstFrom(spans, span.begin);
  auto last = first;
  for (; last != spans.end() && last->begin <= span.end; ++last) {
    span.begin = std::min(span.begin, last->begin);
    span.end = std::max(span.end, last->end);
  }
  if (first == last)
    spans.insert(first, span);
  else
    *first = span, spans.erase(first + 1, last);
}

} // namespace

bool GroupRanges::areApart() const {
  for (size_t i = 0; i < now_.size(); ++i) {
    const Range &range = now_[i];
    for (size_t j = 0; j < i; ++j) {
      const Range &other = now_[j];
      if ((range.writes || other.writes) && range.begin < other.end && other.begin < range.end &&
          range.owners != other.owners)
        return false;
    }
    if (overlap(written_, range) || (range.writes && overlap(read_, range)))
      return false;
  }
  return true;
}

bool GroupRanges::endGroup() {
  if (!areApart() || written_.size() > kMostSpans || read_.size() > kMostSpans)
    return false;
  for (const Range &range : now_)
    insert(range.writes ? written_ : read_, {range.begin, range.end});
  now_.clear();
  return true;
}

} // namespace assay::validation
