// The file system that Clang reads: the shim from memory, user files as source views, other files unchanged.
//
// It also records what a compilation depends on: the digest of every user file that was read, and every path
// that was not found, so that a cached result notices a header that appears later.
#pragma once

#include "frontend/compile.h"
#include "frontend/source_view.h"

#include <clang/Basic/SourceLocation.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>

namespace clang {
class SourceManager;
}

namespace assay::frontend {

/// The path of the precompiled shim, if there is one.
inline constexpr std::string_view kPrecompiledPath = "/assay/msl_shim/precompiled";
/// The path of the precompiled beginning of the source, if there is one (precompiled_prefix.h).
inline constexpr std::string_view kPrefixPath = "/assay/msl_shim/prefix";

/// Whether the path is that of a file of the shim.
inline bool isShimPath(llvm::StringRef path) {
  return path.starts_with(llvm::StringRef(kShimRoot.data(), kShimRoot.size()));
}

class ViewFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  enum class Reads { Views, Originals };
  explicit ViewFileSystem(Reads reads = Reads::Views);

  /// A source that does not come from a file. Its name may have folders that do not exist.
  void addText(const std::string &path, const std::string &text);

  /// Makes kPrecompiledPath or kPrefixPath readable. The bytes are not copied.
  void addPrecompiled(const std::string &bytes, std::string_view path = kPrecompiledPath);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;

  /// Leaves the name of a text as it is, so that precompiled forms have it unchanged.
  std::error_code makeAbsolute(llvm::SmallVectorImpl<char> &path) const override;

  /// Adds edits to a file from now on. See compile_fixes.h.
  void insert(const std::string &path, std::vector<Edit> insertions);

  /// What insert() has added to a file.
  std::vector<Edit> insertions(const std::string &path) const;

  /// Reads these macros as address spaces from now on. Returns whether that changes a view that was read.
  bool setAliases(const SpaceAliases &aliases);

  /// Replaces uses of macros from now on, by file, and forgets all insertions. See macro_expansions.h.
  void expand(std::map<std::string, std::vector<Edit>> expansions);

  /// Puts probes into the files that they name, when these files are read. An empty file name means
  /// `mainFile`.
  void addProbes(const std::string &mainFile, std::vector<SourceProbe> probes);
  /// Called after a run of Clang: an error for the first probe without a place.
  Result<void> checkProbes() const;
  /// The probes at a place in a user's file.
  std::vector<const SourceProbe *> probesAt(const SourcePlace &place) const;

  /// The view of a file that Clang has read, by the name it was opened with; null for the shim.
  const SourceView *view(llvm::StringRef path) const;
  /// Whether a place is in a user's file that Clang has read.
  bool isUsers(const clang::SourceManager &sources, clang::SourceLocation where) const;
  /// The view of a user's file, which is read now if it was not; null if it cannot be read.
  const SourceView *read(const std::string &path) { return load(path); }
  /// The text of a user's file, without the work for a view; null if it cannot be read.
  const std::string *original(const std::string &path);
  std::vector<Dependency> dependencies() const;

private:
  std::vector<Edit> placeProbes(const std::string &path, const std::string &text);
  std::shared_ptr<SourceView> makeView(const std::string &path, const std::string &text);
  const SourceView *load(const std::string &path);
  bool holdsText(const std::string &folder) const;

  std::map<std::string_view, llvm::StringRef> precompiled_; ///< by path
  std::map<std::string, std::shared_ptr<SourceView>, std::less<>> views_;
  std::map<std::string, std::string> digests_; ///< path → digest, empty: not found
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<Edit>> insertions_, expansions_;
  SpaceAliases aliases_;
  const Reads reads_;

  struct Placed {
    SourceProbe probe;
    bool inMainFile = false;
    bool seen = false;
    SourcePlace where;
  };
  std::vector<Placed> probes_;
  std::optional<Error> misplaced_;
};

} // namespace assay::frontend
