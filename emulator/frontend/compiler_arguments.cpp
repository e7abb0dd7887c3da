#include "frontend/compiler_arguments.h"

#include "frontend/imageblock_space.h"
#include "frontend/method_spaces.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

// The options that turn C++ into Metal, as -cc1 options; the stock driver passes them on by -Xclang.
const char *const kLanguage[] = {
    "-fsycl-is-device",                // OpenCL address spaces as types, the default one a superset
    "-ffake-address-space-map",        // with their numbers kept in IR
    "-fdeclspec",                      // swizzles are __declspec(property)
    "-cl-single-precision-constant",   // an unsuffixed literal is a float
    "-ffp-contract=on",                // a*b+c in one expression; lowering decides what that means
    "-ffloat16-excess-precision=none", // every half operation rounds
    "-fbfloat16-excess-precision=none",
    "-fno-rtti",
    "-fwrapv",           // integers wrap as they do on the GPU
    "-relaxed-aliasing", // kernels reinterpret memory freely
    "-fno-finite-loops", // an endless loop is reported, not removed
    "-fno-delete-null-pointer-checks",
    "-fno-threadsafe-statics",
};

// Warnings of stock Clang that say nothing about Metal code.
const char *const kSilent[] = {
    "-Wno-duplicate-decl-specifier", // `const constant`
    "-Wno-unknown-pragmas",          // #pragma METAL ...
    "-Wno-ignored-pragmas", "-Wno-pass-failed", "-Wno-unused-value", "-Wno-unused-const-variable",
    "-Wno-unused-function", "-Wno-unused-private-field", "-Wno-missing-braces",
    "-Wno-gcc-compat",       // attributes after a declarator
    "-Wno-c++17-extensions", // Apple's Clang accepts them in Metal 3, too
    "-Wno-c++20-extensions", "-Wno-c99-designator", "-Wno-gnu-designator", "-Wno-initializer-overrides",
    "-Wno-undefined-internal", "-Wno-undefined-inline", "-Wno-unused-local-typedef",
    // `typedef NS_ENUM(NSInteger, Name) {..}` of the headers that Xcode's templates share with the host.
    "-Wno-elaborated-enum-base", "-Wno-psabi",
    "-Wvla-cxx-extension",                    // read for its notes, and not shown: diagnostics.h
    "-Wno-unaligned-qualifier-implicit-cast", // an error, with words of its own: imageblock_space.h
    "-fno-elide-type",                        // `float4 to float3`, not `vec<[...], 4> to vec<[...], 3>`
};

// Programs ask who compiles them, and headers that they share with hosts have the words of Apple's platforms.
// source: `xcrun metal -x metal -E -dM` in llama.cpp's pull request 16634, and more of it in cristim/mslc.
const char *const kPlatform[] = {"-D__APPLE__=1",
                                 "-D__APPLE_CC__=6000",
                                 "-D__AIR64__=1",
                                 "-D_LP64=1",
                                 "-D__nonnull=_Nonnull",
                                 "-D__nullable=_Nullable",
                                 "-D__null_unspecified=_Null_unspecified"};
// What the machine has that runs the kernels, and Metal's machine has not.
const char *const kNotThisMachine[] = {
    "linux",    "__linux",  "__linux__",  "__gnu_linux__", "unix",        "__unix",       "__unix__",
    "__ELF__",  "__x86_64", "__x86_64__", "__amd64",       "__amd64__",   "__k8",         "__k8__",
    "__MMX__",  "__FXSR__", "__SSE__",    "__SSE2__",      "__tune_k8__", "__SSE_MATH__", "__SSE2_MATH__",
    "__SEG_FS", "__SEG_GS", "__seg_fs",   "__seg_gs"};

// What a version brings that was asked for. Compilers for systems before macOS 11, which has Metal 2.3, knew
// C's `restrict`. source: the Metal FAQ (faq.sealedabstract.com/metal_faq), of "various C99/C11 features".
std::vector<std::string> versionMacros(LanguageVersion version) {
  if (version == LanguageVersion::Any)
    return {};
  std::vector<std::string> macros = {fmt::format("-D__METAL_VERSION__={}", unsigned(version))};
  if (version < LanguageVersion::Metal2_3)
    macros.emplace_back("-Drestrict=__restrict");
  return macros;
}

} // namespace

