#include "frontend/written_token.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace assay::frontend {

std::optional<WrittenToken> writtenTokenAt(const clang::SourceManager &sources, clang::SourceLocation place,
                                           const ViewFileSystem &files) {
  const clang::SourceLocation location = sources.getSpellingLoc(place);
  if (location.isInvalid())
    return std::nullopt;
  WrittenToken written{sources.getFilename(location).str(), {}, 0};
  const SourceView *view = files.view(written.file);
  const std::optional<uint32_t> offset =
      view ? view->originalOffset(sources.getFileOffset(location)) : std::nullopt;
  if (!offset)
    return std::nullopt;
  written.tokens = lexRaw(view->original());
  const auto token = std::ranges::lower_bound(written.tokens, *offset, {}, &RawToken::offset);
  if (token == written.tokens.end() || token->offset != *offset)
    return std::nullopt;
  written.at = size_t(token - written.tokens.begin());
  return written;
}

} // namespace assay::frontend
