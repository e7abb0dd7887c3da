// Shows a line on stderr, if that is a terminal, while a step takes more than two seconds, and erases it at
// the end.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace assay::cli {

class Progress {
public:
  /// what   "compiling add.metal"
  explicit Progress(std::string what);
  ~Progress();
  void now(std::string what); ///< another step; the clock runs on

private:
  void show();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool done_ = false;
  std::thread thread_; ///< not started without a terminal
};

} // namespace assay::cli
