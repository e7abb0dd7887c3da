// How messages name lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::testing {

/// "3, 5-7"
std::string lanesText(const std::vector<uint32_t> &lanes);
/// "lane 37 (lane 5 of simdgroup 1)"
std::string laneText(uint32_t lane, size_t lanes);
/// The lanes whose bit is set.
std::vector<uint32_t> lanesOf(uint32_t mask);

} // namespace assay::testing
