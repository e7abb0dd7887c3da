// MTLSharedEvent: a counter that host and command buffers signal and wait for, on any queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace assay {

namespace detail {
struct EventState;
}

/// A handle: copies share the counter. Every call may come from any thread.
class SharedEvent {
public:
  SharedEvent() = default; ///< none
  explicit operator bool() const { return state_ != nullptr; }

  uint64_t signaledValue() const;
  /// Signals from the host. The counter never decreases: a smaller value changes nothing.
  void setSignaledValue(uint64_t value);
  /// False if the counter has not reached the value in time.
  bool waitUntilSignaledValue(uint64_t value, std::chrono::milliseconds timeout) const;
  /// Calls the handler once: on the thread that signals, or now if the value has already been reached.
  void notify(uint64_t value, std::function<void(const SharedEvent &event, uint64_t value)> handler);

private:
  friend class Device;
  friend class CommandBuffer;
  std::shared_ptr<detail::EventState> state_;
};

} // namespace assay
