#include "cache.h"
#include "environment.h"

#include "../support/files/hash.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace assay {
namespace {

constexpr std::string_view kMagic = "ASSAY-CACHE-1\n";
constexpr size_t kDigestLength = 32;
constexpr size_t kHeadLength = kMagic.size() + kDigestLength;
constexpr auto kStaleTemporary = std::chrono::hours(1);
// A process trims with its first put, and then after so many puts and so large a part of the limit.
constexpr unsigned kPutsBetweenTrims = 64;
constexpr uint64_t kTrimsOfLimit = 64;

std::optional<std::string> readAll(const fs::path &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return std::nullopt;
  struct stat info;
  std::string bytes;
  bool ok = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (ok) {
    bytes.resize(info.st_size);
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::read(fd, bytes.data() + done, bytes.size() - done);
      if (n <= 0)
        break;
      done += n;
    }
    ok = done == bytes.size();
  }
  ::futimens(fd, nullptr); // marks the entry as used; fails harmlessly on a read-only store
  ::close(fd);
  return ok ? std::optional(std::move(bytes)) : std::nullopt;
}

// Makes the folder if there is none.
bool writeAll(const fs::path &path, std::initializer_list<std::string_view> parts) {
  const auto create = [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); };
  int fd = create();
  if (fd < 0 && errno == ENOENT) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    fd = create();
  }
  if (fd < 0)
    return false;
  bool ok = true;
  for (std::string_view part : parts)
    while (ok && !part.empty()) {
      const ssize_t n = ::write(fd, part.data(), part.size());
      ok = n > 0;
      part.remove_prefix(ok ? n : 0);
    }
  return ::close(fd) == 0 && ok;
}

} // namespace

Cache::Cache(fs::path directory, uint64_t limit) : directory_(std::move(directory)), limit_(limit) {}

Cache Cache::fromEnvironment() {
  if (environmentVariable("ASSAY_CACHE") == "off")
    return off();
  if (std::string dir = environmentVariable("ASSAY_CACHE_DIR"); !dir.empty())
    return Cache(dir);
  if (std::string dir = environmentVariable("XDG_CACHE_HOME"); !dir.empty())
    return Cache(fs::path(dir) / "assay");
  if (std::string home = environmentVariable("HOME"); !home.empty())
    return Cache(fs::path(home) / ".cache" / "assay");
  return off();
}

fs::path Cache::entryPath(std::string_view kind, std::string_view key) const {
  return directory_ / std::string(key.substr(0, 2)) / fmt::format("{}.{}", key, kind);
}

std::optional<std::string> Cache::get(std::string_view kind, std::string_view key) const {
  if (isOff())
    return std::nullopt;
  std::optional<std::string> bytes = readAll(entryPath(kind, key));
  if (!bytes || bytes->size() < kHeadLength || std::string_view(*bytes).substr(0, kMagic.size()) != kMagic)
    return std::nullopt;
  const std::string_view payload = std::string_view(*bytes).substr(kHeadLength);
  if (std::string_view(*bytes).substr(kMagic.size(), kDigestLength) != hashBytes(payload))
    return std::nullopt;
  bytes->erase(0, kHeadLength);
  return bytes;
}

void Cache::put(std::string_view kind, std::string_view key, std::string_view payload) const {
  if (isOff())
    return;
  static std::atomic<unsigned> serial = 0;
  static std::atomic<uint64_t> untrimmed = 0;
  const unsigned mine = serial++;
  const fs::path path = entryPath(kind, key);
  const fs::path temporary = path.parent_path() / fmt::format(".tmp-{}-{}", ::getpid(), mine);
  if (!writeAll(temporary, {kMagic, hashBytes(payload), payload}) ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  untrimmed += payload.size();
  if (mine == 0 || (mine % kPutsBetweenTrims == 0 && untrimmed >= limit_ / kTrimsOfLimit)) {
    untrimmed = 0;
    trim();
  }
}

void Cache::trim() const {
  if (isOff())
    return;
  struct Entry {
    fs::path path;
    uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::recursive_directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone; // another process may remove a listed entry
    if (!it->is_regular_file(gone) || gone)
      continue;
    Entry entry{it->path(), it->file_size(gone), it->last_write_time(gone)};
    if (gone)
      continue;
    if (entry.path.filename().string().starts_with(".tmp-")) {
      if (now - entry.used > kStaleTemporary)
        fs::remove(entry.path, gone);
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= limit_)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit_ - limit_ / 4)
      break;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.bytes;
  }
}

KeyBuilder &KeyBuilder::add(std::string_view part) {
  add(part.size());
  text_ += part;
  return *this;
}

KeyBuilder &KeyBuilder::add(uint64_t number) {
  text_.append(reinterpret_cast<const char *>(&number), sizeof number);
  return *this;
}

std::string KeyBuilder::digest() const {
  return hashBytes(text_);
}

} // namespace assay
