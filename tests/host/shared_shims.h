// A cache of a test's own that begins with the precompiled shim and nothing else.
//
// The shim depends on the build and on options. Parsing it takes longer than most kernels of tests do. So the
// first test that needs it makes it, and the others of the same build take it from there.
#pragma once

#include <filesystem>
#include <string>
#include <unistd.h>

namespace assay::testing_support {

class SharedShims {
public:
  /// store   of all tests of a build
  /// cache   of this test
  /// build   a file of the build: what is older than it is of an earlier build
  SharedShims(std::filesystem::path store, std::filesystem::path cache, const std::filesystem::path &build)
      : store_(std::move(store)), cache_(std::move(cache)) {
    const auto built = std::filesystem::last_write_time(build, ignored_);
    forEachShim(store_, [&](const std::filesystem::path &shim) {
      if (std::filesystem::last_write_time(shim, ignored_) < built)
        std::filesystem::remove(shim, ignored_);
      else
        share(shim, cache_);
    });
  }
  SharedShims(const SharedShims &) = delete;
  ~SharedShims() {
    forEachShim(cache_, [&](const std::filesystem::path &shim) { share(shim, store_); });
  }

private:
  template <class F> void forEachShim(const std::filesystem::path &folder, F &&f) {
    std::filesystem::recursive_directory_iterator it(folder, ignored_), end;
    for (; !ignored_ && it != end; it.increment(ignored_))
      if (it->path().extension() == ".shim")
        f(it->path());
    ignored_.clear();
  }
  // A cache never changes a file, so two may have one. Across file systems it is a copy.
  void share(const std::filesystem::path &shim, const std::filesystem::path &with) {
    const std::filesystem::path folder = with / shim.parent_path().filename(), to = folder / shim.filename();
    if (std::filesystem::exists(to, ignored_))
      return;
    std::filesystem::create_directories(folder, ignored_);
    std::filesystem::create_hard_link(shim, to, ignored_);
    if (ignored_) {
      const std::filesystem::path part = to.string() + ".part-" + std::to_string(::getpid());
      std::filesystem::copy_file(shim, part, ignored_);
      std::filesystem::rename(part, to, ignored_);
    }
    ignored_.clear();
  }

  std::filesystem::path store_, cache_;
  std::error_code ignored_; ///< without a shim a test takes longer, and no more
};

} // namespace assay::testing_support
