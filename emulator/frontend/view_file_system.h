// The file system that Clang reads through: the shim from memory, user files as source views, all else as it
// is.
//
// It also records what a compilation depended on: the digest of every user file read, and every path that was
// looked for and not there, so that a cached result notices a header that appears later.
#pragma once

#include "frontend/compile.h"
#include "frontend/source_view.h"

#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>

namespace assay::frontend {

/// The precompiled form of the shim, where there is one.
inline constexpr std::string_view kPrecompiledPath = "/assay/msl_shim/precompiled";

class ViewFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  ViewFileSystem() : ViewFileSystem(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()) {}

  /// A source that does not come from a file.
  void addText(const std::string &path, const std::string &text);

  /// Makes kPrecompiledPath readable. The bytes are not copied.
  void addPrecompiled(const std::string &bytes);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;

  /// Further edits of a file, from now on. See by_value_fixes.h.
  void insert(const std::string &path, std::vector<Edit> insertions);

  /// Puts probes into the files that they name, when these are read; an empty file name is `mainFile`.
  void addProbes(const std::string &mainFile, std::vector<SourceProbe> probes);
  /// After a run of Clang: the first probe that has no place, if there is one.
  Result<void> checkProbes() const;
  /// The probes that stand at a place of the user's.
  std::vector<const SourceProbe *> probesAt(const SourcePlace &place) const;

  /// The view of a file Clang has read, by the name it was opened with; null for the shim.
  const SourceView *view(llvm::StringRef path) const;
  /// The view of a user's file, read now if it was not; null if it cannot be read.
  const SourceView *read(const std::string &path) { return load(path); }
  std::vector<Dependency> dependencies() const;

private:
  explicit ViewFileSystem(llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> shim);
  std::vector<Edit> placeProbes(const std::string &path, const std::string &text);
  const SourceView *load(const std::string &path);

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> shim_;
  std::map<std::string, std::shared_ptr<SourceView>, std::less<>> views_;
  std::map<std::string, std::string> digests_; ///< path → digest, empty: looked for and absent
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<Edit>> insertions_;

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
