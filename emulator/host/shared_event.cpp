#include "shared_event.h"
#include "event_state.h"

namespace assay {

uint64_t detail::EventState::value() const {
  std::lock_guard lock(mutex);
  return current;
}

void detail::EventState::signal(uint64_t value) {
  std::vector<std::function<void()>> ready;
  {
    std::lock_guard lock(mutex);
    if (value <= current)
      return;
    current = value;
    std::erase_if(waiting, [&](auto &entry) {
      if (entry.first > current)
        return false;
      ready.push_back(std::move(entry.second));
      return true;
    });
  }
  changed.notify_all();
  for (const auto &call : ready)
    call();
}

uint64_t SharedEvent::signaledValue() const {
  return state_ ? state_->value() : 0;
}

void SharedEvent::setSignaledValue(uint64_t value) {
  if (state_)
    state_->signal(value);
}

bool SharedEvent::waitUntilSignaledValue(uint64_t value, std::chrono::milliseconds timeout) const {
  if (!state_)
    return false;
  std::unique_lock lock(state_->mutex);
  const auto reached = [&] { return state_->current >= value; };
  // A deadline further away could overflow the clock.
  if (timeout >= std::chrono::hours(24 * 365)) {
    state_->changed.wait(lock, reached);
    return true;
  }
  return state_->changed.wait_for(lock, timeout, reached);
}

void SharedEvent::notify(uint64_t value, std::function<void(const SharedEvent &, uint64_t)> handler) {
  if (!state_ || !handler)
    return;
  // Weak, since the event itself holds the call.
  auto call = [state = std::weak_ptr(state_), value, handler = std::move(handler)] {
    SharedEvent event;
    event.state_ = state.lock();
    handler(event, value);
  };
  {
    std::lock_guard lock(state_->mutex);
    if (state_->current < value) {
      state_->waiting.emplace_back(value, std::move(call));
      return;
    }
  }
  call();
}

} // namespace assay
