// The logging of kernels: from a call of os_log on a lane's stack to a line for the host.
//
// A lane has a small stack and must not run the host's code. So its call only copies (LogBuffer) the format,
// the arguments with their types, and the texts that pointers lead to, since these may change or disappear.
// After the threadgroup has ended, the worker formats and delivers the messages on its own stack, in the
// order of the calls. With several workers, they are delivered after the dispatch has ended, by threadgroup,
// so that the order does not depend on the number of workers.
#pragma once

#include "../support/abi/log_level.h"
#include "../support/text/diagnostic.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::runtime {

/// One call of os_log.
struct LogMessage {
  LogLevel level = LogLevel::Notice;
  std::string subsystem, category; ///< as given to the os_log; empty for os_log_default
  std::string text;
  uint32_t threadPosition[3] = {};      ///< thread_position_in_grid
  uint32_t threadgroupPosition[3] = {}; ///< threadgroup_position_in_grid
  SourcePlace where;                    ///< the call
};

/// Always called on the thread that dispatches; a single worker runs on that thread, too.
using LogHandler = std::function<void(const LogMessage &)>;

/// An argument of a call, by value.
struct LogArgument {
  uint32_t type = 0;  ///< as in msl_shim/detail/log_record.h
  uint32_t count = 1; ///< elements of a vector
  uint8_t bits[32] = {};
  std::string text; ///< of a string
};

struct LogEntry {
  LogLevel level = LogLevel::Notice;
  uint32_t site = 0;
  uint32_t threadPosition[3] = {};
  std::string subsystem, category, format;
  std::vector<LogArgument> arguments;
};

/// The text that a call logs. The conversions are those of C's printf except %n, plus %vN before a length for
/// vectors, whose elements are separated by commas: %v4f, %.2v3hlf, %v2hhd. A missing argument, or one that
/// does not fit its conversion, is reported in its place.
///   source  MSL specification, section on logging; C11 7.21.6.1; OpenCL C 6.15.14 for vectors
std::string formatLog(const std::string &format, const std::vector<LogArgument> &arguments);

/// The calls of one threadgroup while it runs.
class LogBuffer {
public:
  /// Further entries are counted, but not kept, so that an endless loop does not take all memory.
  static constexpr size_t kMostEntries = 65'536;

  void add(LogEntry entry) {
    if (entries_.size() < kMostEntries)
      entries_.push_back(std::move(entry));
    else
      ++dropped_;
  }
  bool empty() const { return entries_.empty(); }
  uint64_t dropped() const { return dropped_; }
  const std::vector<LogEntry> &entries() const { return entries_; }

private:
  std::vector<LogEntry> entries_;
  uint64_t dropped_ = 0;
};

/// What a threadgroup has logged.
struct GroupLog {
  uint64_t groupIndex = 0; ///< in grid order
  uint32_t position[3] = {};
  LogBuffer buffer;
};

struct RunPlan;
struct Lane;
class LaneScheduler;

/// The level in a call's record.
LogLevel logLevelOf(const void *record);
/// A call's record (__assay_log_record), with everything that it points to.
LogEntry copyLogRecord(const LaneScheduler &scheduler, const Lane &lane, uint32_t site, const void *record);

/// Formats the entries and hands them to the request's handler, in their order.
void deliverLog(const RunPlan &plan, const GroupLog &log);

} // namespace assay::runtime
