// A line on stderr while something takes more than two seconds, on a terminal; gone when it is done.
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
  std::thread thread_; ///< not started where there is no terminal
};

} // namespace assay::cli
