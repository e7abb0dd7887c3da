// The interface through which the encoders of a command buffer add their commands.
#pragma once

#include "../support/text/result.h"

#include <functional>

namespace assay::detail {

class CommandSink {
public:
  virtual ~CommandSink() = default;
  /// before   called before the first command of the buffer runs, and not counted to its time; may be empty
  /// errors   Usage "already-committed", "closed-encoder"
  virtual Result<void> record(std::function<Result<void>()> command, std::function<void()> before = {}) = 0;
  /// A call that was wrong: the command buffer ends there with this error.
  virtual void refuse(const Error &error) = 0;
  virtual void end() = 0; ///< the encoder ends; another may be made
};

} // namespace assay::detail
