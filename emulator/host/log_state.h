// MTLLogState: the handlers of messages that kernels log.
//
// Metal's compiler logs only with an option (-fmetal-enable-logging), and its log has a fixed length. Here
// kernels always log, and the handlers receive every message of a threadgroup, up to a limit that only
// endless loops reach.
#pragma once

#include "../runtime/log.h"
#include "../support/abi/log_level.h"

#include <memory>
#include <vector>

namespace assay {

using runtime::LogHandler;
using runtime::LogMessage;

/// MTLLogStateDescriptor.
struct LogStateDescriptor {
  LogLevel level = LogLevel::Debug; ///< messages below it are not delivered
};

/// A handle: copies share the handlers. Goes into DispatchOptions.
class LogState {
public:
  LogState() = default; // not explicit: DispatchOptions is made of {}
  explicit LogState(const LogStateDescriptor &descriptor) : descriptor_(descriptor) {}

  /// Handlers are called in the order in which they were added, on the thread that dispatches, while the
  /// dispatch runs or at its end. A handler may not change the log state.
  void addLogHandler(LogHandler handler) { handlers_->push_back(std::move(handler)); }

  LogLevel level() const { return descriptor_.level; }

private:
  friend class ComputeCommandEncoder;
  LogStateDescriptor descriptor_;
  std::shared_ptr<std::vector<LogHandler>> handlers_ = std::make_shared<std::vector<LogHandler>>();
};

} // namespace assay
