// MTLFunctionHandle and MTLVisibleFunctionTable: the visible functions that a kernel calls through a table.
//
//   assay::PipelineOptions options;
//   options.linkedFunctions.functions = {*library->newFunction("twice"), *library->newFunction("square")};
//   auto pipeline = device.newComputePipelineState(*kernel, options);
//   assay::VisibleFunctionTable table = pipeline->newVisibleFunctionTable(2);
//   table.setFunction(*pipeline->functionHandle(options.linkedFunctions.functions[0]), 0);
//   encoder.setVisibleFunctionTable(table, 1);
//
// lowering/function_tables.h explains how a kernel calls through a table. Handles and tables belong to the
// pipeline that made them, as in Metal. In Metal, the effect of a handle of another pipeline is undefined;
// here it is an error.
#pragma once

#include "buffer.h"

#include "../support/text/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace assay {

namespace detail {
struct PipelineState;
}

/// A visible function in a pipeline to which it is linked.
class FunctionHandle {
public:
  FunctionHandle() = default; ///< of no function
  explicit operator bool() const { return number_ != 0; }
  const std::string &name() const; ///< empty without a function

private:
  friend class ComputePipeline;
  friend class VisibleFunctionTable;
  std::shared_ptr<const detail::PipelineState> pipeline_;
  uint32_t number_ = 0;
};

/// A handle: copies share the entries. A dispatch reads them when it runs.
class VisibleFunctionTable {
public:
  VisibleFunctionTable() = default; ///< none; binding it unbinds
  explicit operator bool() const { return pipeline_ != nullptr; }

  size_t functionCount() const;
  uint64_t gpuAddress() const { return memory_.gpuAddress(); }
  /// An empty handle makes the entry null; entries are null at first.
  ///   errors  Usage "function-table": an index past the end, a handle of another pipeline
  Result<void> setFunction(const FunctionHandle &function, size_t index);
  /// The same for several, from `first` on; nothing is set if there is an error.
  Result<void> setFunctions(std::span<const FunctionHandle> functions, size_t first);

private:
  friend class ComputePipeline;
  friend class ComputeCommandEncoder;
  std::shared_ptr<const detail::PipelineState> pipeline_;
  Buffer memory_; ///< the number of entries, then the entries: eight bytes each
};

} // namespace assay
