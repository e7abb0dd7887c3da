// Finds accesses at addresses that are not aligned for their type: a float4 that is read through a pointer
// cast from float *, or an index that is not a multiple of four.
//
// In Metal their effect is undefined. Assay accesses the bytes at the address; a GPU may do the same, or
// ignore the low bits of the address. source: MSL specification, table of sizes and alignments of data types.
// Limit.  The alignment is that of the source text. It is not known for reads of constant memory, and for
//         accesses whose address space is known only after inlining.
#pragma once

#include "checker.h"
#include "memory_names.h"

#include <optional>

namespace assay::validation {

class AlignmentChecker : public Checker {
public:
  using Checker::Checker;
  bool wantsMemory() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override {
    return site.alignment > 1 && site.memory != MemoryKind::Texture;
  }
  void dispatchBegin(const DispatchEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;

private:
  std::optional<MemoryNames> names_;
};

} // namespace assay::validation
