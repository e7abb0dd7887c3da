// metal: .metal to .air, or without -c to .metallib; .air are linked.
#include "classes/library_file.h"
#include "commands.h"
#include "files.h"
#include "host/preprocess.h"
#include "host/undefined_symbols.h"
#include "paste_includes.h"
#include "support/text/metal_options.h"
#include "support/text/write_rounding.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> includePaths;
  std::vector<std::string> headers; ///< -include
  std::vector<std::pair<std::string, std::string>> macros;
  LanguageVersion languageVersion = LanguageVersion::Any;
  LanguageVersion defaultVersion = LanguageVersion::Any; ///< without -std=
  MathMode mathMode = MathMode::Fast;
  bool objectOnly = false;
  bool preprocessOnly = false; ///< -E
  frontend::PreprocessOptions preprocess;
  bool namesHeaders = false; ///< -H
  bool warningsAreErrors = false, noWarnings = false;
  std::string dependencyFile; ///< -MF
  bool dependencies = false;  ///< -MD, -MMD
};

Error badOption(const std::string &message, const std::string &hint = {}) {
  return Error::usage("bad-option", message, hint);
}

Result<void> setLanguage(Request &request, std::string_view name) {
  const LanguageVersionInfo *info = findLanguageVersion(name);
  if (!info)
    return badOption(fmt::format("-std={}: no such version of Metal here", name),
                     fmt::format("there are {}", kLanguageVersionNames));
  request.languageVersion = info->version;
  if (info->ios)
    request.macros.emplace_back(kIosMacro, "1");
  return {};
}

Result<void> setOldestMac(Request &request, std::string_view version) {
  const Result<LanguageVersion> language = defaultLanguageOfMac(version);
  if (!language)
    return language.error();
  request.defaultVersion = *language;
  return {};
}

Result<void> setMacro(Request &request, const std::string &text, bool define) {
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  if (name.empty())
    return badOption(fmt::format("{} needs the name of a macro", define ? "-D" : "-U"));
  std::erase_if(request.macros, [&](const auto &macro) { return macro.first == name; });
  if (define)
    request.macros.emplace_back(name, equals < text.size() ? text.substr(equals + 1) : "1");
  return {};
}

/// Reads one command line, word by word.
class Parser {
public:
  explicit Parser(const std::vector<std::string> &arguments) : arguments_(arguments) {}

  Result<Request> run() {
    while (next_ < arguments_.size()) {
      const std::string &word = arguments_[next_++];
      const std::optional<MetalOptionUse> use = findMetalOption(word);
      if (Result<void> done = use ? take(word, *use) : takeOwn(word); !done)
        return done.error();
    }
    return checked();
  }

private:
  // The options that Assay's commands take, too.
  Result<void> take(const std::string &word, const MetalOptionUse &use) {
    if (use.option == MetalOption::WithoutEffect)
      return {};
    if (use.option == MetalOption::WarningsAreErrors) {
      request_.warningsAreErrors = true;
      return {};
    }
    std::string value(use.value.value_or(""));
    if (!use.value)
      if (Result<void> found = nextWord(word, value); !found)
        return found;
    switch (use.option) {
    case MetalOption::Language: return setLanguage(request_, value);
    case MetalOption::OldestMac: return setOldestMac(request_, value);
    case MetalOption::MathMode: return setMathMode(word, value);
    case MetalOption::WriteRounding: return checkTextureWriteRounding(value);
    case MetalOption::FirstHeader: request_.headers.push_back(value); return {};
    case MetalOption::Folder: request_.includePaths.push_back(value); return {};
    case MetalOption::Define: return setMacro(request_, value, true);
    case MetalOption::Undefine: return setMacro(request_, value, false);
    case MetalOption::SourceLanguage:
      if (value != kMetalLanguage)
        return badOption(fmt::format("-x {}: only {} is compiled", value, kMetalLanguage));
      return {};
    case MetalOption::System:
    case MetalOption::WarningsAreErrors:
    case MetalOption::WithoutEffect: return {};
    }
    return {};
  }

