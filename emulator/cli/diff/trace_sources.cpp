// See trace_sources.h.
#include "trace_sources.h"

#include "../../support/files/npy.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

constexpr std::string_view kName = "trace@";
constexpr size_t kMostFiles = 1000;

// The names in the lines `#include "name"`.
std::vector<std::string> quotedIncludes(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto skip = [&](std::string_view what) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      const bool found = line.starts_with(what);
      if (found)
        line.remove_prefix(what.size());
      return found;
    };
    if (!skip("#") || !(skip("include") || skip("import")) || !skip("\""))
      continue;
    if (const size_t quote = line.find('"'); quote != line.npos)
      names.emplace_back(line.substr(0, quote));
  }
  return names;
}

std::string withoutDots(std::string path) {
  while (path.starts_with("./") || path.starts_with("../"))
    path.erase(0, path.find('/') + 1);
  return path;
}

} // namespace

Result<TraceSources> TraceSources::read(const Call &call) {
  TraceSources sources;
  std::vector<std::string> seen;
  for (size_t i = 0; i < call.stepCount(); ++i)
    if (Result<void> ok = sources.add(call.step(i).file, call.step(i).file, call.compile, seen); !ok)
      return ok.error();
  return sources;
}

Result<void> TraceSources::add(const std::string &path, const std::string &probeFile,
                               const CompileOptions &options, std::vector<std::string> &seen) {
  const std::string name = std::filesystem::path(path).lexically_normal().string();
  if (seen.size() >= kMostFiles || std::find(seen.begin(), seen.end(), name) != seen.end())
    return {};
  seen.push_back(name);
  const Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  // What a file includes stands before it.
  for (const std::string &include : quotedIncludes(*text)) {
    std::vector<std::filesystem::path> folders{std::filesystem::path(path).parent_path()};
    folders.insert(folders.end(), options.includePaths.begin(), options.includePaths.end());
    for (const std::filesystem::path &folder : folders)
      if (const std::filesystem::path found = folder / include; std::filesystem::is_regular_file(found)) {
        if (Result<void> ok = add(found.string(), withoutDots(include), options, seen); !ok)
          return ok;
        break;
      }
  }
  for (SourceStatement &statement : statementsOf(*text)) {
    TracedStatement one;
    const size_t line = text->rfind('\n', statement.begin); // npos + 1 is 0
    one.where = {path, statement.line, uint32_t(statement.begin - (statement.begin ? line + 1 : 0) + 1)};
    one.text = text->substr(statement.begin, statement.after - statement.begin);
    one.probeFile = probeFile;
    one.statement = std::move(statement);
    statements_.push_back(std::move(one));
  }
  return {};
}

std::vector<SourceProbe> TraceSources::probes() const {
  std::vector<SourceProbe> probes;
  for (size_t i = 0; i < statements_.size(); ++i) {
    const auto &[statement, where, text, file, usable] = statements_[i];
    if (statement.value.empty() || !usable)
      continue;
    SourceProbe probe;
    probe.name = fmt::format("{}{}", kName, i);
    probe.expression = statement.value;
    probe.offset = statement.begin;
    switch (statement.form) {
    case ValueForm::Operand:
      probe.form = ProbeForm::TracedComma;
      probe.anchor = text.substr(0, statement.end - statement.begin);
      break;
    case ValueForm::After:
      probe.form = ProbeForm::Traced;
      probe.anchor = text;
      break;
    case ValueForm::Through:
      probe.form = ProbeForm::TracedThrough;
      probe.anchor =
          text.substr(statement.valueBegin - statement.begin, statement.valueEnd - statement.valueBegin);
      probe.offset = statement.valueBegin;
      break;
    }
    probe.file = file;
    probes.push_back(std::move(probe));
  }
  return probes;
}

size_t TraceSources::numberOf(const std::string &name) {
  size_t number = ~size_t(0);
  if (name.starts_with(kName))
    std::from_chars(name.data() + kName.size(), name.data() + name.size(), number);
  return number;
}

std::vector<AlignedText> TraceSources::texts() const {
  std::vector<AlignedText> texts;
  for (const TracedStatement &one : statements_)
    texts.push_back({one.statement.tokens, uint8_t(one.statement.kind)});
  return texts;
}

size_t TraceSources::drop(const std::vector<Diagnostic> &errors) {
  size_t dropped = 0;
  for (TracedStatement &one : statements_) {
    if (!one.usable || one.statement.value.empty())
      continue;
    const uint32_t last = one.where.line + uint32_t(std::count(one.text.begin(), one.text.end(), '\n'));
    const auto hits = [&](const Diagnostic &error) {
      return error.severity == Severity::Error && error.where.line >= one.where.line &&
             error.where.line <= last &&
             (error.where.file == one.where.file || error.where.file.ends_with("/" + one.probeFile));
    };
    one.usable = std::none_of(errors.begin(), errors.end(), hits);
    dropped += !one.usable;
  }
  return dropped;
}

size_t TraceSources::dropped() const {
  return size_t(std::count_if(statements_.begin(), statements_.end(),
                              [](const TracedStatement &one) { return !one.usable; }));
}

} // namespace assay::cli::diff
