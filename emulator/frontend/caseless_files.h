// A file system that finds a file whose name differs from the one that is asked for in case alone, as a Mac's
// does (support/files/find_ignoring_case.h), in the user's folders and in the shim.
//
// The status of such a file has its true name, and so Clang warns that the path of the #include is not
// portable (-Wnonportable-include-path), as it does on a Mac.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

namespace assay::frontend {

class CaselessFiles : public llvm::vfs::ProxyFileSystem {
public:
  /// files  those that are found by their exact names, among them the shim below kShimRoot
  explicit CaselessFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files)
      : ProxyFileSystem(std::move(files)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;
};

} // namespace assay::frontend
