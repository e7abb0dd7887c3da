// One kernel of several stages, as Metal text.
//
// The text has two forms. The short one includes the stages' headers: signature and calls, a screen that is
// read; tests/kernels/foundry/compound keeps some. The whole one has each header pasted in, once, where it
// was first included. It is what is compiled: a host that calls newLibraryWithSource has no include path, and
// Apple's compiler takes a relative #include from no folder there; and one text is all that a report of an
// error needs.
//
// `gid` is the threadgroup's position in the grid in every compound kernel.
#pragma once

#include "stages.h"

#include "emulator/support/text/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace assay::kernels::foundry {

/// The short form. Arguments that stages share appear once; buffers come first, then threadgroup memory, each
/// by its index, then what Metal gives.
///   order    stages as given; nothing is reordered
///   errors   Usage, naming stages by number and name:
///            "compound-name"    no identifier of Metal
///            "compound-empty"   no stage
///            "stage-missing"    a stage takes what no stage leaves
///            "stage-order"      a stage takes what only a stage after it leaves
///            "stage-untaken"    what a stage was there for is taken by none after it
///            "stage-twice"      two stages leave the same
///            "stage-type"       one argument or value has two types
///            "stage-slot"       one argument has two indices, or one index two arguments
///            "stage-condition"  one argument is there with two function constants
///            "stage-threads"    stages for threadgroups of two sizes
Result<std::string> composeKernel(std::string_view name, std::span<const Stage> stages);

/// The whole form: lines `#include "header"` become what the header in `folder` says, at any depth, each
/// once.
///   errors   Usage "compound-header": a header cannot be read
Result<std::string> pasteHeaders(std::string_view text, const std::filesystem::path &folder);

} // namespace assay::kernels::foundry
