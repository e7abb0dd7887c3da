// All checkers of one dispatch, as one observer. A new checker is a file, rows in rules.def, and a line in
// checks.cpp.
#pragma once

#include "rules.h"

#include "../support/abi/module_info.h"
#include "../support/abi/observer.h"
#include "../support/text/finding.h"

#include <memory>
#include <vector>

namespace assay::validation {

class Findings;
class UndefinedChecker;

class Checks : public Observer {
public:
  /// arguments   of the kernel, those that exist under its function constants
  /// next        another observer of the same dispatch; may be null
  /// unwritten   bound memory that nobody has written; it must outlive the dispatch
  /// shortcuts   false: each access is examined by itself. The findings are the same.
  Checks(CheckRules rules, std::vector<ArgumentInfo> arguments, Observer *next = nullptr,
         std::vector<UnwrittenMemory> unwritten = {}, bool shortcuts = true);
  ~Checks() override;

  /// Adds another observer of the same dispatch, which must outlive this one. To be called before the
  /// dispatch.
  void add(Observer &next);

  /// To be called after the dispatch.
  std::vector<Finding> takeFindings();

  bool wantsMemory() const override;
  bool takesLanesTogether() const override;
  bool wantsAccess(const SiteInfo &site) const override;
  TrackUndefined tracksUndefined() const override;
  ShadowAbi *shadows() override;
  void undefined(const GroupEvent &, const UndefinedEvent &) override;
  void written(uint64_t address, uint64_t bytes) override;
  void unwrittenVariable() override;
  void dispatchBegin(const DispatchEvent &) override;
  void dispatchEnd(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void groupEnd(const GroupEvent &) override;
  void barrier(const GroupEvent &, const BarrierEvent &) override;
  void simdOp(const GroupEvent &, const SimdEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;
  void spacedAccess(const GroupEvent &, const SpacedAccess &) override;
  void accesses(const GroupEvent &, const KeptAccesses &) override;
  void fence(const GroupEvent &, const FenceEvent &) override;
  void probe(const GroupEvent &, const ProbeEvent &) override;
  void threadEnd(const GroupEvent &, uint32_t threadIndex) override;

private:
  const std::vector<ArgumentInfo> arguments_;
  std::unique_ptr<Findings> findings_;
  std::vector<std::unique_ptr<Observer>> checkers_;
  uint32_t interestIn(const SiteInfo &site) const;
  uint32_t interestAt(size_t number);

  std::vector<Observer *> all_, ofMemory_; ///< with `next`
  const SiteInfo *sites_ = nullptr;        ///< of the dispatch
  std::vector<uint32_t> interest_;         ///< by site: bit i is ofMemory_[i]
  uint32_t atOnce_ = 0;                    ///< likewise, who takes accesses at once
  uint32_t anyInterest_ = 0;               ///< likewise, who wants some site
  UndefinedChecker *ofValues_ = nullptr;
};

} // namespace assay::validation
