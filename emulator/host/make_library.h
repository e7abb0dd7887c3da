// Makes the state of a library from a source: from the cache, or with the front end. Not installed.
#pragma once

#include "compile_cache.h"
#include "library.h"
#include "state.h"

#include "../frontend/compile.h"
#include "../support/text/result.h"

#include <memory>
#include <vector>

namespace assay::detail {

/// What the front end has to know of CompileOptions; the source is still missing.
frontend::SourceRequest sourceRequest(const CompileOptions &options);
/// sources   at least one
/// errors    those of frontend::compile
Result<std::shared_ptr<const LibraryState>> makeLibrary(std::vector<frontend::SourceRequest> sources,
                                                        CompileCache cache);

/// errors   those of Device::newLibraryWithSources
Result<std::shared_ptr<const LibraryState>> libraryOf(const std::vector<LibrarySource> &sources);

} // namespace assay::detail
