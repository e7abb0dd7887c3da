// A folder of a test's own, gone with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::testing_support {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string form = (std::filesystem::temp_directory_path() / "assay-test-XXXXXX").string();
    path_ = mkdtemp(form.data());
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path &path() const { return path_; }
  std::string operator/(const std::string &name) const { return (path_ / name).string(); }

  /// Returns the file's path.
  std::string write(const std::string &name, const std::string &bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }

private:
  std::filesystem::path path_;
};

} // namespace assay::testing_support
