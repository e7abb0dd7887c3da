// Decides which kernels the vector engine does not take. They stay on fibers, and `assay check --pipelines`
// gives the reason.
#pragma once

#include "lane_shapes.h"

namespace assay::lowering::vector {

/// Empty if the whole function can be vectorised.
std::string refusalOf(const Lowering &state, llvm::Function &function, const LaneShapes &shapes);
inline constexpr char kTooLong[] = "it is too long";
/// Whether the function is too long even before it is simplified, which can make it a few times shorter. This
/// is asked first, because everything else takes long for such a function.
bool isFarTooLong(const llvm::Function &function);
/// The reason for a call that tells an observer of an access or a fence (reports.cpp), or empty.
std::string refusalOfReport(const llvm::CallBase &call, RuntimeCall runtime, const LaneShapes &shapes);

} // namespace assay::lowering::vector
