// The main program of a fuzzer in a build without libFuzzer: PARSER FILE|FOLDER.. gives each file, or each
// file of a folder, to that parser once.
#include "fuzz.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace fs = std::filesystem;

int main(int argc, char **argv) {
  std::vector<fs::path> files;
  for (int i = 2; i < argc; ++i)
    if (fs::is_directory(argv[i]))
      for (const fs::directory_entry &entry : fs::directory_iterator(argv[i]))
        files.push_back(entry.path());
    else
      files.emplace_back(argv[i]);
  std::sort(files.begin(), files.end());
  for (const fs::path &path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout); // so that the last line names the input that ends the program
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
    const std::string bytes =
        std::string(argv[1]) + '\n' + std::string{std::istreambuf_iterator<char>(file), {}};
    if (LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()) ==
        assay::fuzz::kNoParser) {
      std::fprintf(stderr, "no parser %s in this program\n", argv[1]);
      return 1;
    }
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty();
}