  // The options of a compiler's driver, and sources.
  Result<void> takeOwn(const std::string &word) {
    if (word == "-" || !word.starts_with('-'))
      request_.inputs.push_back(word);
    else if (word == "-c")
      request_.objectOnly = true;
    else if (word == "-E")
      request_.preprocessOnly = true;
    else if (word == "-P")
      request_.preprocess.lineMarkers = false;
    else if (word == "-C")
      request_.preprocess.comments = true;
    else if (word == "-CC")
      request_.preprocess.macroComments = true;
    else if (word == "-H")
      request_.namesHeaders = true;
    else if (word == "-w")
      request_.noWarnings = true;
    else if (word == "-MD" || word == "-MMD")
      request_.dependencies = true;
    else if (word == "-MT" || word == "-MQ")
      return badOption(word + " is not supported: the rule of -MD is for the output file");
    else if (word.starts_with("-MF"))
      return joinedOrNext(word, "-MF", request_.dependencyFile);
    else if (word.starts_with("-o"))
      return joinedOrNext(word, "-o", request_.output);
    else
      return badOption(
          fmt::format("unknown option '{}'", word),
          "here are -c -E -P -C -CC -H -o -D -U -I -isystem -include -std= -ffast-math -fno-fast-math "
          "-fmetal-math-mode= -ftexture-write-rounding-mode= -MD -MF");
    return {};
  }

  Result<void> nextWord(const std::string &option, std::string &value) {
    if (next_ == arguments_.size())
      return badOption(option + " needs a value");
    value = arguments_[next_++];
    return {};
  }
  // -o FILE and -oFILE
  Result<void> joinedOrNext(const std::string &word, std::string_view option, std::string &value) {
    if (word == option)
      return nextWord(word, value);
    value = word.substr(option.size());
    return {};
  }

  Result<void> setMathMode(const std::string &word, const std::string &name) {
    const Result<MathMode> mode = parseMathMode(name, word.substr(0, word.find('=') + 1));
    if (!mode)
      return mode.error();
    request_.mathMode = *mode;
    return {};
  }

  Result<Request> checked() {
    if (request_.languageVersion == LanguageVersion::Any)
      request_.languageVersion = request_.defaultVersion;
    if (request_.inputs.empty())
      return badOption("no source to compile");
    if (request_.preprocessOnly && request_.inputs.size() > 1)
      return badOption(fmt::format("-E takes one source, not {}", request_.inputs.size()));
    if (request_.objectOnly && request_.inputs.size() > 1 && !request_.output.empty())
      return badOption(fmt::format("-c with one -o takes one source, not {}", request_.inputs.size()));
    return std::move(request_);
  }

  const std::vector<std::string> &arguments_;
  size_t next_ = 0;
  Request request_;
};

