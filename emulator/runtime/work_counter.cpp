// See work_counter.h.
#include "runtime/work_counter.h"

namespace assay::runtime {

static constexpr uint32_t kNowhere = ~0u;

WorkCounter::WorkCounter(const WorkBlocks &work)
    : work_(work), cellOfBlock_(work.blocks.size()), cellOfLoop_(work.parents.size() + 1),
      width_(work.parents.size() + 1), blocksOf_(work.parents.size() + 1), entered_(work.blocks.size()),
      length_(work.blocks.size()) {
  for (uint32_t block = 0; block < work.blocks.size(); ++block) {
    const uint32_t loop = work.blocks[block].loop;
    cellOfBlock_[block] = width_[loop]++;
    blocksOf_[loop].push_back(block);
    for (const WorkItem &item : work.blocks[block].items)
      length_[block] += item.count;
  }
  for (uint32_t loop = 1; loop < width_.size(); ++loop)
    cellOfLoop_[loop] = width_[work.parents[loop - 1]]++;
}

void WorkCounter::begin(uint32_t threads) {
  used_ = (threads + kSimdWidth - 1) / kSimdWidth;
  if (simdgroups_.size() < used_)
    simdgroups_.resize(used_);
  for (uint32_t i = 0; i < used_; ++i) {
    Simdgroup &simdgroup = simdgroups_[i];
    simdgroup.nodes.clear();
    simdgroup.nodes.push_back({0, {}});
    simdgroup.last.fill(kNowhere);
    simdgroup.places.assign(size_t(kSimdWidth) * width_.size(), {});
  }
}

uint32_t &WorkCounter::cell(Simdgroup &simdgroup, Place place, uint32_t at) const {
  Node &node = simdgroup.nodes[place.node];
  const size_t width = width_[node.loop], first = place.iteration * width;
  if (node.cells.size() < first + width)
    node.cells.resize(first + width);
  return node.cells[first + at];
}

void WorkCounter::enter(uint32_t thread, uint32_t block) {
  Simdgroup &simdgroup = simdgroups_[thread / kSimdWidth];
  const uint32_t lane = thread % kSimdWidth;
  const WorkBlock &now = work_.blocks[block];
  Place *const places = &simdgroup.places[size_t(lane) * width_.size()];
  if (now.header) {
    const uint32_t last = simdgroup.last[lane];
    if (last != kNowhere && work_.blocks[last].latch && work_.blocks[last].loop == now.loop) {
      ++places[now.loop].iteration;
    } else {
      const uint32_t around = work_.parents[now.loop - 1];
      uint32_t &node = cell(simdgroup, places[around], cellOfLoop_[now.loop]);
      if (!node) {
        node = uint32_t(simdgroup.nodes.size()); // the list does not move what `node` is in
        simdgroup.nodes.push_back({now.loop, {}});
      }
      places[now.loop] = {node, 0};
    }
  }
  cell(simdgroup, places[now.loop], cellOfBlock_[block]) |= 1u << lane;
  simdgroup.last[lane] = block;
}

void WorkCounter::end() {
  for (uint32_t i = 0; i < used_; ++i) {
    uint64_t length = 0;
    for (const Node &node : simdgroups_[i].nodes) {
      const std::vector<uint32_t> &blocks = blocksOf_[node.loop];
      for (size_t first = 0; first < node.cells.size(); first += width_[node.loop])
        for (size_t b = 0; b < blocks.size(); ++b)
          if (const uint32_t mask = node.cells[first + b]) {
            Entered &entered = entered_[blocks[b]];
            entered.lanes += uint32_t(__builtin_popcount(mask));
            ++entered.simdgroups;
            length += length_[blocks[b]];
          }
    }
    longest_ = std::max(longest_, length);
  }
  used_ = 0;
}

WorkCounts WorkCounter::counts() const {
  WorkCounts counts;
  for (size_t block = 0; block < entered_.size(); ++block)
    for (const WorkItem &item : work_.blocks[block].items) {
      const auto &[lanes, simdgroups] = entered_[block];
      counts[item.kind] += {lanes * item.count, simdgroups * item.count, lanes * item.bytes};
      counts.withoutBytes += lanes * item.withoutBytes;
    }
  counts.longestSimdgroup = longest_;
  return counts;
}

} // namespace assay::runtime
