// The on-disk cache: a bounded store of checked blobs under hashed keys.
//
// Problem.  A second run of the same kernel must start neither Clang nor LLVM's optimiser, several processes
// may
//           run at once, any of them may die at any time, and nobody may ever see a stale or a torn result.
// Choice.   One file for each entry, written under a temporary name and renamed, with a digest of its
// contents in
//           its head: what does not match is as good as absent. Files are never changed, so there are no
//           locks. Reading an entry touches it; when the store grows over its limit the oldest go first.
// Rejected. A database (locks, and a dependency for 200 lines); modification times of sources as keys (a
// checkout
//           changes them, an editor may not).
// What the keys are made of is the business of compile_cache.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

class Cache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30; ///< bytes

  /// $ASSAY_CACHE_DIR, else $XDG_CACHE_HOME/assay, else ~/.cache/assay; off with ASSAY_CACHE=off or without
  /// any.
  static Cache fromEnvironment();
  static Cache off() { return Cache({}, 0); }
  explicit Cache(std::filesystem::path directory, uint64_t limit = kDefaultLimit);

  bool isOff() const { return directory_.empty(); }
  const std::filesystem::path &directory() const { return directory_; }

  /// key   hexadecimal, from KeyBuilder; kind   a short word, part of the file's name
  std::optional<std::string> get(std::string_view kind, std::string_view key) const;
  /// Best effort: a full or read-only disk costs time later, never correctness.
  void put(std::string_view kind, std::string_view key, std::string_view payload) const;
  /// Removes the entries that were not used for longest until the store is under 3/4 of its limit.
  void trim() const;
  std::filesystem::path entryPath(std::string_view kind, std::string_view key) const;

private:
  std::filesystem::path directory_;
  uint64_t limit_;
};

/// A key of what it is fed. Every part is preceded by its length, so that no two lists of parts are alike.
class KeyBuilder {
public:
  KeyBuilder &add(std::string_view part);
  KeyBuilder &add(uint64_t number);
  std::string digest() const;

private:
  std::string text_;
};

} // namespace assay
