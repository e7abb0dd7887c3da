// The source view of a file, with the user's headers in place of their #include lines, as one C++ file for
// stock Clang. #line keeps every place in the user's files.
//
// The views are those of a compilation, since Clang's errors can ask for more than the text shows. Headers
// are searched by the text alone, in the preprocessor's order. A header under a false #if, which no
// compilation has read, is inserted too, which is harmless. An #include that is not found among the user's
// files is left for the shim.
#include "frontend/compile.h"
#include "frontend/compiled_views.h"
#include "frontend/compiler_arguments.h"
#include "frontend/source_view.h"
#include "frontend/tokens.h"
#include "support/files/find_ignoring_case.h"
#include "support/text/header_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> readFile(const fs::path &path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << file.rdbuf();
  return file ? std::optional(buffer.str()) : std::nullopt;
}

class Flattener {
public:
  explicit Flattener(const SourceRequest &request)
      : includePaths_(request.includePaths), files_(compiledViews(request)) {
    if (request.text)
      views_[fs::weakly_canonical(request.path)] = files_->view(request.path);
    for (const Dependency &file : files_->dependencies())
      if (const SourceView *view = files_->view(file.path))
        views_[fs::weakly_canonical(findIgnoringCase(file.path).value_or(file.path))] = view;
  }

  std::string flatten(const fs::path &path, const std::string &original, int depth = 0) {
    const auto compiled = views_.find(fs::weakly_canonical(path));
    const SourceView view = compiled != views_.end() ? *compiled->second : SourceView(original);
    const std::string &text = view.text();
    std::string out = fmt::format("#line 1 \"{}\"\n", path.string());
    size_t done = 0;
    const std::vector<RawToken> tokens = lexRaw(text);
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].startsLine || !tokens[i].is("#"))
        continue;
      if (tokens[i + 1].is("pragma") && tokens[i + 2].is("once"))
        once_.insert(fs::weakly_canonical(path));
      if (!tokens[i + 1].is("include") || depth > kMaxDepth)
        continue;
      const size_t lineEnd = std::min(text.find('\n', tokens[i + 1].offset), text.size());
      const std::string operand = text.substr(tokens[i + 2].offset, lineEnd - tokens[i + 2].offset);
      const auto header = findUserHeader(path, operand, includePaths_);
      if (!header)
        continue;
      out += text.substr(done, tokens[i].offset - done);
      if (!once_.contains(fs::weakly_canonical(*header)))
        out += flatten(*header, *readFile(*header), depth + 1);
      out += fmt::format("\n#line {} \"{}\"", std::count(text.begin(), text.begin() + lineEnd, '\n') + 2,
                         path.string());
      done = lineEnd;
    }
    return out + text.substr(done);
  }

private:
  static constexpr int kMaxDepth = 200;

  const std::vector<std::string> &includePaths_;
  const llvm::IntrusiveRefCntPtr<ViewFileSystem> files_;
  std::map<fs::path, const SourceView *> views_;
  std::set<fs::path> once_;
};

} // namespace

Result<std::string> translate(const SourceRequest &request, const std::string &shimPath) {
  const std::optional<std::string> text = request.text ? request.text : readFile(request.path);
  if (!text)
    return Error::usage("no-such-file", fmt::format("cannot read '{}'", request.path),
                        "give the path of a .metal file");
  std::string head = fmt::format("// {} -c FILE\n", stockCommandLine(request, shimPath));
  for (const auto &[name, value] : request.defines)
    head += fmt::format("#define {} {}\n", name, value);
  Flattener flattener(request);
  for (const std::string &name : request.headers) {
    const auto header = findFirstHeader(name, request.includePaths);
    head += header ? flattener.flatten(*header, readFile(*header).value_or("")) + "\n" : firstInclude(name);
  }
  return head + flattener.flatten(request.path, *text);
}

} // namespace assay::frontend
