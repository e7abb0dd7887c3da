// Oracle of an attention mask. See attention_mask.h.
#include "attention_mask.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace assay::oracle {

namespace {

using Keys = std::set<int64_t>;

/// {first, ..., last}
Keys range(int64_t first, int64_t last) {
  Keys keys;
  for (int64_t key = first; key <= last; ++key)
    keys.insert(keys.end(), key);
  return keys;
}

Keys both(const Keys &a, const Keys &b) {
  Keys keys;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(keys, keys.end()));
  return keys;
}

} // namespace

std::vector<uint16_t> attendedCells(const AttentionMaskRules &r) {
  std::vector<uint16_t> cells;
  for (int batch = 0; batch < r.batches; ++batch) {
    Keys there;
    for (int key = 0; key < r.keys; ++key)
      if (r.padding.empty() || r.padding[size_t(batch) * r.keys + key])
        there.insert(key);
    for (int query = 0; query < r.queries; ++query) {
      const int64_t position = int64_t(r.offset) + query;
      Keys seen = there;
      if (r.causal)
        seen = both(seen, range(0, position));
      if (r.window > 0)
        seen = both(seen, range(std::max<int64_t>(0, position + 1 - r.window), r.keys));
      if (!r.keyDocuments.empty()) {
        Keys document;
        for (int key = 0; key < r.keys; ++key)
          if (r.keyDocuments[size_t(batch) * r.keys + key] ==
              r.queryDocuments[size_t(batch) * r.queries + query])
            document.insert(key);
        seen = both(seen, document);
      }
      for (int key = 0; key < r.keys; ++key)
        cells.push_back(uint16_t(seen.count(key)));
    }
  }
  return cells;
}

} // namespace assay::oracle
