#include "rope_arguments.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {

Result<void> checkRope(const RopeArguments &r, std::initializer_list<int64_t> shape, int64_t headDim) {
  if (auto checked = checkTensor("cosines", r.cosines, DataType::Float, {-1, -1}); !checked)
    return checked;
  const int64_t rows = r.cosines.size(0), pairs = r.cosines.size(1);
  if (auto checked = checkTensor("sines", r.sines, DataType::Float, {rows, pairs}); !checked)
    return checked;
  if (2 * pairs > headDim)
    return Error::usage(Rule::own("rope-size"),
                        fmt::format("tables turn {} elements, a head has {}", 2 * pairs, headDim));
  if (rows > 1 && r.cosines.stride(0) != r.sines.stride(0))
    return Error::usage(Rule::own("stride"),
                        fmt::format("rows of cosines are {} elements apart, those of sines {}",
                                    r.cosines.stride(0), r.sines.stride(0)));
  if (auto checked = checkTensor("positions", r.positions, DataType::UInt, shape); !checked)
    return checked;
  const int64_t batches = r.positions.size(0), tokens = r.positions.count() / batches;
  if (batches > 1 && r.positions.stride(0) != tokens)
    return Error::usage(Rule::own("stride"),
                        fmt::format("positions of batches are {} elements apart, the kernel reads {}",
                                    r.positions.stride(0), tokens));
  const std::span<const uint32_t> numbers =
      r.positions.buffer.as<const uint32_t>().subspan(size_t(r.positions.offset));
  for (int64_t i = 0; i < batches * tokens; ++i)
    if (numbers[i] >= rows)
      return Error::usage(Rule::own("rope-position"),
                          fmt::format("batch {}{} is at position {}, the tables have {} rows", i / tokens,
                                      shape.size() == 1 ? "" : fmt::format(", token {},", i % tokens),
                                      numbers[i], rows));
  return {};
}

} // namespace assay::kernels::foundry
