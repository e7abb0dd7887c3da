// A compilation that is done once: by a worker in advance, or by the first caller that needs its result.
// Other callers that need the result at the same time wait for it. It uses the lock of compile_workers.h. Not
// installed.
#pragma once

#include "compile_workers.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace assay::detail {

/// Made at most once; thread-safe.
template <class T> class CodeTask {
public:
  /// The result of the first call. Calls `make` here if nobody has begun, else waits.
  template <class Make> const T &get(const Make &make) {
    const CompileWorkers::Compilation compilation;
    std::unique_lock lock = CompileWorkers::lock();
    if (std::exchange(begun_, true)) {
      CompileWorkers::wait(lock, [&] { return made_.has_value(); });
      return *made_;
    }
    lock.unlock();
    T value = make();
    lock.lock();
    made_ = std::move(value);
    CompileWorkers::announce();
    return *made_;
  }

  /// Null unless it is done. Needs the lock.
  const T *made() const { return made_ ? &*made_ : nullptr; }
  bool isBegun() const { return begun_; } ///< needs the lock

private:
  std::optional<T> made_;
  bool begun_ = false;
};

/// Shares objects by keys. A key says everything about its object, so callers that ask for the same key share
/// one object.
template <class T> class SharedByKey {
public:
  std::shared_ptr<T> of(const std::string &key, const std::function<std::shared_ptr<T>()> &make) {
    const std::unique_lock lock = CompileWorkers::lock();
    if (known_.size() >= sweepAt_) {
      std::erase_if(known_, [](const auto &entry) { return entry.second.expired(); });
      sweepAt_ = 2 * known_.size() + 64;
    }
    std::weak_ptr<T> &known = known_[key];
    std::shared_ptr<T> shared = known.lock();
    if (!shared)
      known = shared = make();
    return shared;
  }

private:
  std::map<std::string, std::weak_ptr<T>> known_;
  size_t sweepAt_ = 64;
};

} // namespace assay::detail