std::string escaped(const std::string &path) { // for make
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

struct Compiled {
  StoredSource source;
  std::vector<std::string> files;
};

CompileOptions optionsOf(const Request &request, const std::string &input) {
  CompileOptions options;
  options.name = input == "-" ? "standard input" : input;
  options.includePaths = request.includePaths;
  options.headers = request.headers;
  options.preprocessorMacros = request.macros;
  options.languageVersion = request.languageVersion;
  options.mathMode = request.mathMode;
  return options;
}

// -E, and -H of a compilation, which prints the headers alone.
Result<void> preprocessed(const Request &request, const std::string &input) {
  Result<std::string> text = readAll(input);
  if (!text)
    return text.error();
  const Result<frontend::Preprocessed> done =
      detail::preprocess(optionsOf(request, input), std::move(*text), request.preprocess);
  if (!done)
    return done.error();
  if (request.namesHeaders)
    for (const frontend::IncludedHeader &header : done->headers)
      std::fprintf(stderr, "%s %s\n", std::string(header.depth, '.').c_str(), header.path.c_str());
  if (!request.preprocessOnly)
    return {};
  if (!request.noWarnings)
    std::fputs(renderDiagnostics(done->warnings).c_str(), stderr);
  return writeAll(request.output.empty() ? "-" : request.output, done->text);
}

Result<Compiled> compile(const Device &device, const Request &request, const std::string &input) {
  Result<std::string> text = readAll(input);
  if (!text)
    return text.error();
  Compiled compiled;
  compiled.source.name = input == "-" ? "standard input" : input;
  Result<PastedSource> pasted =
      pasteIncludes(compiled.source.name, *text, request.includePaths, request.headers);
  if (!pasted)
    return pasted.error();
  compiled.source.text = std::move(pasted->text);
  compiled.source.macros = request.macros;
  compiled.source.languageVersion = request.languageVersion;
  compiled.source.mathMode = request.mathMode;
  compiled.files = std::move(pasted->files);
  const Result<Library> library = compileSource(device, compiled.source);
  if (!library)
    return library.error();
  if (request.warningsAreErrors)
    if (std::optional<Error> error = warningsAsErrors(library->warnings()))
      return *error;
  if (!request.noWarnings) // of undefined symbols when it is linked, maybe with others
    std::fputs(renderDiagnostics(otherWarnings(library->warnings())).c_str(), stderr);
  return compiled;
}

// An .air is linked, as Apple's driver does it.
bool isCompiled(const std::string &input) {
  return input.ends_with(".air");
}

Result<std::vector<StoredSource>> readCompiled(const Request &request, const std::string &input) {
  if (request.objectOnly)
    return badOption(fmt::format("-c: '{}' is compiled already", input), "without -c it is linked");
  const Result<std::string> text = readAll(input);
  if (!text)
    return text.error();
  return readLibrary(*text, input);
}

Result<void> writeDependencies(const Request &request, const std::string &output, const std::string &input,
                               const std::vector<std::string> &files) {
  std::string rule = escaped(output) + ":";
  if (input != "-")
    rule += " " + escaped(input);
  for (const std::string &file : files)
    rule += " \\\n  " + escaped(file);
  return writeAll(request.dependencyFile.empty() ? fs::path(output).replace_extension(".d").string()
                                                 : request.dependencyFile,
                  rule + "\n");
}

Result<void> run(const Request &request) {
  if (request.preprocessOnly || request.namesHeaders)
    for (const std::string &input : request.inputs)
      if (!isCompiled(input))
        if (Result<void> done = preprocessed(request, input); !done)
          return done;
  if (request.preprocessOnly)
    return {};
  const Device device = Device::systemDefault();
  std::vector<StoredSource> sources;
  std::vector<std::string> files;
  for (const std::string &input : request.inputs) {
    if (isCompiled(input)) {
      Result<std::vector<StoredSource>> linked = readCompiled(request, input);
      if (!linked)
        return linked.error();
      std::move(linked->begin(), linked->end(), std::back_inserter(sources));
      files.push_back(input);
      continue;
    }
    Result<Compiled> compiled = compile(device, request, input);
    if (!compiled)
      return compiled.error();
    if (!request.objectOnly) {
      sources.push_back(std::move(compiled->source));
      files.insert(files.end(), compiled->files.begin(), compiled->files.end());
      continue;
    }
    const std::string output = !request.output.empty() ? request.output
                               : input == "-"          ? "-"
                                              : fs::path(input).filename().replace_extension(".air").string();
    if (Result<void> done = writeAll(output, writeLibrary({compiled->source})); !done)
      return done;
    if (request.dependencies)
      if (Result<void> done = writeDependencies(request, output, input, compiled->files); !done)
        return done;
  }
  if (request.objectOnly)
    return {};
  if (const auto linked = compileSources(device, sources); !linked)
    return linked.error();
  const std::string output = request.output.empty() ? "default.metallib" : request.output;
  if (Result<void> done = writeAll(output, writeLibrary(sources)); !done)
    return done;
  return request.dependencies ? writeDependencies(request, output, request.inputs.front(), files)
                              : Result<void>();
}

} // namespace

int metalCommand(const std::vector<std::string> &arguments) {
  if (arguments.size() == 1 && (arguments[0] == "--version" || arguments[0] == "-v")) {
    std::puts("Assay " ASSAY_VERSION " in the place of Apple's metal");
    return 0;
  }
  const Result<Request> request = Parser(arguments).run();
  if (!request)
    return complain("metal", request.error());
  const Result<void> done = run(*request);
  return done ? 0 : complain("metal", done.error());
}

} // namespace assay::metal
