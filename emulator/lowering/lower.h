// Lowering turns one kernel of a module, with its function constants, into native code for this CPU. It does
// not use Clang, and includes LLVM only in .cpp files.
//
// In the bitcode that lowering gets, the primitives of msl_shim/detail/primitives.h are functions without a
// body. pipeline.cpp and the two halves that it calls (neutral_module.h, lower_for_fibers.h) have the order
// of the passes. Each pass has a file of its own.
#pragma once

#include "support/abi/code_options.h"
#include "support/abi/group_shape.h"
#include "support/abi/kernel_code.h"
#include "support/abi/module_info.h"
#include "support/text/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay::lowering {

/// A function with more instructions than this is compiled in a cheaper way (large_functions.h).
inline constexpr size_t kLargeFunction = 60'000;

/// How much work code generation does. Both make code of the same instructions of IR, so that it computes the
/// same bits. Quick takes two fifths of the time, and its code may be several times slower.
enum class CodeEffort : uint8_t { Full, Quick };

/// What lowering knows besides CodeOptions.
struct LoweringTarget {
  /// The functions that function tables may hold, by ModuleInfo::handleOf, in ascending order.
  std::vector<uint32_t> linkedFunctions;
  std::string cpu;  ///< to generate code for, by LLVM's name; empty: this machine's, with all its features
  GroupShape group; ///< Engine::Vector: of the threadgroups that the code is for
  /// Code for fibers, whatever the engine, if threads are independent (independent_threads.h).
  bool independentOnFibers = false;
  size_t largeFunction = kLargeFunction; ///< tests lower it, so that small kernels count as large
  std::string printIrAfter; ///< a pass, or "all": the module after it goes to stderr, for developers
};

struct LoweringOptions : CodeOptions, LoweringTarget {};

/// What is cached: the object and what the runtime must know about it.
struct LoweredKernel {
  KernelCodeInfo info;
  std::string object; ///< ELF relocatable
};

/// errors: Kernel "missing-function-constant" (names it), "threadgroup-memory" (both numbers), "unsupported"
Result<LoweredKernel> lowerKernel(std::string_view bitcode, const ModuleInfo &module,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options);

/// What all codes of a kernel have in common: the kernel with its function constants, after the first half of
/// lowering, as bitcode. It does not depend on the engine, on the shape of threadgroups or on lockstep.
class NeutralKernel {
public:
  /// errors: those of lowerKernel
  static Result<NeutralKernel> make(std::string_view bitcode, const ModuleInfo &module,
                                    const KernelInfo &kernel,
                                    const std::map<uint32_t, ConstantValue> &constants,
                                    const LoweringOptions &options);
  size_t bytes() const; ///< of memory, roughly

private:
  friend class BegunKernel;
  struct State;
  explicit NeutralKernel(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// A kernel halfway through lowerKernel, where it is known that lowerKernel will not refuse it. Optimisation
/// and code generation are left. They take most of the time, and may run on any thread.
class BegunKernel {
public:
  /// module, kernel   outlive this object
  /// errors           those of lowerKernel
  static Result<BegunKernel> begin(const NeutralKernel &neutral, const ModuleInfo &module,
                                   const KernelInfo &kernel,
                                   const std::map<uint32_t, ConstantValue> &constants,
                                   const LoweringOptions &options);
  BegunKernel(BegunKernel &&) noexcept;
  ~BegunKernel();
  /// The info that lowerKernel returns, except that stackBytes is missing and usesFloatAtomics may still
  /// become true.
  const KernelCodeInfo &info() const;
  /// To be called once. An error of CodeEffort::Full is not the kernel's fault; the code of Quick may need
  /// more stack than there is.
  Result<LoweredKernel> finish(CodeEffort effort = CodeEffort::Full);

private:
  struct State;
  explicit BegunKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Runs every pass and generates no code, for scripts/check-lowering. errors: those of lowerKernel
Result<void> runPasses(std::string_view bitcode, const ModuleInfo &module, const KernelInfo &kernel,
                       const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options);

/// For kernels with function-constant-conditional arguments: which arguments exist under these constants.
/// Bit i is argument i of the kernel. Cheap: no code is generated.
Result<std::vector<bool>> activeArguments(std::string_view bitcode, const ModuleInfo &module,
                                          const KernelInfo &kernel,
                                          const std::map<uint32_t, ConstantValue> &constants,
                                          const LoweringOptions &options = {});

/// For kernels with arguments that have an ArgumentInfo::indexConstant: the kernel with the indices that
/// these constants give. Every other function here takes this kernel. No code is generated.
///   errors   Kernel "missing-function-constant"; "argument-index": the index is out of range, or another
///            argument has it
Result<KernelInfo> placeArguments(std::string_view bitcode, const ModuleInfo &module,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options = {});

/// The CPU and its features as code generation sees them: part of every cache key.
///   cpu   as LoweringOptions::cpu
std::string targetKey(const std::string &cpu);

struct RuntimeSymbol {
  std::string_view name;
  void *address;
};

/// Native code in memory, ready to run. The object owns the pages of the code.
class NativeKernel {
public:
  /// symbols   every function that the object may call. Any other name is an error, and is never looked up in
  /// the process
  ///
  /// debug     registers the code with gdb
  static Result<std::unique_ptr<NativeKernel>>
  load(LoweredKernel lowered, std::span<const RuntimeSymbol> symbols, bool debug = false);
  ~NativeKernel();
  const KernelCode &code() const;

private:
  NativeKernel();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::lowering
