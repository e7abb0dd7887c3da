// Decides which kernels the vector engine does not take. They stay on fibers, and `assay check --pipelines`
// gives the reason.
#pragma once

#include "lane_shapes.h"

namespace assay::lowering::vector {

/// Empty if the whole function can be vectorised.
std::string refusalOf(const Lowering &state, llvm::Function &function, const LaneShapes &shapes);
inline constexpr char kTooLong[] = "it is too long";
/// Whether it is too long before it is simplified, which can make it a few times shorter. The first question,
/// because of such a function everything else takes long.
bool isFarTooLong(const llvm::Function &function);
/// The same of a call that tells an observer of an access or a fence: reports.cpp.
std::string refusalOfReport(const llvm::CallBase &call, RuntimeCall runtime, const LaneShapes &shapes);

} // namespace assay::lowering::vector
