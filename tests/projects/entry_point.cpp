// Where the checkouts are, and the two tests that every row becomes. See entry_point.h.
#include "entry_point.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::projects {

namespace {

std::string checkout(const char *variable) {
  const char *folder = std::getenv(variable);
  return folder ? folder : "";
}

/// What MLX composes before it compiles a template.
std::string instantiation(const std::string &file, const EntryPoint &entry) {
  const std::string path = ::testing::TempDir() + "assay_" + entry.kernel + ".metal";
  std::ofstream(path) << "#include <metal_stdlib>\nusing namespace metal;\n"
                      << "#include \"mlx/backend/metal/kernels/utils.h\"\n"
                      << "#include \"mlx/backend/metal/kernels/reduce_utils.h\"\n"
                      << "#include \"" << file << "\"\n"
                      << "template [[host_name(\"" << entry.kernel << "\")]] [[kernel]] decltype("
                      << entry.instantiate << ") " << entry.instantiate << ";\n";
  return path;
}

void judge(const EntryPoint &entry, const std::string &kernels, const CompileOptions &options) {
  std::string file = kernels + "/" + entry.file;
  ASSERT_TRUE(std::filesystem::is_regular_file(file)) << file << " is not there";
  if (entry.instantiate)
    file = instantiation(file, entry);
  KernelRun run(file, entry.kernel);
  run.compile(options);
  entry.judge(run);
}

} // namespace

#define ASSAY_NEEDS_CHECKOUT(folder, variable)                                                               \
  const std::string folder = checkout(variable);                                                             \
  if (folder.empty())                                                                                        \
  GTEST_SKIP() << "set " << variable << " to a checkout of the project to run its kernels"

TEST_P(MlxNative, Agrees) {
  ASSAY_NEEDS_CHECKOUT(folder, "ASSAY_MLX_NATIVE_DIR");
  judge(GetParam(), folder + "/src/shaders", {});
}

TEST_P(Mlx, Agrees) {
  ASSAY_NEEDS_CHECKOUT(folder, "ASSAY_MLX_DIR");
  CompileOptions options;
  options.includePaths = {folder};
  options.mathMode = MathMode::Safe;
  judge(GetParam(), folder + "/mlx/backend/metal/kernels", options);
}

std::ostream &operator<<(std::ostream &out, const EntryPoint &entry) {
  return out << entry.file << ": " << entry.kernel;
}

std::string entryPointName(const ::testing::TestParamInfo<EntryPoint> &info) {
  return info.param.kernel;
}

} // namespace assay::projects
