// The on-disk cache: a bounded store of checked blobs under hashed keys.
//
// Problem.  A second run of the same kernel must start neither Clang nor LLVM's optimiser. Several processes
//           may run at once, any of them may die at any time, and none may ever see a stale or a torn result.
// Choice.   Each entry is a file, which is written under a temporary name and then renamed. It begins with a
//           digest of its contents; an entry whose digest does not match counts as absent. Files are never
//           changed, so there are no locks. Reading an entry updates its time of use. If the store grows over
//           its limit, the least recently used entries are removed first.
// Rejected. A database: it brings locks, and a dependency in place of 200 lines. Modification times of
//           sources as keys: a checkout changes them without need, and an editor may not change them.
// compile_cache.h makes the keys.
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

  /// $ASSAY_CACHE_DIR, else $XDG_CACHE_HOME/assay, else ~/.cache/assay. The cache is off with ASSAY_CACHE=off
  /// or if none of these variables is set.
  static Cache fromEnvironment();
  static Cache off() { return Cache({}, 0); }
  explicit Cache(std::filesystem::path directory, uint64_t limit = kDefaultLimit);

  bool isOff() const { return directory_.empty(); }
  const std::filesystem::path &directory() const { return directory_; }

  /// kind   a short word, part of the file's name
  /// key    hexadecimal, from KeyBuilder
  std::optional<std::string> get(std::string_view kind, std::string_view key) const;
  /// Best effort: a full or read-only disk costs time later, never correctness.
  void put(std::string_view kind, std::string_view key, std::string_view payload) const;
  /// If the store is over its limit, removes the least recently used entries until it is at 3/4 of the limit.
  void trim() const;
  std::filesystem::path entryPath(std::string_view kind, std::string_view key) const;

private:
  std::filesystem::path directory_;
  uint64_t limit_;
};

/// Hashes parts into a key. Each text is preceded by its length, so that different lists of texts cannot
/// give the same bytes.
class KeyBuilder {
public:
  KeyBuilder &add(std::string_view part);
  KeyBuilder &add(uint64_t number);
  std::string digest() const;

private:
  std::string text_;
};

} // namespace assay
