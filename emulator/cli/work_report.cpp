#include "work_report.h"

#include <fmt/format.h>

namespace assay::cli {

Json toJson(const WorkCounts &work) {
  Json kinds = Json::object();
  for (const WorkKindInfo &info : kWorkKinds) {
    const WorkCount &count = work[info.kind];
    Json one = {{"lanes", count.lanes}, {"simdgroups", count.simdgroups}};
    if (info.group == WorkGroup::Access)
      one["bytes"] = count.bytes;
    kinds[std::string(info.key)] = std::move(one);
  }
  return {{"kinds", std::move(kinds)},
          {"longestSimdgroup", work.longestSimdgroup},
          {"accessesWithoutBytes", work.withoutBytes},
          {"utilisation",
           {{"all", work.sum().utilisation()},
            {"accesses", work.sum(WorkGroup::Access).utilisation()},
            {"arithmetic", work.sum(WorkGroup::Arithmetic).utilisation()}}}};
}

void reportWork(Output &out, const WorkCounts &work) {
  out.document()["work"] = toJson(work);
  out.text(
      fmt::format("work      {:<35}{:>12}{:>12}{:>14}{:>7}", "", "lanes", "simdgroups", "bytes", "busy"));
  const auto row = [&](std::string_view label, const WorkCount &count, std::string bytes) {
    out.text(fmt::format("          {:<35}{:>12}{:>12}{:>14}{:>6.1f}%", label, count.lanes, count.simdgroups,
                         bytes, 100 * count.utilisation()));
  };
  for (const WorkKindInfo &info : kWorkKinds)
    if (const WorkCount &count = work[info.kind]; count.simdgroups)
      row(info.label, count, info.group == WorkGroup::Access ? fmt::to_string(count.bytes) : "");
  row("all", work.sum(), fmt::to_string(work.sum(WorkGroup::Access).bytes));
  out.text(fmt::format("          {:<35}{:>12}{:>12}", "the longest simdgroup", "", work.longestSimdgroup));
  if (work.withoutBytes)
    out.text(
        fmt::format("          without the bytes of {} accesses whose length varies", work.withoutBytes));
}

} // namespace assay::cli
