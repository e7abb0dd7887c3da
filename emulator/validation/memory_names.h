// Names an address as the user knows it: an argument or a variable, with its element.
#pragma once

#include "fence_order.h"

#include "../support/abi/module_info.h"
#include "../support/abi/observer.h"

#include <string>
#include <vector>

namespace assay::validation {

class MemoryNames {
public:
  MemoryNames(const DispatchEvent &dispatch, const std::vector<ArgumentInfo> &arguments)
      : code_(*dispatch.code), dispatch_(*dispatch.dispatch), arguments_(arguments) {}

  /// "partial[3]", "tile[2][5]", "result[7] (byte 2 of it)", "texture photo"
  ///   group   whose arena the address may be in
  std::string of(const SiteInfo &site, const GroupEvent &group, uint64_t address) const;

private:
  std::string element(const std::string &name, uint64_t offset, uint64_t elementBytes,
                      uint64_t accessBytes) const;
  const KernelCodeInfo &code_;
  const DispatchAbi &dispatch_;
  const std::vector<ArgumentInfo> &arguments_;
};

/// Which kind of memory an access goes to.
MemorySpace spaceOf(const SiteInfo &site, const GroupEvent &group, uint64_t address);

} // namespace assay::validation
