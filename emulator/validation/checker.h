// A checker is an observer that finds one kind of defect. Each checker has a file of its own, rules in
// rules.def, and a line in checks.cpp.
#pragma once

#include "findings.h"

#include "../support/abi/module_info.h"
#include "../support/abi/observer.h"

namespace assay::validation {

/// What checkers know of the dispatch, besides its events.
struct CheckContext {
  Findings &findings;
  const std::vector<ArgumentInfo> &arguments; ///< of the kernel, those that exist
};

/// Gets the events of one dispatch, in the order of one worker: threadgroups come one after the other.
class Checker : public Observer {
public:
  explicit Checker(const CheckContext &context) : context_(context) {}
  bool takesLanesTogether() const override { return true; }

protected:
  Findings &findings() const { return context_.findings; }
  const CheckContext &context() const { return context_; }

private:
  const CheckContext context_;
};

/// "thread 33 (lane 1 of simdgroup 1)"
std::string threadText(uint32_t thread);
/// "threadgroup (1,0,0)"
std::string groupText(const uint32_t (&position)[3]);
/// "lane 3", "lanes 0 to 15", "lanes 1, 3 and 7", at most a few by name
std::string lanesText(uint32_t mask);

} // namespace assay::validation
