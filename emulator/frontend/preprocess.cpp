#include "frontend/preprocess.h"

#include "frontend/compile_fixes.h"
#include "frontend/compiler_arguments.h"
#include "frontend/diagnostics.h"
#include "frontend/view_file_system.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::frontend {
namespace {

// User files as they are, not as source views.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> unchangedFiles(const SourceRequest &request) {
  auto files = llvm::makeIntrusiveRefCnt<ViewFileSystem>(ViewFileSystem::Reads::Originals);
  if (request.text)
    files->addText(request.path, *request.text);
  return files;
}

class HeaderWatcher : public clang::PPCallbacks {
public:
  HeaderWatcher(const clang::SourceManager &sources, std::vector<IncludedHeader> &headers)
      : sources_(sources), headers_(headers) {}

  void FileChanged(clang::SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    const clang::PresumedLoc place = sources_.getPresumedLoc(location);
    if (place.isInvalid())
      return;
    const llvm::StringRef name = place.getFilename();
    if (reason == ExitFile)
      depth_ -= depth_ > 0;
    if (reason != EnterFile)
      return;
    // The first file is the source itself; Clang's predefined macros are below it.
    if (name.starts_with("<"))
      return void(++depth_);
    if (depth_ > 0 && !isShimPath(name) && inMain_)
      headers_.push_back({depth_ - base_, name.str()});
    if (!inMain_)
      inMain_ = true, base_ = depth_;
    ++depth_;
  }

private:
  const clang::SourceManager &sources_;
  std::vector<IncludedHeader> &headers_;
  uint32_t depth_ = 0, base_ = 0;
  bool inMain_ = false;
};

class PrintAction : public clang::PreprocessorFrontendAction {
public:
  explicit PrintAction(Preprocessed &product) : product_(product) {}

protected:
  void ExecuteAction() override {
    clang::CompilerInstance &compiler = getCompilerInstance();
    clang::Preprocessor &preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<HeaderWatcher>(compiler.getSourceManager(), product_.headers));
    llvm::raw_string_ostream stream(product_.text);
    clang::DoPrintPreprocessedInput(preprocessor, &stream, compiler.getPreprocessorOutputOpts());
  }

private:
  Preprocessed &product_;
};

Result<Preprocessed> run(const SourceRequest &request, PreludeForm prelude,
                         const std::vector<std::string> &more) {
  const ViewFileSystem views; // none: places are those of the files
  CompileFixes fixes;
  DiagnosticCollector collector(views, fixes);
  clang::CompilerInstance compiler;
  Preprocessed product;
  bool done = prepareCompiler(compiler, request, prelude, more, collector, unchangedFiles(request));
  if (done) {
    PrintAction action(product);
    done = compiler.ExecuteAction(action);
  }
  product.warnings = collector.take();
  if (!done)
    return Error{ErrorKind::Kernel, std::move(product.warnings)};
  return product;
}

// What a program may ask for in an #if: Metal's version and limits; and by what the library's headers ask for
// features. The other macros of the prelude stand for keywords or are the shim's own.
bool isMetals(llvm::StringRef name, llvm::StringRef value) {
  if (name.starts_with("__ASSAY_LIBRARY_HAS(") || name == "__ASSAY_ANY_VERSION")
    return true;
  const bool limit = name[0] >= 'A' && name[0] <= 'Z' && !value.contains("__");
  return !name.contains('(') && (limit || name.starts_with("__METAL_") || name.starts_with("__HAVE_"));
}

Result<std::vector<std::pair<std::string, std::string>>> predefined(const SourceRequest &request) {
  SourceRequest empty = request;
  empty.path = "empty.metal";
  empty.text = "";
  empty.headers.clear();
  const Result<Preprocessed> macros = run(empty, PreludeForm::Text, {"-E", "-dM"});
  if (!macros)
    return macros.error();
  std::vector<std::pair<std::string, std::string>> all;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(macros->text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("#define "))
      continue;
    const auto [name, value] = line.split(' ');
    if (isMetals(name, value))
      all.emplace_back(name.str(), value.str());
  }
  return all;
}

} // namespace

Result<Preprocessed> preprocess(const SourceRequest &request, const PreprocessOptions &options) {
  const auto macros = predefined(request);
  if (!macros)
    return macros.error();
  SourceRequest whole = request;
  whole.language = LanguageVersion::Any; // its macro is among the predefined ones
  std::erase_if(whole.defines, [&](const auto &own) {
    return std::ranges::any_of(*macros, [&](const auto &given) { return given.first == own.first; });
  });
  whole.defines.insert(whole.defines.begin(), macros->begin(), macros->end());
  std::vector<std::string> more = {"-E", "-fkeep-system-includes"};
  if (!options.lineMarkers)
    more.push_back("-P");
  if (options.macroComments)
    more.push_back("-CC");
  else if (options.comments)
    more.push_back("-C");
  return run(whole, PreludeForm::None, more);
}

} // namespace assay::frontend
