// Preprocesses a source with the options of a compilation. Not installed.
#pragma once

#include "library.h"

#include "../frontend/preprocess.h"

namespace assay::detail {

/// text     none: the file options.name is read
/// errors   those of frontend::preprocess
Result<frontend::Preprocessed> preprocess(const CompileOptions &options, std::optional<std::string> text,
                                          const frontend::PreprocessOptions &what);

} // namespace assay::detail
