// Makes samplers from the OPTIONS of `assay run --sampler INDEX=OPTIONS`.
#pragma once

#include "../host/assay.h"

#include <string_view>

namespace assay::cli {

/// "linear,repeat,pixel,..": words of msl_shim/detail/sampler_options.def, with or without their group
/// ("filter::linear", "mip_filter::linear", "t_address::repeat"); a bare word is in the first group that has
/// it. "lod_min_clamp=0.5", "lod_max_clamp=3" and "max_anisotropy=4" have numbers.
///   errors   Usage "bad-spec" (names the nearest), "sampler-descriptor"
Result<SamplerState> parseSampler(const Device &device, std::string_view text);

} // namespace assay::cli
