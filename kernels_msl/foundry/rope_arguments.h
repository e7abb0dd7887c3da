// The tables and positions of a rotation, for every dispatcher whose kernel has RopeStage.
#pragma once

#include "kernels_msl/dispatch/tensor_view.h"

#include "emulator/support/text/result.h"

#include <cstdint>
#include <initializer_list>

namespace assay::kernels::foundry {

enum class RopePairs {
  Halves,     ///< element i turns with i + rope_size / 2 ("NeoX")
  Neighbours, ///< element 2i with 2i + 1 (interleaved)
};

/// Rotates rows on the way. Keys in a cache have been rotated by whoever put them there.
struct RopeArguments {
  TensorView cosines, sines; ///< float, [positions, rope_size / 2]
  TensorView positions;      ///< uint, without gaps: the row of the tables of each row that is rotated
  RopePairs pairs = RopePairs::Halves;
};

/// Checks them against a head and against the shape that positions must have.
///   errors   Usage, naming the argument and both numbers: those of checkTensor; "rope-size" (more elements
///            than a head has); "stride" (tables whose rows are apart differently, positions with gaps);
///            "rope-position" (past the tables: names its index)
Result<void> checkRope(const RopeArguments &rope, std::initializer_list<int64_t> positions, int64_t headDim);

} // namespace assay::kernels::foundry
