// The attributes of a kernel's [[stage_in]] on the command line: where they come from, as
// MTLStageInputOutputDescriptor says it in Metal.
//
//   --attribute 0=float3:2            attribute 0 is a float3 at the beginning of an element of buffer 2
//   --attribute 1=uchar4normalized:2+12   attribute 1 follows it
//   --layout 2=16,x                   elements of buffer 2 are 16 bytes apart and step along x
//   --index-buffer 5=u16              the indices of layouts that are indexed
//   --stage-in-region 0,0:100,1       the threads that have [[stage_in]] data
//
// Choice.   A buffer without --layout steps along x, and its elements lie next to each other: each is as long
//           as the attributes in it reach, up to a multiple of four bytes. Most buffers of vertices are so.
#pragma once

#include "../host/assay.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

struct StageInputArguments {
  std::vector<std::string> attributes, layouts;
  std::string indexBuffer, region; ///< empty: not given

  void addTo(CLI::App &command);
};

/// errors   Usage "bad-option", "buffer-index"
Result<std::optional<StageInputDescriptor>> parseStageInput(const StageInputArguments &arguments);

/// X[,Y[,Z]]:WIDTH[,HEIGHT[,DEPTH]]
/// errors   Usage "bad-option"
Result<StageInRegion> parseStageInRegion(std::string_view text);

/// A descriptor that fits a kernel, for a pipeline that is only compiled: what it says has no part in the
/// code.
StageInputDescriptor anyStageInput(const KernelInfo &kernel);

} // namespace assay::cli
