#include "frontend/precompiled_prefix.h"

#include "frontend/compiler_arguments.h"
#include "frontend/declaration_ends.h"
#include "frontend/tokens.h"
#include "support/files/hash.h"

#include <clang/Basic/Version.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <unordered_set>

namespace assay::frontend {
namespace {

constexpr size_t kLeastBytes = 8 << 10; // of a beginning that is worth keeping
constexpr size_t kLeastGain = 2 << 10;  // more than the next shorter one has
constexpr size_t kMostSeen = 100'000;   // places of cuts that a process remembers
constexpr size_t kMostKept = 32;        // beginnings that a process holds
constexpr size_t kMostListed = 512;     // beginnings that a store lists for one set of options

// --- the form in a store: each text after its length -------------------------------------------------------

void put(std::string &out, std::string_view text) {
  out += fmt::format("{}:{}", text.size(), text);
}

class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}
  std::string text() {
    const size_t colon = rest_.find(':');
    const size_t size = number(rest_.substr(0, colon));
    if (colon == rest_.npos || size > rest_.size() - colon - 1) {
      good_ = false;
      return {};
    }
    std::string taken(rest_.substr(colon + 1, size));
    rest_.remove_prefix(colon + 1 + size);
    return taken;
  }
  size_t count() { return number(text()); }
  bool atEnd() const { return good_ && rest_.empty(); }
  bool good() const { return good_; }

private:
  size_t number(std::string_view digits) {
    size_t value = 0;
    if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != digits.npos)
      good_ = false;
    else
      for (const char digit : digits)
        value = value * 10 + size_t(digit - '0');
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::string stored(const SourcePrefix &prefix) {
  std::string out;
  put(out, prefix.original);
  put(out, prefix.view);
  put(out, std::to_string(prefix.insertions.size()));
  for (const Edit &edit : prefix.insertions) {
    put(out, std::to_string(edit.offset));
    put(out, edit.text);
  }
  put(out, std::to_string(prefix.aliases.size()));
  for (const auto &[name, word] : prefix.aliases) {
    put(out, name);
    put(out, word);
  }
  put(out, prefix.precompiled);
  return out;
}

std::shared_ptr<const SourcePrefix> fromStore(std::string_view bytes) {
  Reader reader(bytes);
  auto prefix = std::make_shared<SourcePrefix>();
  prefix->original = reader.text();
  prefix->view = reader.text();
  for (size_t n = reader.count(); n > 0 && reader.good(); --n) {
    const size_t offset = reader.count();
    prefix->insertions.push_back({uint32_t(offset), 0, reader.text()});
  }
  for (size_t n = reader.count(); n > 0 && reader.good(); --n) {
    std::string name = reader.text();
    prefix->aliases[std::move(name)] = reader.text();
  }
  prefix->precompiled = reader.text();
  return reader.atEnd() ? prefix : nullptr;
}

// --- what a process knows ----------------------------------------------------------------------------------

// A place where a source may be cut: where, and the digest of what is before it and of the options.
struct Cut {
  uint32_t bytes = 0;
  std::string digest;
};

struct Kept {
  std::shared_ptr<const SourcePrefix> prefix; ///< null: it cannot be kept, or is being made
  uint64_t used = 0;
};

struct Known {
  std::mutex mutex;
  std::unordered_set<std::string> seen;
  std::map<std::string, Kept> kept;
  std::set<std::string> listed; ///< in the store
  bool read = false;            ///< the store's list
  uint64_t clock = 0;
};

Known &knownOf(const std::string &options) {
  static std::mutex mutex;
  static std::map<std::string, Known> all;
  const std::lock_guard lock(mutex);
  return all[options];
}

// Shims live as long as the process.
const std::string &digestOf(const std::shared_ptr<const std::string> &shim) {
  static std::mutex mutex;
  static std::map<std::shared_ptr<const std::string>, std::string> digests;
  const std::lock_guard lock(mutex);
  std::string &digest = digests[shim];
  if (digest.empty())
    digest = hashBytes(*shim);
  return digest;
}

std::string optionsOf(const SourceRequest &request, const std::shared_ptr<const std::string> &shim) {
  std::string text = clang::getClangFullVersion();
  put(text, digestOf(shim));
  put(text, request.path);
  for (const std::string &argument :
       compilerArguments(request, std::string(kShimRoot), PreludeForm::Precompiled))
    put(text, argument);
  return hashBytes(text);
}

std::vector<Cut> cutsOf(const std::string &text, const std::string &options) {
  std::vector<Cut> cuts;
  BytesHash hash;
  hash.add(options);
  uint32_t from = 0;
  for (const uint32_t end : declarationEnds(text)) {
    hash.add(std::string_view(text).substr(from, end - from));
    from = end;
    if (end >= kLeastBytes)
      cuts.push_back({end, hash.text()});
  }
  return cuts;
}

std::string listKey(const std::string &options) {
  return hashBytes("beginnings " + options);
}

void readList(Known &known, const std::string &options, PrecompiledStore &store) {
  known.read = true;
  if (const std::optional<std::string> list = store.get(listKey(options))) {
    std::istringstream lines(*list);
    for (std::string digest; std::getline(lines, digest);)
      known.listed.insert(digest);
  }
}

// Another process may write the list at the same time: then one of the two beginnings is made again.
void keepInStore(Known &known, const std::string &options, const std::string &digest,
                 const SourcePrefix &prefix, PrecompiledStore &store) {
  readList(known, options, store);
  if (known.listed.size() >= kMostListed || !known.listed.insert(digest).second)
    return;
  store.put(digest, stored(prefix));
  std::string list;
  for (const std::string &one : known.listed)
    list += one + '\n';
  store.put(listKey(options), list);
}

void forgetOldest(Known &known) {
  const auto holds = [](const auto &entry) { return entry.second.prefix != nullptr; };
  while (size_t(std::ranges::count_if(known.kept, holds)) > kMostKept) {
    auto oldest = known.kept.end();
    for (auto it = known.kept.begin(); it != known.kept.end(); ++it)
      if (holds(*it) && (oldest == known.kept.end() || it->second.used < oldest->second.used))
        oldest = it;
    known.kept.erase(oldest);
  }
}

// The longest beginning that is kept, and the longest that is longer and begins an earlier source, too.
struct Choice {
  std::shared_ptr<const SourcePrefix> kept;
  const Cut *make = nullptr;
};

Choice choose(Known &known, const std::vector<Cut> &cuts, const std::string &text, PrecompiledStore *store) {
  Choice choice;
  for (auto cut = cuts.rbegin(); cut != cuts.rend() && !choice.kept; ++cut) {
    auto found = known.kept.find(cut->digest);
    if (found == known.kept.end() && store && known.listed.contains(cut->digest)) {
      std::shared_ptr<const SourcePrefix> loaded;
      if (const std::optional<std::string> bytes = store->get(cut->digest))
        loaded = fromStore(*bytes);
      if (loaded)
        found = known.kept.emplace(cut->digest, Kept{std::move(loaded), 0}).first;
      else
        known.listed.erase(cut->digest);
    }
    if (found != known.kept.end()) {
      const std::shared_ptr<const SourcePrefix> &prefix = found->second.prefix;
      if (prefix && std::string_view(text).substr(0, cut->bytes) == prefix->original) {
        found->second.used = ++known.clock;
        choice.kept = prefix;
      }
    } else if (!choice.make && known.seen.contains(cut->digest)) {
      choice.make = &*cut;
    }
  }
  if (choice.make && choice.kept && choice.make->bytes < choice.kept->original.size() + kLeastGain)
    choice.make = nullptr;
  return choice;
}

bool mayHavePrefix(const SourceRequest &request) {
  return request.text && request.text->size() >= kLeastBytes && request.includePaths.empty() &&
         request.headers.empty() && request.probes.empty() && !request.debug;
}

} // namespace

