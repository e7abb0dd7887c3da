#include "launch.h"

#include <fmt/format.h>

#include <limits>

namespace assay::kernels::recurrence {

Result<void> checkDense(std::string_view name, const TensorView &tensor, DataType type,
                        std::initializer_list<int64_t> sizes, TensorUse use) {
  ASSAY_CHECK(checkTensor(name, tensor, type, sizes, use));
  int64_t dense = 1;
  for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
    if (tensor.size(axis) > std::numeric_limits<uint32_t>::max())
      return Error::usage(Rule::own("size-limit"),
                          fmt::format("{} has {} elements on axis {}, the kernel counts in 32 bits", name,
                                      tensor.size(axis), axis));
    if (tensor.size(axis) > 1 && tensor.stride(axis) != dense)
      return Error::usage(Rule::own("stride"),
                          fmt::format("{} has stride {} on axis {}, the kernel reads it without gaps: {}",
                                      name, tensor.stride(axis), axis, dense),
                          "copy it into a tensor of its own");
    dense *= tensor.size(axis);
  }
  return {};
}

Result<void> checkHeads(int64_t valueHeads, int64_t keyHeads) {
  if (valueHeads % keyHeads == 0)
    return {};
  return Error::usage(Rule::own("head-count"),
                      fmt::format("{} value heads are not a multiple of {} key heads", valueHeads, keyHeads));
}

Launch::Launch(KernelSet &set, std::string_view file, std::string_view kernel) {
  const Result<ComputePipeline> pipeline = set.pipeline(file, kernel);
  if (pipeline)
    encoder_ = set.encoder(*pipeline);
  else
    error_ = pipeline.error();
}

Launch &Launch::tensor(const TensorView &view, uint32_t index) {
  if (encoder_)
    encoder_->setBuffer(view.buffer, view.byteOffset(), index);
  return *this;
}

Launch &Launch::threadgroupMemory(size_t bytes, uint32_t index) {
  if (encoder_)
    encoder_->setThreadgroupMemoryLength(paddedLength(bytes), index);
  return *this;
}

Result<DispatchReport> Launch::threadgroups(Size groups, Size threads) {
  if (error_)
    return *error_;
  return encoder_->dispatchThreadgroups(groups, threads);
}

Result<DispatchReport> Launch::threads(Size grid, Size threads) {
  if (error_)
    return *error_;
  return encoder_->dispatchThreads(grid, threads);
}

} // namespace assay::kernels::recurrence
