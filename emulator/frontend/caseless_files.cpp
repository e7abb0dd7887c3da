#include "frontend/caseless_files.h"

#include "frontend/shim_files.h"
#include "frontend/view_file_system.h"
#include "support/files/find_ignoring_case.h"

namespace assay::frontend {

namespace {

std::optional<std::string> findShimFile(std::string_view path) {
  const std::string_view name = path.substr(std::min(kShimRoot.size() + 1, path.size()));
  for (const ShimFile &file : shimFiles())
    if (sameIgnoringCase(name, file.name))
      return std::string(kShimRoot) + "/" + std::string(file.name);
  return std::nullopt;
}

// Another name for the path, if there is one.
std::optional<std::string> trueName(const std::string &path) {
  if (isShimPath(path))
    return findShimFile(path);
  const auto found = findIgnoringCase(path);
  return found ? std::optional(found->string()) : std::nullopt;
}

} // namespace

llvm::ErrorOr<llvm::vfs::Status> CaselessFiles::status(const llvm::Twine &twine) {
  auto status = ProxyFileSystem::status(twine);
  if (status)
    return status;
  const auto other = trueName(twine.str());
  return other ? ProxyFileSystem::status(*other) : status;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> CaselessFiles::openFileForRead(const llvm::Twine &twine) {
  auto file = ProxyFileSystem::openFileForRead(twine);
  if (file)
    return file;
  const auto other = trueName(twine.str());
  return other ? ProxyFileSystem::openFileForRead(*other) : std::move(file);
}

} // namespace assay::frontend
