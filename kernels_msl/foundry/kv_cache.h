// A quantised cache as the kernels of decode, prefill and the materialised step take it: its tensors checked
// against its descriptor, and what a kernel is told of it.
#pragma once

#include "kernels_msl/dispatch/kernel_set.h"
#include "kv_format.h"

namespace assay::kernels::foundry {

/// What the other arguments ask of keys or values; -1 takes any.
struct KvShape {
  int64_t batches = -1, heads = -1, capacity = -1, headDim = -1;
};

/// Elements of a row, which are not the bytes of one.
int64_t headDimOf(const KvTensor &t);

/// Type of the rows' tensor: char or uchar with a format, else `typed`.
DataType rowTypeOf(const KvTensor &t, DataType typed);

/// Tensors of a cache that has a format, against it. The side table is read from end to end.
///   type     of the elements that outliers are
///   errors   Usage: those of checkKvFormat and checkTensor; "kv-packing" (tile by tile, and a capacity that
///            is no whole blocks, or rows with gaps); "kv-alignment" (rows that do not begin where the
///            format says), "stride" (zero points that lie otherwise than the scales), "kv-outliers" (a table
///            without the bound in the format, or the other way round; runs that leave the table, descend or
///            are longer than the bound; entries that do not ascend, or are past the block or the capacity)
Result<void> checkKvCache(std::string_view name, const KvTensor &t, KvUse use, int width, DataType type,
                          const KvShape &shape);

/// That a tensor without a format has nothing that only a format explains.
///   errors   Usage "kv-format"
Result<void> checkNoFormat(std::string_view name, const KvTensor &t);

/// Function constants 520 to 526 (`first` is 520) or 530 to 536 of kv_rows.h.
void setKvConstants(FunctionConstantValues &constants, const std::optional<KvFormat> &format, uint32_t first);

/// Words of the side table that a (batch, head) has for the places of its runs; 0 without a table.
uint32_t kvRuns(const KvTensor &t);

/// Strides of scales and zero points in elements, 0 along an axis of one.
struct KvScaleStrides {
  uint64_t batch = 0, head = 0, block = 0;
};
KvScaleStrides kvScaleStrides(const KvTensor &t);

/// Buffer indices of a quantised cache.
struct KvSlots {
  uint32_t values, scales, zeros, outliers;
};
void bindKv(ComputeCommandEncoder &encoder, const KvTensor &t, const KvSlots &slots);

} // namespace assay::kernels::foundry
