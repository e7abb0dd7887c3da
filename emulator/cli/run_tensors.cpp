#include "run_tensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace assay::cli {

Result<Tensor> tensorIn(const Binding &binding, const TensorUse &use) {
  const auto size = [](ScalarType type) { return scalarTypeInfo(type).bytes; };
  const std::optional<ScalarType> given = binding.data.type;
  const bool isAsGiven = given && size(*given) != size(use.element.scalar);
  TensorDescriptor descriptor;
  descriptor.dataType = isAsGiven ? TensorElement(*given) : use.element;
  const uint64_t perItem = size(descriptor.dataType.scalar) * 8 / descriptor.dataType.bits();
  const uint64_t count = binding.buffer.length() / size(descriptor.dataType.scalar);
  std::vector<uint64_t> shape = given ? binding.data.shape : std::vector{count};
  if (!shape.empty())
    shape.back() *= perItem; // the bytes of a row, of elements of less than one
  const bool isKnown = std::ranges::count(use.extents, TensorUse::kAnyExtent) == 0;
  const uint64_t known =
      std::accumulate(use.extents.begin(), use.extents.end(), uint64_t(1), std::multiplies<>());
  if (shape.size() == 1 && isKnown && known == shape[0])
    shape.assign(use.extents.rbegin(), use.extents.rend());
  descriptor.dimensions.assign(shape.rbegin(), shape.rend());
  return binding.buffer.newTensor(descriptor, 0);
}

Result<void> bindTensors(const std::map<uint32_t, const Binding *> &bound, const ComputePipeline &pipeline,
                         Bindings &bindings) {
  for (const ArgumentInfo &argument : pipeline.activeArguments()) {
    const auto found = bound.find(argument.index);
    if (argument.kind != ArgumentKind::Tensor || found == bound.end() || found->second->null)
      continue;
    Result<Tensor> tensor = tensorIn(*found->second, *argument.tensor);
    if (!tensor) {
      Error error = tensor.error();
      error.diagnostics.front().message =
          fmt::format("--buffer {}: {}", argument.index, error.diagnostics.front().message);
      return error;
    }
    bindings.buffers.erase(argument.index);
    bindings.tensors[argument.index] = std::move(*tensor);
  }
  return {};
}

} // namespace assay::cli
