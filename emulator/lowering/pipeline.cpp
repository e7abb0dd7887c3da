// One kernel of a module + function constants → native code, in two halves: the neutral module
// (neutral_module.h), and an engine's code (lower_for_fibers.h).
#include "lower.h"

#include "argument_slots.h"
#include "codegen.h"
#include "function_constants.h"
#include "host_target.h"
#include "independent_threads.h"
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

#include <algorithm>

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
    optimizer.emplace(*machine, state.options.debug, state.options.largeFunction);
    return {};
  }
};

// The neutral module between the two steps that make it. Every code begins with these bytes, the first one as
// well: what a code is does not depend on which codes were made before it.
struct NeutralState {
  std::string bitcode;
  KernelCodeInfo info;
  std::vector<OperandRegister> registers;
};

// One lowering, or a half of it. The passes refer to what it was made of.
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

  Result<void> open(std::string_view bitcode) {
    if (auto done = opened.open(bitcode); !done)
      return done;
    Lowering &state = opened.state;
    state.entry = state.module->getFunction(state.kernel.entrySymbol);
    return state.entry ? Result<void>() : noEntry(state.kernel);
  }

  // The first half, of the front end's module.
  Result<void> makeNeutral(std::string_view bitcode) {
    if (auto done = open(bitcode); !done)
      return done;
    opened.state.info.kernelName = opened.state.kernel.name;
    if (auto done = makeStructure(opened.state, *opened.optimizer, after()); !done)
      return done;
    return broken ? Result<void>(*broken) : Result<void>();
  }

  // The second half up to the optimisation.
  Result<void> lower(const NeutralState &neutral) {
    if (auto done = open(neutral.bitcode); !done)
      return done;
    Lowering &state = opened.state;
    if (auto done = materializeReachable(*state.entry, {}); !done)
      return done;
    state.info = neutral.info;
    state.registers = neutral.registers;
    if (auto done = makeSites(state, *opened.optimizer, after()); !done)
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

  Result<LoweredKernel> generate(CodeEffort effort = CodeEffort::Full) {
    if (finished)
      return std::move(*finished);
    Lowering &state = opened.state;
    if (auto done = optimize(); !done)
      return done.error();
    state.info.isQuick = effort == CodeEffort::Quick;
    if (state.info.isQuick)
      opened.machine->setOptLevel(llvm::CodeGenOptLevel::None);
    auto object = generateObject(*state.module, *opened.machine, options.debug, options.largeFunction);
    if (!object)
      return object.error();
    if (auto done = refuseLargeFrame(state, object->stackBytes); !done)
      return done.error();
    state.info.stackBytes = uint32_t(object->stackBytes);
    return LoweredKernel{std::move(state.info), std::move(object->bytes)};
  }
};

Result<void> write(NeutralState &neutral, std::string_view bitcode, const ModuleInfo &moduleInfo,
                   const KernelInfo &kernel, const std::map<uint32_t, ConstantValue> &constants,
                   const LoweringOptions &options) {
  Passes passes(moduleInfo, kernel, constants, options);
  if (auto done = passes.makeNeutral(bitcode); !done)
    return done;
  neutral.bitcode = writeModule(*passes.opened.module);
  neutral.info = std::move(passes.opened.state.info);
  neutral.info.independent = findIndependentThreads(*passes.opened.state.entry);
  neutral.registers = std::move(passes.opened.state.registers);
  return {};
}

} // namespace

struct NeutralKernel::State : NeutralState {};

NeutralKernel::NeutralKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

size_t NeutralKernel::bytes() const {
  return state_->bitcode.size();
}

Result<NeutralKernel> NeutralKernel::make(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                          const KernelInfo &kernel,
                                          const std::map<uint32_t, ConstantValue> &constants,
                                          const LoweringOptions &options) {
  const auto made = std::make_shared<State>();
  Result<void> done;
  onDeepStack([&] { done = write(*made, bitcode, moduleInfo, kernel, constants, options); });
  if (!done)
    return done.error();
  return NeutralKernel(made);
}

