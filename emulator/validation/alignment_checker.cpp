// See alignment_checker.h.
#include "validation/alignment_checker.h"

#include <fmt/format.h>

namespace assay::validation {
namespace {

const char *nounOf(AccessKind access) {
  switch (access) {
  case AccessKind::Read: return "read";
  case AccessKind::Write: return "write";
  case AccessKind::Atomic: return "atomic operation";
  }
  return "access";
}

} // namespace

void AlignmentChecker::dispatchBegin(const DispatchEvent &event) {
  names_.emplace(event, context().arguments);
}

void AlignmentChecker::access(const GroupEvent &group, const AccessEvent &event) {
  const SiteInfo &site = *event.site;
  if (!wantsAccess(site))
    return;
  event.forEachThread([&](uint32_t thread, uint64_t address) {
    if (address % site.alignment == 0)
      return;
    findings().add(CheckRule::MisalignedAccess, site.where, [&]() -> FindingText {
      const std::string what =
          event.bytes ? fmt::format("{} of {} bytes", nounOf(site.access), event.bytes) : "access";
      return {
          fmt::format("{} at {} by {} of {} is not aligned: the address is {} bytes after a multiple of {}",
                      what, names_->of(site, group, address), threadText(thread), groupText(group.position),
                      address % site.alignment, site.alignment),
          "", "use a packed type or single elements, or keep offsets a multiple of the type's alignment"};
    });
  });
}

} // namespace assay::validation
