#include "compiled_headers.h"

#include "builtin_stubs.h"
#include "header_edits.h"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

constexpr const char *kProgram = "/probes.cpp", *kHeaders = "/headers.h";

// As of Metal: a number is not converted to a smaller type in braces, and a vector to no other vector of its
// size.
constexpr const char *kArguments[] = {"-x",
                                      "c++",
                                      "-std=c++17",
                                      "-triple",
                                      "x86_64-pc-linux-gnu",
                                      "-fsyntax-only",
                                      "-fdeclspec",
                                      "-ferror-limit",
                                      "0",
                                      "-flax-vector-conversions=none",
                                      "-Wno-everything",
                                      "-Werror=c++11-narrowing",
                                      "-Werror=c++11-narrowing-const-reference",
                                      "-include",
                                      kHeaders,
                                      kProgram};

/// The first error of each line of the program. An error in the headers counts for the line that made Clang
/// compile that part of a template.
class LineErrors : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    llvm::SmallString<200> message;
    info.FormatDiagnostic(message);
    const unsigned line = lineOf(info);
    if (level >= clang::DiagnosticsEngine::Error) {
      last_ = std::string(message);
      open_ = line == 0;
      if (line)
        byLine.emplace(line, last_);
      else
        elsewhere = elsewhere.empty() ? last_ : elsewhere;
    } else if (level == clang::DiagnosticsEngine::Note && open_ && line) {
      byLine.emplace(line, last_);
      open_ = false;
    }
  }

  std::map<unsigned, std::string> byLine;
  std::string elsewhere; ///< the first error that is in the headers

private:
  /// 0: not in the program
  static unsigned lineOf(const clang::Diagnostic &info) {
    if (!info.hasSourceManager() || info.getLocation().isInvalid())
      return 0;
    const clang::SourceManager &sources = info.getSourceManager();
    const clang::SourceLocation place = sources.getExpansionLoc(info.getLocation());
    return sources.isInMainFile(place) ? sources.getExpansionLineNumber(place) : 0;
  }

  std::string last_;
  bool open_ = false; ///< the last error is in the headers, and no line has it yet
};

// How many probes are in one program.
constexpr size_t kTogether = 500;

} // namespace

CompiledHeaders::CompiledHeaders(const std::string &preprocessed, std::string_view memory) {
  const std::string edited = editedHeaders(preprocessed, memory);
  text_ = builtinStubs(edited) + edited;
  clang::SyntaxOnlyAction action;
  LineErrors errors;
  run("", action, errors);
  if (!errors.elsewhere.empty())
    throw std::runtime_error("stock Clang refuses the headers: " + errors.elsewhere);
}

void CompiledHeaders::run(const std::string &program, clang::FrontendAction &action,
                          clang::DiagnosticConsumer &consumer) const {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(kHeaders, 0, llvm::MemoryBuffer::getMemBuffer(text_, kHeaders));
  files->addFile(kProgram, 0, llvm::MemoryBuffer::getMemBuffer(program, kProgram));
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(&consumer, false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), kArguments,
                                                 compiler.getDiagnostics()))
    throw std::runtime_error("Clang refuses its options");
  compiler.createFileManager(files);
  compiler.ExecuteAction(action);
}

std::map<size_t, std::string> CompiledHeaders::refused(const std::vector<Probe> &probes) const {
  std::map<size_t, std::string> messages;
  for (size_t first = 0; first < probes.size(); first += kTogether) {
    const size_t last = std::min(first + kTogether, probes.size());
    // Clang reports an error of a template once. Without the lines that have it, others have it.
    for (size_t before = messages.size() + 1; before != messages.size();) {
      before = messages.size();
      std::string program = beginningOfPrograms();
      const size_t firstLine = std::ranges::count(program, '\n') + 1;
      for (size_t i = first; i < last; ++i)
        program += (messages.contains(i) ? "" : programLine(probes[i], i)) + "\n";
      clang::SyntaxOnlyAction action;
      LineErrors errors;
      run(program, action, errors);
      for (const auto &[line, message] : errors.byLine) {
        if (line < firstLine || line - firstLine >= last - first)
          throw std::runtime_error("an error that is in no probe: " + message);
        messages.emplace(first + line - firstLine, message);
      }
    }
  }
  return messages;
}

} // namespace assay::apple_headers