struct BegunKernel::State : Passes {
  using Passes::Passes;
};

BegunKernel::BegunKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
BegunKernel::BegunKernel(BegunKernel &&) noexcept = default;
BegunKernel::~BegunKernel() {
  if (state_)
    onDeepStack([&] { state_.reset(); });
}

Result<BegunKernel> BegunKernel::begin(const NeutralKernel &neutral, const ModuleInfo &moduleInfo,
                                       const KernelInfo &kernel,
                                       const std::map<uint32_t, ConstantValue> &constants,
                                       const LoweringOptions &options) {
  LoweringOptions own = options;
  if (own.independentOnFibers && neutral.state_->info.independent.known)
    own.engine = Engine::Fiber;
  BegunKernel begun(std::make_unique<State>(moduleInfo, kernel, constants, own));
  State &state = *begun.state_;
  std::optional<Error> error;
  onDeepStack([&] {
    if (Result<void> done = state.lower(*neutral.state_); !done) {
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

Result<LoweredKernel> BegunKernel::finish(CodeEffort effort) {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] {
    result = state_->generate(effort);
    state_.reset();
  });
  return std::move(*result);
}

Result<LoweredKernel> lowerKernel(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options) {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] { // once for all
    const auto neutral = NeutralKernel::make(bitcode, moduleInfo, kernel, constants, options);
    if (!neutral) {
      result = neutral.error();
      return;
    }
    Result<BegunKernel> begun = BegunKernel::begin(*neutral, moduleInfo, kernel, constants, options);
    result = begun ? begun->finish() : Result<LoweredKernel>(begun.error());
  });
  return std::move(*result);
}

Result<void> runPasses(std::string_view bitcode, const ModuleInfo &moduleInfo, const KernelInfo &kernel,
                       const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options) {
  Result<void> result;
  onDeepStack([&] {
    NeutralState neutral;
    result = write(neutral, bitcode, moduleInfo, kernel, constants, options);
    if (!result)
      return;
    Passes passes(moduleInfo, kernel, constants, options);
    result = passes.lower(neutral);
    if (result)
      result = passes.optimize();
  });
  return result;
}

namespace {

// For each argument whether it exists. The module's constants have been evaluated.
Result<std::vector<bool>> readConditions(const Lowering &state) {
  std::vector<bool> active;
  for (const ArgumentInfo &argument : state.kernel.arguments) {
    const Result<bool> value = argument.condition.empty() ? true : readCondition(state, argument);
    if (!value)
      return value.error();
    active.push_back(*value);
  }
  return active;
}

Result<void> evaluateConstants(OpenModule &opened, std::string_view bitcode) {
  if (auto done = opened.open(bitcode); !done)
    return done;
  declareEffects(*opened.module);
  return foldInitializers(opened.state, *opened.optimizer);
}

} // namespace

Result<std::vector<bool>> activeArguments(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                          const KernelInfo &kernel,
                                          const std::map<uint32_t, ConstantValue> &constants,
                                          const LoweringOptions &options) {
  if (std::ranges::all_of(kernel.arguments, [](const ArgumentInfo &a) { return a.condition.empty(); }))
    return std::vector<bool>(kernel.arguments.size(), true);
  OpenModule opened{.state = {moduleInfo, kernel, constants, options}};
  if (auto done = evaluateConstants(opened, bitcode); !done)
    return done.error();
  return readConditions(opened.state);
}

Result<KernelInfo> placeArguments(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options) {
  KernelInfo placed = kernel;
  OpenModule opened{.state = {moduleInfo, kernel, constants, options}};
  if (auto done = evaluateConstants(opened, bitcode); !done)
    return done.error();
  const Result<std::vector<bool>> active = readConditions(opened.state);
  if (!active)
    return active.error();
  if (auto done = placeArguments(opened.state, placed, *active); !done)
    return done.error();
  return placed;
}

} // namespace assay::lowering
