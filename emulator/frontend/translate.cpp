// The source view of a file as one C++ file for stock Clang.
#include "frontend/compile.h"
#include "frontend/compiler_arguments.h"
#include "frontend/source_view.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace assay::frontend {

Result<std::string> translate(const SourceRequest &request, const std::string &shimPath) {
  std::string text;
  if (request.text) {
    text = *request.text;
  } else {
    std::ifstream file(request.path, std::ios::binary);
    if (!file)
      return Error::usage("no-such-file", fmt::format("cannot read '{}'", request.path));
    std::ostringstream buffer;
    buffer << file.rdbuf();
    text = buffer.str();
  }
  return fmt::format("// {} -c FILE\n#line 1 \"{}\"\n{}", stockCommandLine(shimPath), request.path,
                     SourceView(text).text());
}

} // namespace assay::frontend
