// Accesses at addresses that the alignment of their type does not divide: a float4 read through a pointer
// that was cast from float *, an index that is not a multiple of four.
//
// Metal leaves them undefined. Assay accesses the bytes that the address names; a GPU may do so, or leave out
// the low bits of the address. source: MSL specification, table of sizes and alignments of data types.
// Limit.  The alignment is that of the source text, which reads of constant memory have lost, and accesses
//         whose address space is known only after inlining.
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
