#include "shim_path.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace assay::cli {

std::string shimPath() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / ASSAY_SHIM_FROM_PREFIX;
  return fs::exists(installed / "metal_stdlib", error) ? installed.string() : ASSAY_SHIM_IN_SOURCE;
}

} // namespace assay::cli
