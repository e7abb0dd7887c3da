#include "schedule_text.h"

#include <charconv>
#include <fmt/format.h>

namespace assay {

using runtime::Schedule;
using runtime::ScheduleKind;

Result<Schedule> parseSchedule(std::string_view text) {
  if (text == "auto")
    return Schedule{ScheduleKind::Automatic, 0};
  if (text == "canonical")
    return Schedule{ScheduleKind::Canonical, 0};
  if (text == "parallel")
    return Schedule{ScheduleKind::Parallel, 0};
  constexpr std::string_view kShuffle = "shuffle:";
  if (text.starts_with(kShuffle)) {
    Schedule schedule{ScheduleKind::Shuffle, 0};
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kShuffle.size(), end, schedule.seed);
    if (error == std::errc() && stop == end)
      return schedule;
  }
  return Error::usage("bad-option", fmt::format("schedule {}: no such schedule", text),
                      "schedules: auto, canonical, parallel, shuffle:SEED");
}

std::string scheduleText(ScheduleKind kind, uint64_t seed) {
  switch (kind) {
  case ScheduleKind::Automatic: return "auto";
  case ScheduleKind::Canonical: return "canonical";
  case ScheduleKind::Parallel: return "parallel";
  case ScheduleKind::Shuffle: return fmt::format("shuffle:{}", seed);
  }
  return "";
}

} // namespace assay
