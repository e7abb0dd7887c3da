// The main program of a fuzzer in a build without libFuzzer: each file, or each file of a folder, once.
#include "fuzz.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace fs = std::filesystem;

int main(int argc, char **argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i)
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
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // A copy of exactly this size, so that AddressSanitizer sees what reads past its end.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    LLVMFuzzerTestOneInput(copy.get(), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty();
}
