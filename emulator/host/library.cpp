#include "library.h"
#include "nearest.h"
#include "placed_kernel.h"
#include "state.h"

#include <fmt/format.h>

namespace assay {
namespace {

using Constants = std::vector<FunctionConstantInfo>;

const FunctionConstantInfo *find(const Constants &constants, uint32_t index) {
  for (const FunctionConstantInfo &constant : constants)
    if (constant.index == index)
      return &constant;
  return nullptr;
}

// By its name as in the source, or by the last part of a qualified name.
const FunctionConstantInfo *find(const Constants &constants, std::string_view name) {
  for (const FunctionConstantInfo &constant : constants)
    if (constant.name == name || constant.name.ends_with("::" + std::string(name)))
      return &constant;
  return nullptr;
}

// What the function reads comes first: in another source of the library, an index or a name may stand for
// another constant.
const FunctionConstantInfo *find(const Constants &own, const Constants &all, const auto &key) {
  const FunctionConstantInfo *found = find(own, key);
  return found ? found : find(all, key);
}

Result<void> checkType(const FunctionConstantInfo &constant, const ConstantValue &value) {
  const DataType declared(constant.type, constant.components);
  const DataType given(value.type, static_cast<uint32_t>(value.components.size()));
  if (declared == given)
    return {};
  return Error::usage(
      "function-constant-type",
      fmt::format("function constant '{}' (index {}) is of type {}, the value given is of type {}",
                  constant.name, constant.index, declared.name(), given.name()));
}

// Null if no function of another kind than a kernel has this name.
Result<const OtherFunctionInfo *> findVisible(const detail::LibraryState &library, std::string_view name) {
  const OtherFunctionInfo *other = library.info.findOther(name);
  if (!other)
    return other;
  if (other->symbol.empty())
    return Error::kernel("unsupported",
                         fmt::format("'{}' is a {} function: only kernels are run", name, other->kind),
                         other->where, "check compiles it; run a kernel, which may call it if it is visible");
  for (const OtherFunctionInfo &second : library.info.otherFunctions)
    if (&second != other && second.name == name)
      return Error::kernel("unsupported",
                           fmt::format("two {} functions have the name '{}'", other->kind, name),
                           second.where, "give each a host_name of its own");
  return other;
}

} // namespace

CompileOptions &CompileOptions::forPipelines(const CodeOptions &pipelines) {
  contractStatements = pipelines.numerics.contract == Contraction::Fast;
  debug |= pipelines.debug;
  return *this;
}

const std::string &Function::name() const {
  static const std::string none;
  return state_.visible ? state_.visible->name : state_.kernel ? state_.kernel->name : none;
}
const KernelInfo &Function::info() const {
  static const KernelInfo none;
  return state_.kernel ? *state_.kernel : none;
}

std::vector<FunctionConstantInfo> Function::functionConstants() const {
  return state_.library->info.constantsAt(state_.visible ? state_.visible->functionConstants
                                                         : state_.kernel->functionConstants);
}

std::vector<std::string> Library::functionNames() const {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : state_->info.kernels)
    names.push_back(kernel.name);
  return names;
}

const ModuleInfo &Library::reflection() const {
  return state_->info;
}
const std::vector<Diagnostic> &Library::warnings() const {
  return state_->warnings;
}
bool Library::fromCache() const {
  return state_->fromCache;
}

Result<Function> Library::newFunction(std::string_view name) const {
  return newFunction(name, {});
}

Result<Function> Library::newFunction(std::string_view name, const FunctionConstantValues &values) const {
  Function function;
  function.state_.library = state_;
  function.state_.kernel = state_->info.findKernel(name);
  if (!function.state_.kernel) {
    Result<const OtherFunctionInfo *> visible = findVisible(*state_, name);
    if (!visible)
      return visible.error();
    function.state_.visible = *visible;
  }
  if (!function.state_.kernel && !function.state_.visible)
    return Error::usage("unknown-kernel", fmt::format("no kernel '{}' in {}", name, state_->fileNames()),
                        nearestHint(name, functionNames(), "kernels"));
  if (function.state_.kernel && !function.state_.kernel->unsupported.empty())
    return Error::kernel(
        "unsupported",
        fmt::format("kernel '{}' cannot be run: {}", name, function.state_.kernel->unsupported),
        function.state_.kernel->where);
  if (function.state_.kernel && function.state_.kernel->entrySymbol.empty())
    return Error::usage(
        "kernel-left-out",
        fmt::format("kernel '{}' was not compiled: CompileOptions::kernels leaves it out", name),
        "add it there, or leave the list empty");
  const Constants own = function.functionConstants();
  for (const auto &[index, value] : values.byIndex()) {
    const FunctionConstantInfo *constant = find(own, state_->info.functionConstants, index);
    if (!constant)
      continue;
    if (Result<void> ok = checkType(*constant, value); !ok)
      return ok.error();
    function.state_.constants[index] = value;
  }
  for (const auto &[constantName, value] : values.byName()) {
    const FunctionConstantInfo *constant = find(own, state_->info.functionConstants, constantName);
    if (!constant) {
      std::vector<std::string> names;
      for (const FunctionConstantInfo &c : state_->info.functionConstants)
        names.push_back(c.name);
      return Error::usage("unknown-function-constant",
                          fmt::format("no function constant '{}' in {}", constantName, state_->fileNames()),
                          nearestHint(constantName, names, "function constants"));
    }
    if (Result<void> ok = checkType(*constant, value); !ok)
      return ok.error();
    function.state_.constants[constant->index] = value;
  }
  // What does not go well here is an error of the pipeline, whose options may give constants zeros.
  if (function.state_.kernel)
    if (const auto placed = placedKernel(*state_, *function.state_.kernel, function.state_.constants); placed)
      function.state_.kernel = *placed;
  return function;
}

} // namespace assay
