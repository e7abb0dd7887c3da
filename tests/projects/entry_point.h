// One entry point of somebody else's kernels, and how it is judged. A family's test file holds a table of
// them; each row is one test, so the number of tests is the number of entry points that were run.
//
// The kernels are read from the user's own checkouts, which environment variables name. Nothing of them is
// here but facts: buffer indices, the fields of parameter structs, and the sizes of grids.
#pragma once

#include "compare.h"
#include "data.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

namespace assay::projects {

using testing_support::KernelRun;

struct EntryPoint {
  const char *file;   ///< below the folder of the project's kernels
  const char *kernel; ///< its host name
  /// Binds, dispatches and compares, for as many shapes as it likes.
  std::function<void(KernelRun &)> judge;
  /// `name<arguments>` of a kernel template that the project instantiates at run time.
  const char *instantiate = nullptr;
};

std::ostream &operator<<(std::ostream &out, const EntryPoint &entry);
std::string entryPointName(const ::testing::TestParamInfo<EntryPoint> &info);

/// src/shaders of mlx-native, in ASSAY_MLX_NATIVE_DIR; compiled with fast math, Metal's default.
class MlxNative : public ::testing::TestWithParam<EntryPoint> {};
/// mlx/backend/metal/kernels of MLX, in ASSAY_MLX_DIR; compiled with safe math, as MLX's build does.
class Mlx : public ::testing::TestWithParam<EntryPoint> {};

} // namespace assay::projects

/// The rows of one family: ASSAY_ENTRY_POINTS(Softmax, MlxNative, {...});
#define ASSAY_ENTRY_POINTS(Family, Project, ...)                                                             \
  INSTANTIATE_TEST_SUITE_P(Family, Project,                                                                  \
                           ::testing::ValuesIn(std::vector<::assay::projects::EntryPoint> __VA_ARGS__),      \
                           ::assay::projects::entryPointName)
