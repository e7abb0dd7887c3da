// Calls, one after the other in the order in which they were posted, on a thread of their own. Not installed.
//
// The thread starts with the first call and sleeps while there is none. The owner may disappear in one of the calls:
// then the thread ends by itself behind the last one.
#pragma once

#include <functional>
#include <memory>

namespace assay::detail {

class SerialWorker {
public:
  SerialWorker();
  ~SerialWorker(); ///< waits for what is posted, unless it is called by one of the calls
  SerialWorker(const SerialWorker &) = delete;

  void post(std::function<void()> call);
  bool isCurrentThread() const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace assay::detail
