#include "frontend/precompiled_shim.h"

#include "frontend/compiler_arguments.h"
#include "frontend/deferred_checks.h"
#include "frontend/float_literals.h"
#include "frontend/program_checks.h"
#include "frontend/tokens.h"
#include "frontend/vector_contraction.h"
#include "support/files/hash.h"
#include "support/text/header_search.h"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace assay::frontend {
namespace {

// The program's macro that the shim tests by #ifdef.
constexpr std::string_view kAsked = "ASSAY_ASSERTIONS";

// --- which part -------------------------------------------------------------------------------------------

struct TextFacts {
  bool standardLibrary = false, asked = false;
  std::vector<std::string> headers;
};

TextFacts factsOf(const std::string &text) {
  TextFacts facts;
  facts.asked = text.find(kAsked) != std::string::npos;
  if (text.find("include") == std::string::npos)
    return facts;
  const auto lexed = lexSource(text);
  const std::vector<RawToken> &tokens = lexed->tokens;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].startsLine || !tokens[i].is("#"))
      continue;
    if (!tokens[i + 1].is("include") && !tokens[i + 1].is("import"))
      continue;
    const size_t from = tokens[i + 2].offset;
    std::string operand = text.substr(from, text.find('\n', from) - from);
    if (operand.starts_with("<metal_stdlib>"))
      facts.standardLibrary = true;
    else
      facts.headers.push_back(std::move(operand));
  }
  return facts;
}

// --- making one -------------------------------------------------------------------------------------------

// Changes the shim's declarations on their way into the PCH; compare KernelConsumer in compile.cpp.
class ShimConsumer : public clang::SemaConsumer {
public:
  clang::ASTMutationListener *GetASTMutationListener() override { return &listener_; }
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    contraction_.keep(group);
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext &) override {
    contraction_.apply(*sema_);
    forgetDeferredChecks(*sema_);
  }

private:
  ClassListener listener_;
  VectorContraction contraction_{VectorContraction::Reach::Everything};
  clang::Sema *sema_ = nullptr;
};

class ShimAction : public clang::ASTFrontendAction {
public:
  explicit ShimAction(std::shared_ptr<clang::PCHBuffer> buffer) : buffer_(std::move(buffer)) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ShimConsumer>());
    consumers.push_back(std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), std::string(kPrecompiledPath), "", buffer_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(), false, /*IncludeTimestamps=*/false));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    beginSource(compiler);
    compiler.getPreprocessor().setTokenWatcher([floats = floatLiteralsAsSingle()](const clang::Token &seen) {
      floats(const_cast<clang::Token &>(seen));
    });
    return true;
  }

private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// Only the parts of the request that can affect the shim.
SourceRequest requestForShim(const SourceRequest &request, ShimPart part) {
  SourceRequest shim;
  shim.path = std::string(kShimRoot) + (part == ShimPart::Prelude ? "/detail/prelude.h" : "/metal_stdlib");
  shim.language = request.language;
  shim.debug = request.debug;
  shim.contractStatements = request.contractStatements;
  for (const auto &define : request.defines)
    if (define.first == kAsked || define.first.starts_with("__"))
      shim.defines.push_back(define);
  return shim;
}

// Clang's arguments for the shim's file request.path.
std::vector<std::string> argumentsFor(const SourceRequest &request, ShimPart part) {
  std::vector<std::string> arguments = compilerArguments(
      request, std::string(kShimRoot), part == ShimPart::Prelude ? PreludeForm::None : PreludeForm::Text);
  arguments.push_back(request.path);
  return arguments;
}

std::string make(const std::vector<std::string> &arguments) {
  clang::CompilerInstance compiler;
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  clang::IgnoringDiagConsumer silent; // every test compiles the unchanged shim
  clang::DiagnosticsEngine reader(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &silent, false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, reader))
    return {};
  compiler.createDiagnostics(&silent, false);
  compiler.createFileManager(llvm::makeIntrusiveRefCnt<ViewFileSystem>());
  const auto buffer = std::make_shared<clang::PCHBuffer>();
  ShimAction action(buffer);
  if (!compiler.ExecuteAction(action) || !buffer->IsComplete)
    return {};
  return std::string(buffer->Data.begin(), buffer->Data.end());
}

// One for each key; the first thread that needs it makes it while others wait.
struct Entry {
  std::mutex mutex;
  bool asked = false;
  std::shared_ptr<const std::string> bytes;
};

Entry &entryOf(const std::string &key) {
  static std::mutex mutex;
  static std::map<std::string, Entry> entries;
  const std::lock_guard lock(mutex);
  return entries[key];
}

std::string keyOf(const std::vector<std::string> &arguments) {
  std::string text = clang::getClangFullVersion();
  for (const std::string &argument : arguments)
    text += '\n' + argument;
  return hashBytes(text);
}

} // namespace

ShimNeed shimNeedOf(const SourceRequest &request, ViewFileSystem &files) {
  std::deque<std::string> open = {request.path};
  std::set<std::string> seen;
  bool standardLibrary = false, asked = false;
  for (const std::string &name : request.headers)
    if (const auto header = findFirstHeader(name, request.includePaths))
      open.push_back(header->string());
    else
      standardLibrary |= name == "metal_stdlib";
  while (!open.empty()) {
    const std::string path = std::move(open.front());
    open.pop_front();
    if (!seen.insert(path).second)
      continue;
    const std::string *text = files.original(path);
    if (!text)
      continue;
    const TextFacts facts = factsOf(*text);
    asked |= facts.asked;
    standardLibrary |= facts.standardLibrary;
    for (const std::string &operand : facts.headers)
      if (const auto header = findUserHeader(path, operand, request.includePaths))
        open.push_back(header->string());
  }
  ShimNeed need;
  need.impliesLibrary = request.impliesLibrary && !(asked && standardLibrary);
  if (!asked && (standardLibrary || need.impliesLibrary))
    need.part = ShimPart::StandardLibrary;
  return need;
}

std::shared_ptr<const std::string> precompiledShim(const SourceRequest &request, ShimPart part,
                                                   PrecompiledStore *store) {
  const std::vector<std::string> arguments = argumentsFor(requestForShim(request, part), part);
  const std::string key = keyOf(arguments);
  Entry &entry = entryOf(key);
  const std::lock_guard lock(entry.mutex);
  if (entry.bytes)
    return entry.bytes;
  if (store)
    if (std::optional<std::string> kept = store->get(key))
      return entry.bytes = std::make_shared<const std::string>(std::move(*kept));
  if (!store && !std::exchange(entry.asked, true))
    return nullptr;
  std::string made = make(arguments);
  if (made.empty())
    return nullptr;
  if (store)
    store->put(key, made);
  return entry.bytes = std::make_shared<const std::string>(std::move(made));
}

} // namespace assay::frontend
