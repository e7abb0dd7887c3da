// What the dispatchers of this family share: tensors without gaps, and one launch with its bindings.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kernels_msl/dispatch/tensor_view.h"

#include <optional>
#include <string_view>

namespace assay::kernels::recurrence {

/// checkTensor, and no gaps: the kernels of this family take sizes and no strides.
///   errors   as checkTensor; "stride" names the axis; "size-limit" for a size that 32 bits do not hold
Result<void> checkDense(std::string_view name, const TensorView &tensor, DataType type,
                        std::initializer_list<int64_t> sizes, TensorUse use = TensorUse::Input);

/// Heads of values that share heads of keys.
///   errors   "head-count"
Result<void> checkHeads(int64_t valueHeads, int64_t keyHeads);

inline size_t paddedLength(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// One dispatch. What a step of it cannot do is reported by run().
class Launch {
public:
  Launch(KernelSet &set, std::string_view file, std::string_view kernel);
  Launch &tensor(const TensorView &view, uint32_t index);
  template <class T> Launch &bytes(const T &value, uint32_t index) {
    if (encoder_)
      encoder_->setBytes(&value, sizeof value, index);
    return *this;
  }
  Launch &threadgroupMemory(size_t bytes, uint32_t index);
  Result<DispatchReport> threadgroups(Size groups, Size threads);
  Result<DispatchReport> threads(Size grid, Size threads);

private:
  std::optional<Error> error_;
  std::optional<ComputeCommandEncoder> encoder_;
};

} // namespace assay::kernels::recurrence

/// Returns the error of a Result<void> from a dispatcher.
#define ASSAY_CHECK(call)                                                                                    \
  if (::assay::Result<void> checked = (call); !checked)                                                      \
  return checked.error()
