// Whether a dispatch reads memory that nobody has written, without a look at what becomes of it.
//
// A value is undefined because it comes from such a read, or from a variable without a value
// (lowering/shadow_values.h). So a kernel without such variables that never makes such a read has nothing for
// undefined_checker.h to find, and no need of shadows of its values. A tile that is copied with its unused
// corner is found here, although it is no defect: only who sees nothing has an answer.
//
// Which bytes have been written is kept as there: the shadows of buffers are the same ones, and what the
// kernel writes counts for later dispatches.
#pragma once

#include "../support/abi/observer.h"

#include <vector>

namespace assay::validation {

class UnwrittenReads : public Observer {
public:
  /// threadgroup   whether threadgroup memory is looked at
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
