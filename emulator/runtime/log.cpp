// A record of a lane → an entry of the host, and entries → messages; see log.h.
#include "runtime/log.h"

#include "runtime/lane_scheduler.h"

#include "msl_shim/detail/log_record.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace assay::runtime {
namespace {

// Metal may cut texts off after 1,023 characters. This only bounds the search for an end.
constexpr uint64_t kLongestText = 1 << 16;

// The text at an address that the kernel gave, as far as it lies in the kernel's memory.
std::string textAt(const LaneScheduler &scheduler, const Lane &lane, uint64_t address) {
  if (!address)
    return "(null)";
  const uint64_t bytes = std::min(scheduler.knownBytes(lane, address), kLongestText);
  if (!bytes)
    return fmt::format("<no text at {:#x}>", address);
  const char *text = reinterpret_cast<const char *>(address);
  return {text, strnlen(text, bytes)};
}

std::string textAt(const LaneScheduler &scheduler, const Lane &lane, const char *text) {
  return textAt(scheduler, lane, uint64_t(reinterpret_cast<uintptr_t>(text)));
}

} // namespace

LogLevel logLevelOf(const void *record) {
  return LogLevel(static_cast<const __assay_log_record *>(record)->level);
}

LogEntry copyLogRecord(const LaneScheduler &scheduler, const Lane &lane, uint32_t site, const void *memory) {
  const auto &record = *static_cast<const __assay_log_record *>(memory);
  LogEntry entry;
  entry.level = LogLevel(record.level);
  entry.site = site;
  std::copy_n(lane.builtin[size_t(Builtin::ThreadPositionInGrid)], 3, entry.threadPosition);
  entry.subsystem = textAt(scheduler, lane, record.subsystem);
  entry.category = textAt(scheduler, lane, record.category);
  entry.format = textAt(scheduler, lane, record.format);
  for (uint32_t i = 0; i < record.count; ++i) {
    const __assay_log_argument &from = record.arguments[i];
    LogArgument &to = entry.arguments.emplace_back();
    to.type = from.type;
    to.count = from.count;
    static_assert(sizeof to.bits == sizeof from.bits);
    std::memcpy(to.bits, from.bits, sizeof to.bits);
    if (from.type == __assay_log_string) {
      uint64_t address;
      std::memcpy(&address, from.bits, sizeof address);
      to.text = textAt(scheduler, lane, address);
    }
  }
  return entry;
}

void deliverLog(const RunPlan &plan, const GroupLog &log) {
  if (!plan.request.logHandler)
    return;
  LogMessage message;
  std::copy_n(log.position, 3, message.threadgroupPosition);
  for (const LogEntry &entry : log.buffer.entries()) {
    message.level = entry.level;
    message.subsystem = entry.subsystem;
    message.category = entry.category;
    message.text = formatLog(entry.format, entry.arguments);
    std::copy_n(entry.threadPosition, 3, message.threadPosition);
    message.where = plan.info.sites[entry.site].where;
    plan.request.logHandler(message);
  }
  if (const uint64_t dropped = log.buffer.dropped()) {
    // The last thread whose message was kept also reports for those that came after it.
    message.level = LogLevel::Error;
    message.subsystem = message.category = "";
    message.text =
        fmt::format("{} more messages of threadgroup ({},{},{}) were dropped: it logged more than {}",
                    dropped, log.position[0], log.position[1], log.position[2], LogBuffer::kMostEntries);
    plan.request.logHandler(message);
  }
}

} // namespace assay::runtime
