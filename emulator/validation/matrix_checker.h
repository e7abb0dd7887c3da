// Finds loads and stores of a simdgroup_matrix that not all lanes of a simdgroup reach.
//
// Each lane has two elements of a matrix. simdgroup_load and simdgroup_store are operations of the whole
// simdgroup; if a lane is absent, its elements are missing. Lanes do not meet at these operations, so they
// are counted: at the end of a threadgroup, each lane of a simdgroup must have reached a line as often as the
// other lanes. Products are not checked here, because they end the kernel if lanes are missing
// (partial-simdgroup).
// source: MSL specification, section on SIMD-group matrix functions.
// Limit.  Lanes that come equally often, but not together, are not found; nor are loads from constant memory.
#pragma once

#include "checker.h"

#include <array>
#include <vector>

namespace assay::validation {

class MatrixChecker : public Checker {
public:
  using Checker::Checker;
  bool wantsMemory() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override { return site.together; }
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void groupEnd(const GroupEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;

private:
  struct Place {
    const SiteInfo *site = nullptr;
    std::array<uint64_t, kMaxThreadsPerThreadgroup> visits{}; ///< by thread
  };
  Place &placeOf(const SiteInfo &site);

  const SiteInfo *sites_ = nullptr;   ///< of the dispatch
  std::vector<Place> places_;         ///< copies of one line are one
  std::vector<uint32_t> placeOfSite_; ///< by site: 1 and its index; 0: none yet
};

} // namespace assay::validation