std::vector<std::string> compilerArguments(const SourceRequest &request, const std::string &shimPath,
                                           PreludeForm prelude) {
  std::vector<std::string> a = {
      "-triple",
      "x86_64-pc-linux-gnu",
      "-aux-triple",
      "x86_64-pc-linux-gnu",
      "-emit-llvm-only",
      "-disable-llvm-passes",
      "-O2",
      "-fno-verbose-asm",
      "-x",
      "c++",
      fmt::format("-std={}", cppStandardOf(request.language)),
      "-nostdsysteminc",
      "-nobuiltininc",
      "-nostdinc++",
      "-fgnuc-version=4.2.1",
      "-ferror-limit",
      "0",
      "-mframe-pointer=none",
      "-target-cpu",
      "x86-64",
      "-Wall",
      "-dwarf-version=4",
      "-debugger-tuning=gdb",
  };
  // Clang shortens absolute paths by a prefix shared with this directory; with "/" they do not change.
  a.push_back("-fdebug-compilation-dir=/");
  const size_t slash = request.path.rfind('/');
  a.insert(a.end(),
           {"-main-file-name", slash == std::string::npos ? request.path : request.path.substr(slash + 1)});
  a.push_back(request.debug ? "-debug-info-kind=constructor" : "-debug-info-kind=line-tables-only");
  a.insert(a.end(), std::begin(kPlatform), std::end(kPlatform));
  for (const char *macro : kNotThisMachine)
    a.push_back(fmt::format("-U{}", macro));
  a.insert(a.end(), std::begin(kLanguage), std::end(kLanguage));
  if (request.contractStatements)
    a.push_back("-ffp-contract=fast-honor-pragmas"); // the last one counts
  a.insert(a.end(), std::begin(kSilent), std::end(kSilent));
  for (const std::string &path : request.includePaths) {
    a.push_back("-I");
    a.push_back(path);
  }
  a.insert(a.end(), {"-internal-isystem", shimPath});
  if (prelude == PreludeForm::Text)
    a.insert(a.end(), {"-include", shimPath + "/detail/prelude.h"});
  if (prelude == PreludeForm::Precompiled)
    a.insert(a.end(), {"-include-pch", std::string(kPrecompiledPath)});
  if (prelude == PreludeForm::Prefix)
    a.insert(a.end(), {"-include-pch", std::string(kPrefixPath)});
  if (request.impliesLibrary && prelude != PreludeForm::Prefix) // the beginning was compiled after it
    a.insert(a.end(), {"-include", shimPath + "/metal_stdlib"});
  if (prelude != PreludeForm::Prefix)
    for (const std::string &header : request.headers)
      a.insert(a.end(), {"-include", header});
  if (!request.probes.empty())
    a.insert(a.end(), {"-include", shimPath + "/assay/probe"});
  for (std::string &macro : versionMacros(request.language))
    a.push_back(std::move(macro));
  for (const auto &[name, value] : request.defines)
    a.push_back(fmt::format("-D{}={}", name, value));
  return a;
}

bool prepareCompiler(clang::CompilerInstance &compiler, const SourceRequest &request, PreludeForm prelude,
                     const std::vector<std::string> &more, clang::DiagnosticConsumer &consumer,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  std::vector<std::string> arguments = compilerArguments(request, std::string(kShimRoot), prelude);
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back(request.path);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  // The arguments contain the warning flags, so they are read before the engine that uses them exists.
  clang::DiagnosticsEngine reader(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &consumer, false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, reader))
    return false;
  compiler.getDiagnosticOpts().ShowCarets = false; // otherwise it prints the number of errors
  compiler.createDiagnostics(&consumer, false);
  compiler.createFileManager(std::move(files));
  return true;
}

void beginSource(clang::CompilerInstance &compiler) {
  makeThreadSpacePlain(compiler.getTarget());
  addImageblockWord(compiler.getPreprocessor());
}

void overrideSource(clang::CompilerInstance &compiler, const std::string &path, const std::string &text) {
  clang::PreprocessorOptions &options = compiler.getPreprocessorOpts();
  options.addRemappedFile(path, llvm::MemoryBuffer::getMemBuffer(text, path).release());
}

std::string stockCommandLine(const SourceRequest &request, const std::string &shimPath) {
  std::string line = fmt::format(
      "clang++-19 -x c++ -std={} -nostdinc -nostdinc++ -fno-exceptions -Xclang -aux-triple -Xclang "
      "x86_64-pc-linux-gnu",
      cppStandardOf(request.language));
  for (const char *option : kLanguage)
    line += fmt::format(" -Xclang {}", option);
  for (const char *option : kSilent)
    line += fmt::format(" {}", option);
  line += " -D__assay_imageblock="; // the front end's own keyword: imageblock_space.h
  // The prelude asks for these before the translation could define them.
  for (const std::string &macro : versionMacros(request.language))
    line += " " + macro;
  for (const auto &[name, value] : request.defines)
    if (name == kIosMacro)
      line += fmt::format(" -D{}={}", name, value);
  line += fmt::format(" -isystem {0} -include {0}/detail/prelude.h", shimPath);
  return line;
}

} // namespace assay::frontend
