// The front end turns the text of a .metal file into LLVM bitcode and reflection. This is the only public
// header of frontend/; it includes no header of Clang.
//
// Problem.  A file for Apple's compiler must compile unchanged with a stock Clang that knows nothing of
//           Metal, and errors must be placed at the user's own line and column.
// Choice.   Clang 19 in process, C++17 or C++14 with -fsycl-is-device, in which the OpenCL address-space
//           attributes are real types and the default space is a superset of them. Keywords are macros of the
//           shim. For what macros cannot express, source_view.h edits tokens: it gives Clang an edited copy
//           of each user file through a virtual file system and maps every position back.
// Rejected. OpenCL C++ (no local threadgroup objects in helpers, no kernel templates); a patched Clang (not
//           installable); regular expressions over the text (wrong in strings, comments and macros).
#pragma once

#include "support/abi/language_version.h"
#include "support/abi/module_info.h"
#include "support/text/result.h"
#include "support/text/source_probe.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::frontend {

struct SourceRequest {
  std::string path;                ///< the file, or a name for `text`
  std::optional<std::string> text; ///< the source itself, if it does not come from a file
  std::vector<std::string> includePaths;
  std::vector<std::pair<std::string, std::string>> defines; ///< -D NAME=VALUE
  std::vector<std::string> headers; ///< -include: in this order, before the first line
  /// <metal_stdlib> is included before the first line, as Metal's compiler at run time does it with the text
  /// of a host. Files have to include it. source: a build that compiles its shaders to files with `-include
  /// metal_stdlib`, because "the runtime source compiler implicitly includes metal_stdlib".
  bool impliesLibrary = false;
  LanguageVersion language = LanguageVersion::Any;
  std::vector<std::string> kernels; ///< the kernels that get a body; empty: all
  bool debug = false;               ///< full debug information
  bool safeMath = false;            ///< math mode safe: unqualified functions are the precise ones
  std::vector<SourceProbe> probes;  ///< inserted into the views of the files that they name
  bool contractStatements = false;  ///< marks operations that lowering may contract across statements
  bool isLinked = false;            ///< set by compileSources() of several
};

/// A file that the result depends on. `digest` is the hash of its bytes when it was read (hashBytes in
/// support/files/hash.h); it is empty if there was no such file, so that a header added later is noticed.
struct Dependency {
  std::string path;
  std::string digest;
};

struct CompiledModule {
  ModuleInfo info;
  std::string bitcode;
  std::vector<Dependency> dependencies; ///< user files only; the shim is part of Assay's version
  std::vector<Diagnostic> warnings;
};

/// What the refusal of a program depends on, for callers that remember it.
struct Refusal {
  std::vector<Dependency> dependencies;
  bool lasts = false; ///< while these files stay the same; not after a limit, or if a header is missing
};

/// Where the front end may keep the precompiled shim from one process to the next. Keys are hexadecimal;
/// entries belong to one build of Assay.
class PrecompiledStore {
public:
  virtual ~PrecompiledStore() = default;
  virtual std::optional<std::string> get(const std::string &key) = 0;
  virtual void put(const std::string &key, const std::string &bytes) = 0;
};

/// Compiles one source. store: null for none. errors: Kernel with Clang's diagnostics, placed in the user's
/// files; Usage if the file cannot be read, or "probe-anchor", "probe-place", "probe-name", "probe-file".
Result<CompiledModule> compile(const SourceRequest &request, PrecompiledStore *store = nullptr);

/// Compiles several sources, and links them as the .metal files of one library (frontend/link.h). Options
/// that concern pipelines (debug, contractStatements) must be equal in all sources. A single source is
/// compiled as above, and nothing is linked: functions that it declares and does not define are found when a
/// pipeline is made.
///   refusal  null, or filled in if there is an error
///   errors   as above; Kernel "duplicate-symbol", "undefined-symbol", "symbol-type", with the places
Result<CompiledModule> compileSources(const std::vector<SourceRequest> &sources,
                                      PrecompiledStore *store = nullptr, Refusal *refusal = nullptr);

/// One source without a precompiled shim: slower, for tests.
Result<CompiledModule> compileParsingTheShim(const SourceRequest &request);

/// The source view of a file as C++ for stock clang++-19, beginning with the command line that compiles it.
///   shimPath   directory of the installed shim, for that command line
Result<std::string> translate(const SourceRequest &request, const std::string &shimPath);

} // namespace assay::frontend
