// Parses and prints a schedule: "auto", "canonical", "parallel", "shuffle:SEED".
#pragma once

#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <string>
#include <string_view>

namespace assay {

/// errors  Usage "bad-option"
Result<runtime::Schedule> parseSchedule(std::string_view text);
std::string scheduleText(runtime::ScheduleKind kind, uint64_t seed);

} // namespace assay
