#include "progress.h"
#include "output.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {

using namespace std::chrono_literals;

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isTerminal(STDERR_FILENO))
    thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void Progress::now(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::show() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, 2s, [this] { return done_; }))
    return;
  do {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
    fmt::print(stderr, "\r\x1b[K{} ... {} s", what_, seconds.count());
    std::fflush(stderr);
  } while (!changed_.wait_for(lock, 500ms, [this] { return done_; }));
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

} // namespace assay::cli
