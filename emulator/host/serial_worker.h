// Makes posted calls one after the other, in order, on a thread of its own. Not installed.
//
// The thread starts with the first call, and sleeps while there are no calls. If one of the calls destroys
// the worker, the thread ends after the last call.
#pragma once

#include <functional>
#include <memory>

namespace assay::detail {

class SerialWorker {
public:
  SerialWorker();
  ~SerialWorker(); ///< waits for the posted calls, unless one of them runs it
  SerialWorker(const SerialWorker &) = delete;

  void post(std::function<void()> call);
  bool isCurrentThread() const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace assay::detail
