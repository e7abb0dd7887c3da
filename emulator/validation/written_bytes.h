// Records which bytes of buffers a dispatch writes, so that these bytes alone can be restored.
#pragma once

#include "row_bytes.h"

#include "../support/abi/observer.h"

namespace assay::validation {

class WrittenBytes : public Observer {
public:
  const BytesByRow &all() const { return all_; }

  bool wantsMemory() const override { return true; }
  bool takesLanesTogether() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override;
  void access(const GroupEvent &, const AccessEvent &) override;

private:
  BytesByRow all_;
};

} // namespace assay::validation
