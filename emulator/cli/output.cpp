#include "output.h"

#include "scalar_text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {
namespace {

int writeError = 0; // the first one on standard output

void put(std::FILE *file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() && file == stdout && !writeError)
    writeError = errno;
}

bool useColor() {
  return isTerminal(STDERR_FILENO) && !std::getenv("NO_COLOR");
}

} // namespace

void putOut(std::string_view text) {
  put(stdout, text);
}

void openOutput() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) // open takes the lowest free number
      if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
        std::abort();
}

int closeOutput(int exitCode) {
  if (std::fflush(stdout) != 0 && !writeError)
    writeError = errno;
  if (!writeError)
    return exitCode;
  put(stderr,
      renderDiagnostics(Error::usage("unwritable-output", fmt::format("cannot write to standard output: {}",
                                                                      std::strerror(writeError)))
                            .diagnostics,
                        useColor()));
  return static_cast<int>(ErrorKind::Usage);
}

bool isTerminal(int fd) {
  return ::isatty(fd) == 1;
}

void Output::text(std::string_view line) {
  if (!json_)
    put(stdout, fmt::format("{}\n", line));
}

void Output::warn(const std::vector<Diagnostic> &warnings) {
  if (json_)
    for (const Diagnostic &warning : warnings)
      warnings_.push_back(toJson(warning));
  else
    put(stderr, renderDiagnostics(warnings, useColor()));
}

void Output::log(const LogMessage &message) {
  if (json_)
    return;
  const auto &[x, y, z] = message.threadPosition;
  std::string_view rest = message.text;
  if (rest.ends_with('\n'))
    rest.remove_suffix(1);
  std::string lines;
  for (size_t end = 0; end != rest.npos;) {
    end = rest.find('\n');
    lines += fmt::format("[thread ({},{},{})] {}\n", x, y, z, rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? 0 : end + 1);
  }
  put(stderr, lines);
}

int Output::fail(const Error &error) {
  if (json_) {
    document_["error"] = toJson(error);
    printDocument(false);
  } else {
    std::fflush(stdout);
    put(stderr, renderDiagnostics(error.diagnostics, useColor()));
  }
  return static_cast<int>(error.kind);
}

int Output::finish(bool ok) {
  if (json_)
    printDocument(ok);
  return ok ? 0 : 1;
}

void Output::report(const std::vector<Finding> &findings, size_t suppressed) {
  Json list = Json::array();
  uint64_t instances = 0;
  std::vector<Diagnostic> all;
  for (const Finding &finding : findings) {
    list.push_back(toJson(finding));
    instances += finding.count;
    for (Diagnostic &diagnostic : diagnosticsOf(finding))
      all.push_back(std::move(diagnostic));
  }
  document_["findings"] = std::move(list);
  document_["suppressed"] = suppressed;
  const std::string rest = suppressed ? fmt::format("; {} suppressed", suppressed) : "";
  if (findings.empty())
    return text("check     no findings" + rest);
  text(fmt::format("check     {} finding{}, {} instance{}{}", findings.size(),
                   findings.size() == 1 ? "" : "s", instances, instances == 1 ? "" : "s", rest));
  if (!json_)
    put(stderr, renderDiagnostics(all, useColor()));
}

int Output::finishWithFindings() {
  finish(false);
  return kFindingsExitCode;
}

void Output::printDocument(bool ok) {
  Json whole = {{"ok", ok}};
  for (auto &[key, value] : document_.items())
    whole[key] = value;
  whole["warnings"] = warnings_;
  // Bytes of the user's files that are not UTF-8 become U+FFFD: the document itself is always valid.
  put(stdout, whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string shapeText(const std::vector<uint64_t> &shape) {
  std::string text;
  for (uint64_t extent : shape)
    text += fmt::format("{}{}", text.empty() ? "" : ",", extent);
  return "[" + text + "]";
}

Json jsonScalar(const void *value, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  const std::string text = formatScalar(value, type);
  if (info.cls == ScalarClass::Bool)
    return text == "true";
  if (info.cls == ScalarClass::Float) {
    const double v = floatValue(value, type);
    return std::isfinite(v) ? Json::parse(text) : Json(text); // JSON has no inf and nan: strings
  }
  return Json::parse(text);
}

FirstValues firstValues(std::string_view bytes, ScalarType type) {
  constexpr uint64_t kShown = 8;
  const uint64_t step = scalarTypeInfo(type).bytes, count = bytes.size() / step;
  FirstValues first{"", Json::array()};
  for (uint64_t i = 0; i < std::min(count, kShown); ++i) {
    const char *value = bytes.data() + i * step;
    first.text += fmt::format("{}{}", i ? " " : "", formatScalar(value, type));
    first.json.push_back(jsonScalar(value, type));
  }
  if (count > kShown)
    first.text += " ...";
  return first;
}

Result<void> checkWritable(const std::string &path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return Error::usage("unwritable-file",
                        fmt::format("cannot write '{}': no folder '{}'", path, folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    return Error::usage("unwritable-file",
                        fmt::format("cannot write '{}': folder '{}' is not writable", path, folder.string()));
  return {};
}

} // namespace assay::cli
