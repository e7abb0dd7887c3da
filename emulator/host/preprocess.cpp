#include "preprocess.h"

#include "make_library.h"

namespace assay::detail {

Result<frontend::Preprocessed> preprocess(const CompileOptions &options, std::optional<std::string> text,
                                          const frontend::PreprocessOptions &what) {
  frontend::SourceRequest request = sourceRequest(options);
  request.text = std::move(text);
  return frontend::preprocess(request, what);
}

} // namespace assay::detail
