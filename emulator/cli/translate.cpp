// assay translate: the source view as C++ for stock clang++-19.
#include "commands.h"
#include "shim_path.h"

#include "../frontend/compile.h"
#include "../support/files/npy.h"

#include <fmt/format.h>

namespace assay::cli {
namespace {

struct TranslateArguments {
  SourceArguments source;
  std::string out;
};

constexpr const char *kExamples = R"(The output begins with a comment: the command line that compiles it.

Examples:
  assay translate add.metal
  assay translate kernels/attention.metal -I include -D HEAD_DIM=64 -o attention.cpp)";

int translate(const TranslateArguments &arguments) {
  Output out(false);
  const CompileOptions options = arguments.source.options();
  frontend::SourceRequest request;
  request.path = arguments.source.file();
  request.includePaths = options.includePaths;
  request.headers = options.headers;
  request.defines = options.preprocessorMacros;
  request.language = options.languageVersion;
  Result<SourceFile> source = readSource(request.path);
  if (!source)
    return out.fail(source.error());
  request.path = source->name;
  request.text = std::move(source->text);
  Result<std::string> text = frontend::translate(request, shimPath());
  if (!text)
    return out.fail(text.error());
  if (arguments.out.empty()) {
    putOut(*text);
    return 0;
  }
  // Replaces FILE in the first comment's command line: the name of the output is known only here.
  constexpr std::string_view kPlaceholder = " FILE";
  if (const size_t end = text->find('\n'); std::string_view(*text).substr(0, end).ends_with(kPlaceholder))
    text->replace(end - kPlaceholder.size() + 1, kPlaceholder.size() - 1, arguments.out);
  if (Result<void> written = writeFileAtomically(arguments.out, *text); !written)
    return out.fail(written.error());
  return 0;
}

} // namespace

void addTranslate(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<TranslateArguments>();
  CLI::App *command =
      app.add_subcommand("translate", "write a .metal file as C++ that stock clang++-19 compiles");
  arguments->source.addFileTo(*command);
  arguments->source.addOptionsTo(*command);
  command->add_option("-o,--output", arguments->out, "write to OUT.cpp instead of stdout")
      ->type_name("OUT.cpp");
  command->footer(kExamples);
  command->callback([arguments, &action] { action = [arguments] { return translate(*arguments); }; });
}

} // namespace assay::cli
