// Finds out whether a dispatch reads unwritten memory, no matter how the value is used.
//
// A value is undefined because it comes from such a read, or from a variable without a value
// (lowering/shadow_values.h). If a kernel has no such variables and makes no such read, undefined_checker.h
// has nothing to find in it, and its values need no shadows. A copy of a tile with its unused corner is found
// here, although it is not a defect. So the answer is certain only if nothing is found.
//
// The shadows of buffers are those of undefined_checker.h, and what the kernel writes counts for later
// dispatches.
#pragma once

#include "../support/abi/observer.h"

#include <vector>

namespace assay::validation {

class UnwrittenReads : public Observer {
public:
  /// threadgroup   whether threadgroup memory is examined
  /// unwritten     bound memory that nobody has written
  UnwrittenReads(bool threadgroup, std::vector<UnwrittenMemory> unwritten)
      : threadgroup_(threadgroup), unwritten_(std::move(unwritten)) {}

  /// After the dispatch.
  bool found() const { return found_; }

  bool wantsMemory() const override { return true; }
  bool takesLanesTogether() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override;
  void unwrittenVariable() override { found_ = true; }
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;

private:
  struct Bytes {
    uint8_t *begin, *end;
  };
  /// The shadow of a range of memory; empty if it has none.
  Bytes shadowOf(uint64_t address, uint64_t bytes);
  void look(uint64_t address, uint64_t bytes, bool reads, bool writes);

  const bool threadgroup_;
  const std::vector<UnwrittenMemory> unwritten_;
  const KernelCodeInfo *code_ = nullptr;
  const DispatchAbi *dispatch_ = nullptr;
  std::vector<uint8_t> arena_; ///< by byte: 1 where nobody has written
  uint64_t arenaBegin_ = 0;
  bool found_ = false;
};

} // namespace assay::validation
