// Oracle of an attention mask: which keys a query attends to, from sets.
//
// Keys are numbered 0, 1, ... Query i stands at position offset + i among them. The set of keys that it
// attends to is the intersection of
//   the past        {0, ..., position}                       if causal
//   the window      keys whose distance to the position, counted backwards, is less than `window`; keys after
//                   the position are inside
//   what is there   keys that are no padding
//   its document    keys whose document is the query's
#pragma once

#include <cstdint>
#include <vector>

namespace assay::oracle {

struct AttentionMaskRules {
  int batches = 1, queries = 0, keys = 0, offset = 0;
  bool causal = false;
  int64_t window = 0;                                ///< 0: none
  std::vector<uint8_t> padding;                      ///< [batches, keys], 0 hides; empty: no padding
  std::vector<int32_t> queryDocuments, keyDocuments; ///< [batches, queries], [batches, keys]; or empty
};

/// [batches, queries, keys]: 1 where the query attends to the key.
std::vector<uint16_t> attendedCells(const AttentionMaskRules &rules);

} // namespace assay::oracle
