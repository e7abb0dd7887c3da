// One kernel of a module + function constants → native code, in two halves: the neutral module
// (neutral_module.h), and an engine's code (lower_for_fibers.h).
#include "lower.h"

#include "codegen.h"
#include "function_constants.h"
#include "host_target.h"
#include "lower_for_fibers.h"
#include "neutral_module.h"
#include "primitives.h"
#include "print_ir.h"
#include "read_module.h"
#include "thread_memory.h"
#include "verify_ir.h"

#include "support/process/deep_stack.h"

#include <llvm/IR/LLVMContext.h>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

#ifdef ASSAY_VERIFY_IR
constexpr bool kVerifiesModules = true;
#else
constexpr bool kVerifiesModules = false;
#endif

Error noEntry(const KernelInfo &kernel) {
  return Error::usage(
      "bad-module", fmt::format("the module has no entry {} for kernel {}", kernel.entrySymbol, kernel.name));
}

// A module that was just read, with what passes need beside it.
struct OpenModule {
  llvm::LLVMContext context = {};
  std::unique_ptr<llvm::TargetMachine> machine = {};
  std::unique_ptr<llvm::Module> module = {};
  Lowering state;
  std::optional<Optimizer> optimizer = {};

  Result<void> open(std::string_view bitcode) {
    auto target = makeHostTarget(state.options.cpu, state.options.debug);
    if (!target)
      return target.error();
    machine = std::move(*target);
    auto read = readModule(bitcode, context);
    if (!read)
      return read.error();
    module = std::move(*read);
    module->setDataLayout(machine->createDataLayout());
    state.module = module.get();
    optimizer.emplace(*machine, state.options.debug);
    return {};
  }
};

// What is done with the module when every pass has run.
enum class Ending { Object, None };

Result<LoweredKernel> lowerHere(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                const KernelInfo &kernel, const std::map<uint32_t, ConstantValue> &constants,
                                const LoweringOptions &options, Ending ending) {
  OpenModule opened{.state = {moduleInfo, kernel, constants, options}};
  if (auto done = opened.open(bitcode); !done)
    return done.error();
  Lowering &state = opened.state;
  Optimizer &optimizer = *opened.optimizer;
  state.info.kernelName = kernel.name;
  state.entry = state.module->getFunction(kernel.entrySymbol);
  if (!state.entry)
    return noEntry(kernel);
  std::optional<Error> broken; // by the first pass that did
  const auto after = [&](llvm::StringRef pass) {
    printIrAfter(pass, options.printIrAfter, *state.module);
    if (kVerifiesModules && !broken)
      broken = verifyAfter(pass, *state.module);
  };
  if (auto done = makeNeutral(state, optimizer, after); !done)
    return done.error();
  if (auto done = lowerForFibers(state, optimizer, after); !done)
    return done.error();

  if (broken)
    return *broken;
  if (ending == Ending::None)
    return LoweredKernel{std::move(state.info), {}};
  auto object = generateObject(*state.module, *opened.machine, options.debug);
  if (!object)
    return object.error();
  if (auto done = refuseLargeFrame(state, object->stackBytes); !done)
    return done.error();
  state.info.stackBytes = uint32_t(object->stackBytes);
  return LoweredKernel{std::move(state.info), std::move(object->bytes)};
}

} // namespace

Result<LoweredKernel> lowerKernel(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options) {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] { result = lowerHere(bitcode, moduleInfo, kernel, constants, options, Ending::Object); });
  return std::move(*result);
}

Result<void> runPasses(std::string_view bitcode, const ModuleInfo &moduleInfo, const KernelInfo &kernel,
                       const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options) {
  Result<void> result;
  onDeepStack([&] {
    const auto lowered = lowerHere(bitcode, moduleInfo, kernel, constants, options, Ending::None);
    if (!lowered)
      result = lowered.error();
  });
  return result;
}

Result<std::vector<bool>> activeArguments(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                          const KernelInfo &kernel,
                                          const std::map<uint32_t, ConstantValue> &constants,
                                          const LoweringOptions &options) {
  std::vector<bool> active(kernel.arguments.size(), true);
  bool conditional = false;
  for (const ArgumentInfo &argument : kernel.arguments)
    conditional |= !argument.condition.empty();
  if (!conditional)
    return active;

  OpenModule opened{.state = {moduleInfo, kernel, constants, options}};
  if (auto done = opened.open(bitcode); !done)
    return done.error();
  declareEffects(*opened.module);
  if (auto done = foldInitializers(opened.state, *opened.optimizer); !done)
    return done.error();
  for (size_t i = 0; i < active.size(); ++i) {
    if (kernel.arguments[i].condition.empty())
      continue;
    Result<bool> value = readCondition(opened.state, kernel.arguments[i]);
    if (!value)
      return value.error();
    active[i] = *value;
  }
  return active;
}

} // namespace assay::lowering
