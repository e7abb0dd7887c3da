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

// One lowering. The passes refer to what it was made of.
struct Passes {
  Passes(const ModuleInfo &moduleInfo, const KernelInfo &kernel,
         const std::map<uint32_t, ConstantValue> &constantsOfKernel, const LoweringOptions &lowering)
      : constants(constantsOfKernel), options(lowering),
        opened{.state = {moduleInfo, kernel, constants, options}} {}

  const std::map<uint32_t, ConstantValue> constants;
  const LoweringOptions options;
  OpenModule opened;
  std::optional<Error> broken;           // by the first pass that did
  std::optional<LoweredKernel> finished; // if it had to be known whether that goes well

  AfterPass after() {
    return [this](llvm::StringRef pass) {
      printIrAfter(pass, options.printIrAfter, *opened.module);
      if (kVerifiesModules && !broken)
        broken = verifyAfter(pass, *opened.module);
    };
  }

  Result<void> lower(std::string_view bitcode) {
    if (auto done = opened.open(bitcode); !done)
      return done;
    Lowering &state = opened.state;
    state.info.kernelName = state.kernel.name;
    state.entry = state.module->getFunction(state.kernel.entrySymbol);
    if (!state.entry)
      return noEntry(state.kernel);
    if (auto done = makeNeutral(state, *opened.optimizer, after()); !done)
      return done;
    if (auto done = lowerForFibers(state, *opened.optimizer, after()); !done)
      return done;
    return broken ? Result<void>(*broken) : Result<void>();
  }

  Result<void> optimize() {
    if (auto done = optimizeForFibers(opened.state, *opened.optimizer, after()); !done)
      return done;
    return broken ? Result<void>(*broken) : Result<void>();
  }

  Result<LoweredKernel> generate() {
    if (finished)
      return std::move(*finished);
    Lowering &state = opened.state;
    if (auto done = optimize(); !done)
      return done.error();
    auto object = generateObject(*state.module, *opened.machine, options.debug);
    if (!object)
      return object.error();
    if (auto done = refuseLargeFrame(state, object->stackBytes); !done)
      return done.error();
    state.info.stackBytes = uint32_t(object->stackBytes);
    return LoweredKernel{std::move(state.info), std::move(object->bytes)};
  }
};

} // namespace

struct BegunKernel::State : Passes {
  using Passes::Passes;
};

BegunKernel::BegunKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
BegunKernel::BegunKernel(BegunKernel &&) noexcept = default;
BegunKernel::~BegunKernel() {
  if (state_)
    onDeepStack([&] { state_.reset(); });
}

Result<BegunKernel> BegunKernel::begin(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                       const KernelInfo &kernel,
                                       const std::map<uint32_t, ConstantValue> &constants,
                                       const LoweringOptions &options) {
  BegunKernel begun(std::make_unique<State>(moduleInfo, kernel, constants, options));
  State &state = *begun.state_;
  std::optional<Error> error;
  onDeepStack([&] {
    if (Result<void> done = state.lower(bitcode); !done) {
      error = done.error();
    } else if (mayNeedMuchMemory(state.opened.state)) {
      Result<LoweredKernel> lowered = state.generate();
      if (!lowered)
        error = lowered.error();
      else
        state.finished = std::move(*lowered);
    }
  });
  if (error)
    return *error;
  return begun;
}

const KernelCodeInfo &BegunKernel::info() const {
  return state_->finished ? state_->finished->info : state_->opened.state.info;
}

Result<LoweredKernel> BegunKernel::finish() {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] {
    result = state_->generate();
    state_.reset();
  });
  return std::move(*result);
}

Result<LoweredKernel> lowerKernel(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options) {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] { // once for both halves
    Result<BegunKernel> begun = BegunKernel::begin(bitcode, moduleInfo, kernel, constants, options);
    result = begun ? begun->finish() : Result<LoweredKernel>(begun.error());
  });
  return std::move(*result);
}

Result<void> runPasses(std::string_view bitcode, const ModuleInfo &moduleInfo, const KernelInfo &kernel,
                       const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options) {
  Result<void> result;
  onDeepStack([&] {
    Passes passes(moduleInfo, kernel, constants, options);
    result = passes.lower(bitcode);
    if (result)
      result = passes.optimize();
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
