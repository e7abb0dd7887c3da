#include "picture_files.h"

#include <filesystem>
#include <fmt/format.h>

namespace assay::cli {
namespace {

constexpr std::string_view kEnding = ".png";

bool exists(const std::string &file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

} // namespace

std::vector<std::string> dividePictures(std::string_view text) {
  std::vector<std::string> files;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = text.find(',', begin);
    while (end != text.npos && !text.substr(begin, end - begin).ends_with(kEnding))
      end = text.find(',', end + 1);
    files.emplace_back(text.substr(begin, end == text.npos ? end : end - begin));
    begin = end == text.npos ? text.size() + 1 : end + 1;
  }
  return files;
}

bool isNumbered(std::string_view file) {
  return file.find('#') != file.npos;
}

std::string numberedFile(std::string_view file, uint64_t number) {
  const size_t last = file.rfind('#'), before = file.find_last_not_of('#', last),
               first = before == file.npos ? 0 : before + 1;
  return fmt::format("{}{:0{}}{}", file.substr(0, first), number, last + 1 - first, file.substr(last + 1));
}

std::vector<std::string> picturesToRead(std::string_view text) {
  std::vector<std::string> files;
  for (std::string &file : dividePictures(text)) {
    if (!isNumbered(file) || exists(file)) {
      files.push_back(std::move(file));
      continue;
    }
    uint64_t number = 0;
    do
      files.push_back(numberedFile(file, number++));
    while (exists(numberedFile(file, number)));
  }
  return files;
}

Result<std::vector<std::string>> picturesToWrite(std::string_view text, uint64_t count) {
  std::vector<std::string> files = dividePictures(text);
  if (files.size() == 1 && isNumbered(files[0]) && count > 1) {
    const std::string pattern = std::move(files[0]);
    files.clear();
    for (uint64_t number = 0; number < count; ++number)
      files.push_back(numberedFile(pattern, number));
  }
  if (files.size() != count)
    return Error::usage(
        "bad-option",
        fmt::format("{} PNG file{} for {} picture{}", files.size(),
                    files.size() == 1 ? " is named" : "s are named", count, count == 1 ? "" : "s"),
        count == 1 ? "" : "'#' in the name of one file is the number of the layer, the face or the depth");
  return files;
}

} // namespace assay::cli
