// Where the kernels are: the project's own, and the originals that live beside it on some machines.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace assay::testing_support {

/// kernels_msl, or the copy of it that ASSAY_KERNELS_DIR names: the mutation check breaks kernels there.
inline std::string ownKernelFolder() {
  const char *given = std::getenv("ASSAY_KERNELS_DIR");
  return given && *given ? given : ASSAY_OWN_KERNELS;
}

/// A kernel of the project's own: ownKernel("reduce/sum.metal").
inline std::string ownKernel(const std::string &name) {
  return ownKernelFolder() + "/" + name;
}

/// The folder with `originals/` in it: ASSAY_SHARED, or `shared` beside the source directory.
inline std::filesystem::path sharedFolder() {
  const char *given = std::getenv("ASSAY_SHARED");
  return given && *given ? given : ASSAY_DEFAULT_SHARED;
}

inline std::string originalKernel(const std::string &name) {
  return sharedFolder() / "originals" / name;
}

inline bool haveOriginal(const std::string &name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(originalKernel(name), ignored);
}

inline std::string missingOriginal(const std::string &name) {
  return originalKernel(name) +
         " is not here: the originals are not part of this repository; set ASSAY_SHARED to " +
         "the folder that holds originals/" + name;
}

} // namespace assay::testing_support

/// First line of a test that needs an original.
#define ASSAY_NEEDS_ORIGINAL(name)                                                                           \
  if (!assay::testing_support::haveOriginal(name))                                                           \
  GTEST_SKIP() << assay::testing_support::missingOriginal(name)
