// The #includes of a source for a .metallib. Lines "=== NAME" divide the input into the source and files
// beside it.
#include "fuzz.h"

#include "tools/paste_includes.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::metal;

namespace fs = std::filesystem;

namespace {

const fs::path &folder() {
  static const struct Folder {
    fs::path path = fs::temp_directory_path() / ("assay-fuzz-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } folder;
  return folder.path;
}

void write(const char *name, std::string_view text) {
  std::ofstream(folder() / name, std::ios::binary) << text;
}

std::string_view upTo(std::string_view &rest, std::string_view mark) {
  const size_t at = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + mark.size(), rest.size()));
  return part;
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  std::string_view rest = textOf(data, size);
  if (rest.find("/dev") != rest.npos || rest.find("..") != rest.npos || rest.find("/proc") != rest.npos)
    return 0; // files of this machine
  const std::string_view source = upTo(rest, "=== a.h\n"), a = upTo(rest, "=== b.h\n");
  write("a.h", a);
  write("b.h", rest);
  const Result<PastedSource> pasted =
      pasteIncludes((folder() / "main.metal").string(), source, {folder().string()});
  if (!acceptedOrExplained(pasted))
    return 0;
  require(pasted->files.size() <= 2, "each file is listed once");
  if (pasted->files.empty() && source.find("#") == source.npos)
    require(pasted->text.size() <= source.size() + 1, "a source without directives stays as it is");
  return 0;
}

static const Parser parser("paste_includes", tryInput);
