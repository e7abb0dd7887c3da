#include "function_table.h"
#include "device.h"
#include "state.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay {

const std::string &FunctionHandle::name() const {
  static const std::string none;
  return number_ ? pipeline_->library->info.otherFunctions[number_ - 1].name : none;
}

Result<FunctionHandle> ComputePipeline::functionHandle(const Function &function) const {
  const OtherFunctionInfo *visible =
      function.state_.library == state_->library ? function.state_.visible : nullptr;
  const uint32_t number = visible ? state_->library->info.handleOf(*visible) : 0;
  if (std::find(state_->linked.begin(), state_->linked.end(), number) == state_->linked.end())
    return Error::usage(
        "function-table",
        fmt::format("function '{}' is not linked to the pipeline of kernel '{}'", function.name(), label()),
        "add it to PipelineOptions::linkedFunctions");
  FunctionHandle handle;
  handle.pipeline_ = state_;
  handle.number_ = number;
  return handle;
}

VisibleFunctionTable ComputePipeline::newVisibleFunctionTable(size_t functionCount) const {
  VisibleFunctionTable table;
  table.pipeline_ = state_;
  table.memory_ = Device::systemDefault().newBuffer((1 + functionCount) * sizeof(uint64_t));
  table.memory_.as<uint64_t>()[0] = functionCount;
  return table;
}

size_t VisibleFunctionTable::functionCount() const {
  return pipeline_ ? memory_.as<uint64_t>()[0] : 0;
}

Result<void> VisibleFunctionTable::setFunction(const FunctionHandle &function, size_t index) {
  return setFunctions({&function, 1}, index);
}

Result<void> VisibleFunctionTable::setFunctions(std::span<const FunctionHandle> functions, size_t first) {
  const size_t count = functionCount();
  if (first > count || functions.size() > count - first)
    return Error::usage("function-table",
                        fmt::format("index {} of a function table, which has {} entries",
                                    first > count ? first : first + functions.size() - 1, count));
  for (const FunctionHandle &function : functions)
    if (function && function.pipeline_ != pipeline_)
      return Error::usage(
          "function-table",
          fmt::format("the handle of '{}' is of another pipeline (of kernel '{}') than the table (of kernel "
                      "'{}')",
                      function.name(), function.pipeline_->kernel->name, pipeline_->kernel->name),
          "call functionHandle of the pipeline that made the table");
  for (size_t i = 0; i < functions.size(); ++i)
    memory_.as<uint64_t>()[1 + first + i] = functions[i].number_;
  return {};
}

} // namespace assay
