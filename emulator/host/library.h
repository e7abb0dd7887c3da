// MTLLibrary and MTLFunction: a compiled .metal file and the kernels in it.
#pragma once

#include "function_constants.h"
#include "math_mode.h"

#include "../support/abi/code_options.h"
#include "../support/abi/language_version.h"
#include "../support/abi/module_info.h"
#include "../support/text/result.h"
#include "../support/text/source_probe.h"

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// MTLCompileOptions.
struct CompileOptions {
  std::vector<std::string> includePaths;                               ///< -I
  std::vector<std::pair<std::string, std::string>> preprocessorMacros; ///< -D NAME=VALUE
  std::vector<std::string> headers;   ///< -include FILE: included in this order before the first line
  bool warningsAreErrors = false;     ///< -Werror; with several sources those of all, if one asks for it
  MathMode mathMode = MathMode::Fast; ///< Metal's default
  LanguageVersion languageVersion = LanguageVersion::Any;
  std::string name = "source.metal"; ///< what messages call a source given as text
  /// A source given as text may use Metal's library without an #include, as with the compiler of a Mac at run
  /// time. If this is set, it must include <metal_stdlib>, as a file must.
  bool textIsFile = false;
  /// The kernels that will be asked for; empty: all. The others are listed, but the bodies of their templates
  /// are not instantiated, which saves most of the time if a file instantiates hundreds.
  std::vector<std::string> kernels;
  std::vector<SourceProbe> probes; ///< put into the text before it is compiled; the file stays as it is
  bool debug = false;              ///< keep full debug information; needed for PipelineOptions::debug
  /// Products may be fused with sums of other statements, which NumericsProfile::contract calls `fast`. A
  /// pipeline must agree with its library.
  bool contractStatements = false;
  bool cache = true; ///< use the on-disk cache

  /// Sets what pipelines with these options need of their library: contractStatements, and `debug` if they
  /// are for the debugger.
  CompileOptions &forPipelines(const CodeOptions &pipelines);

  auto operator<=>(const CompileOptions &) const = default;
};

/// One of the sources of a library: a file or a text.
struct LibrarySource {
  std::string file = {};                ///< the path of a .metal file
  std::optional<std::string> text = {}; ///< the text instead of a file; messages call it options.name
  CompileOptions options = {};
};

namespace detail {
struct LibraryState;

struct FunctionState {
  std::shared_ptr<const LibraryState> library;
  const KernelInfo *kernel = nullptr;         ///< null for a visible function
  const OtherFunctionInfo *visible = nullptr; ///< null for a kernel
  std::map<uint32_t, ConstantValue> constants;
};
} // namespace detail

/// A kernel of a library with its function constants; pipelines are made of it. Or a visible function, which
/// is linked to pipelines (PipelineOptions::linkedFunctions).
class Function {
public:
  const std::string &name() const;
  bool isVisible() const { return state_.visible != nullptr; } ///< [[visible]] or [[stitchable]], no kernel
  const KernelInfo &info() const;                              ///< of a kernel; empty for a visible function
  /// The constants that the function may read.
  std::vector<FunctionConstantInfo> functionConstants() const;

private:
  friend class Library;
  friend class Device;
  friend class ComputePipeline;
  detail::FunctionState state_;
};

/// A handle: copies share the compiled module.
class Library {
public:
  std::vector<std::string> functionNames() const; ///< kernels, in source order
  const ModuleInfo &reflection() const;
  const std::vector<Diagnostic> &warnings() const;
  bool fromCache() const; ///< whether compiling was not necessary

  /// A kernel or a visible function.
  ///   errors   Usage "unknown-kernel" (names the nearest), "kernel-left-out" (by CompileOptions::kernels);
  ///            Kernel "unsupported"
  Result<Function> newFunction(std::string_view name) const;
  /// errors   as above; Usage "unknown-function-constant" (a name), "function-constant-type"
  Result<Function> newFunction(std::string_view name, const FunctionConstantValues &constants) const;

private:
  friend class Device;
  std::shared_ptr<const detail::LibraryState> state_;
};

} // namespace assay