std::shared_ptr<const SourcePrefix> precompiledPrefix(const SourceRequest &request,
                                                      const std::shared_ptr<const std::string> &shim,
                                                      PrecompiledStore *store) {
  if (!mayHavePrefix(request))
    return nullptr;
  const std::string options = optionsOf(request, shim);
  const std::vector<Cut> cuts = cutsOf(*request.text, options);
  if (cuts.empty())
    return nullptr;
  Known &known = knownOf(options);

  std::unique_lock lock(known.mutex);
  if (store && !known.read)
    readList(known, options, *store);
  Choice choice = choose(known, cuts, *request.text, store);
  if (known.seen.size() + known.kept.size() > kMostSeen) {
    known.seen.clear();
    std::erase_if(known.kept, [](const auto &entry) { return !entry.second.prefix; });
  }
  for (const Cut &cut : cuts)
    known.seen.insert(cut.digest);

  // A beginning that cannot be kept says how long a shorter one may be.
  constexpr unsigned kMostTries = 2;
  for (unsigned n = 0; n < kMostTries && choice.make; ++n) {
    const Cut &cut = *choice.make;
    known.kept[cut.digest] = {}; // others go on without it
    lock.unlock();
    MadePrefix made = makePrefix(request, cut.bytes, *shim);
    lock.lock();
    if (made.prefix) {
      const auto prefix = std::make_shared<const SourcePrefix>(std::move(*made.prefix));
      known.kept[cut.digest] = {prefix, ++known.clock};
      if (store)
        keepInStore(known, options, cut.digest, *prefix, *store);
      choice.kept = prefix;
      break;
    }
    for (const Cut &other : cuts)
      if (other.bytes >= cut.bytes || lineAt(*request.text, other.bytes) > made.line)
        known.kept.try_emplace(other.digest);
    choice = choose(known, cuts, *request.text, store);
  }
  forgetOldest(known);
  return choice.kept;
}

} // namespace assay::frontend
