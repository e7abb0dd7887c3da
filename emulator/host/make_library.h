// From a source to the state of a library: out of the cache, or from the front end. Not installed.
#pragma once

#include "compile_cache.h"
#include "library.h"
#include "state.h"

#include "../frontend/compile.h"
#include "../support/text/result.h"

#include <memory>
#include <string_view>

namespace assay::detail {

/// What the front end has to know of CompileOptions; the source is still missing.
frontend::SourceRequest sourceRequest(const CompileOptions &options);
/// errors   those of frontend::compile
Result<std::shared_ptr<const LibraryState>> makeLibrary(frontend::SourceRequest request, CompileCache cache);

/// errors   those of Device::newLibraryWithFile
Result<std::shared_ptr<const LibraryState>> libraryOfFile(std::string_view path,
                                                          const CompileOptions &options);
Result<std::shared_ptr<const LibraryState>> libraryOfText(std::string_view source,
                                                          const CompileOptions &options);

} // namespace assay::detail
