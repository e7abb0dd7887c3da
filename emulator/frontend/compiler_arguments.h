// Clang's options: one list for every compilation and for the command line that `assay translate` prints.
#pragma once

#include "frontend/compile.h"

#include <llvm/ADT/IntrusiveRefCntPtr.h>

#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
class DiagnosticConsumer;
} // namespace clang
namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace assay::frontend {

/// How the prelude, which every program sees, is read before its first line.
enum class PreludeForm {
  Text,        ///< detail/prelude.h is parsed
  Precompiled, ///< the file kPrecompiledPath is read; see precompiled_shim.h
  Prefix,      ///< the file kPrefixPath is read, which names kPrecompiledPath; see precompiled_prefix.h
  None         ///< the source contains it
};

/// Options of `clang++-19 -cc1` for a request, without the input file.
std::vector<std::string> compilerArguments(const SourceRequest &request, const std::string &shimPath,
                                           PreludeForm prelude);

/// Makes an instance of Clang ready to run an action on the source of a request, with the embedded shim.
///   more       options besides those of compilerArguments
///   consumer   outlives the instance
///   returns    false if Clang refuses an option; the consumer has been told
bool prepareCompiler(clang::CompilerInstance &compiler, const SourceRequest &request, PreludeForm prelude,
                     const std::vector<std::string> &more, clang::DiagnosticConsumer &consumer,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

/// What the options do not say, before the first token of a source or of the shim: thread memory is plain
/// memory (method_spaces.h), and imageblocks have a word (imageblock_space.h). Parsed forms must agree on it.
void beginSource(clang::CompilerInstance &compiler);

/// Makes Clang take the source from this text, like the unsaved text of an editor. A precompiled beginning of
/// the text is then valid although the rest has changed. The text must outlive the instance.
void overrideSource(clang::CompilerInstance &compiler, const std::string &path, const std::string &text);

/// A command line for the stock driver that compiles the translation of a request.
std::string stockCommandLine(const SourceRequest &request, const std::string &shimPath);

} // namespace assay::frontend
